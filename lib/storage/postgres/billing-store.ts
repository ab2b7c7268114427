import * as v from 'valibot';
import type { BillingStore } from '../../billing/billing-store-port.ts';
import type { BilledCall } from '../../generation/ledger/ledger-store-port.ts';
import {
  BILLED_CALL_COLUMNS,
  type BilledAccount,
  BilledCallRows,
  BilledDayRows,
  billedCallColumns,
  SETTLED_COLUMNS,
  SettledRow,
} from '../billed-call-rows.ts';
import { basisNumber } from '../budgets.ts';
import type { Postgres, Queries } from './connection.ts';
import { createCharges } from './usage-store.ts';

const FoundRows = v.array(SettledRow);

export function createBillingStore({ schema, read, write }: Postgres): BillingStore {
  const { spend } = createCharges(schema);
  const LIST = `
    SELECT ${BILLED_CALL_COLUMNS} FROM ${schema}.billed_call
    WHERE provider = $1 AND (day, id) > ($2, $3) ORDER BY day, id LIMIT $4`;
  const FIND = `
    SELECT ${SETTLED_COLUMNS} FROM ${schema}.billed_call WHERE provider = $1 AND id = $2 FOR UPDATE`;
  const SETTLE = `
    UPDATE ${schema}.billed_call
    SET cost = $3, basis = ${basisNumber('reported')}, unpriced = 0, spent = $3 WHERE provider = $1 AND id = $2`;
  // Without unknown images, the weakest basis of the other calls is at most priced.
  const CORRECT = `
      cost = greatest(0, cost + $4::bigint),
      basis = CASE WHEN basis = ${basisNumber('unknown')} AND unpriced <= $5 THEN ${basisNumber('priced')} ELSE basis END,
      unpriced = greatest(0, unpriced - $5)
    WHERE token = $1 AND day = $2 AND provider = $3`;
  const CORRECT_USAGE = `UPDATE ${schema}.usage SET ${CORRECT}`;
  const CORRECT_MODEL = `UPDATE ${schema}.usage_model SET ${CORRECT} AND model = $6`;
  const DAYS = `
    SELECT day, sum(cost)::bigint AS cost, max(basis) AS basis, sum(unpriced)::bigint AS unpriced
    FROM ${schema}.usage WHERE provider = $1 AND day >= $2 GROUP BY day ORDER BY day`;
  const PRUNE = `DELETE FROM ${schema}.billed_call WHERE day < $1`;

  return {
    list: ({ provider, day }, { after = { day, id: '' }, limit }) =>
      read(async ({ rows }) =>
        v.parse(BilledCallRows, await rows(LIST, [provider, after.day, after.id, limit])),
      ),
    settle: (provider, charges) =>
      write(async (queries) => {
        const { rows } = queries;
        // All transactions lock the rows in the same order.
        for (const { id, amount } of charges.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
          const [call] = v.parse(FoundRows, await rows(FIND, [provider, id]));
          if (!call) continue;
          const { token, day, cost, unpriced, spent, model } = call;
          await rows(SETTLE, [provider, id, amount]);
          await spend(queries, { token, day }, amount - spent);
          const correction = [token, day, provider, amount - cost, unpriced];
          await rows(CORRECT_USAGE, correction);
          if (model !== null) await rows(CORRECT_MODEL, [...correction, model]);
        }
      }),
    days: ({ provider, day }) =>
      read(async ({ rows }) => v.parse(BilledDayRows, await rows(DAYS, [provider, day]))),
    prune: (day) => write(async ({ rows }) => void (await rows(PRUNE, [day]))),
  };
}

/** Creates the function that adds the calls of an account within the caller's transaction. */
export function createBilledCalls(schema: string) {
  // A repeated settlement of an account adds nothing.
  const ADD = `
    INSERT INTO ${schema}.billed_call (
      provider, id, token, day, cost, basis, unpriced, spent, model
    )
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`;
  return async (
    { rows }: Queries,
    account: BilledAccount,
    calls: readonly BilledCall[] = [],
  ): Promise<void> => {
    for (const call of calls) {
      const { provider, id, token, day, ...values } = billedCallColumns(account, call);
      const { cost, basis, unpriced, spent, model } = values;
      await rows(ADD, [provider, id, token, day, cost, basis, unpriced, spent, model]);
    }
  };
}
