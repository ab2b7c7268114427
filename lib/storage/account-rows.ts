import * as v from 'valibot';
import { OWN_PROVIDER } from '../contract/request/own-work.ts';
import { HELD_COLUMNS, HeldColumns } from './budgets.ts';

/** The columns of the table `ledger` for `AccountRow`. */
export const ACCOUNT_COLUMNS = `id, token, day, outputs, reserved, allowance, renewals, ${HELD_COLUMNS}`;

/** The SQL of `chargedImages` for a row of the table `job`. */
export const CHARGED_OUTPUTS = `CASE WHEN provider = '${OWN_PROVIDER}' THEN 0 ELSE outputs END`;

/** Converts a row of the table `ledger` to an account. */
export const AccountRow = v.object({
  id: v.string(),
  token: v.string(),
  allowance: v.nullable(v.number()),
  ...v.entriesFromList(['day', 'outputs', 'reserved', 'renewals'], v.number()),
  ...HeldColumns,
});

const OpenRow = v.object({
  ...v.entriesFromList(['call', 'output'], v.number()),
  provider: v.string(),
  model: v.nullable(v.string()),
});

/** The columns of the table `ledger_row` for `OpenRows`. */
export const OPEN_COLUMNS = 'call, output, provider, model_name AS model';

/** Converts rows of the table `ledger_row` to the outputs of open calls. */
export const OpenRows = v.array(OpenRow);

/** Converts rows of the tables `ledger_row` and `ledger_ticket` to the outputs of open calls with their tickets. */
export const EarlierRows = v.array(
  v.object({ ...OpenRow.entries, ticket: v.nullable(v.string()) }),
);
