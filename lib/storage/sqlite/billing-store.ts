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
import type { StoreDatabase } from './database.ts';
import { prepareCharges } from './usage-store.ts';

// A repeated settlement of an account adds nothing.
const ADD = `
  INSERT INTO billed_call (provider, id, token, day, cost, basis, unpriced, spent, model)
  VALUES (@provider, @id, @token, @day, @cost, @basis, @unpriced, @spent, @model)
  ON CONFLICT DO NOTHING`;
const LIST = `
  SELECT ${BILLED_CALL_COLUMNS} FROM billed_call
  WHERE provider = @provider AND (day, id) > (@day, @id) ORDER BY day, id LIMIT @limit`;
const FIND = `SELECT ${SETTLED_COLUMNS} FROM billed_call WHERE provider = @provider AND id = @id`;
const SETTLE = `
  UPDATE billed_call SET cost = @amount, basis = ${basisNumber('reported')}, unpriced = 0, spent = @amount
  WHERE provider = @provider AND id = @id`;
// Without unknown images, the weakest basis of the other calls is at most priced.
const CORRECT = `
    cost = max(0, cost + @more),
    basis = iif(basis = ${basisNumber('unknown')} AND unpriced <= @unpriced, ${basisNumber('priced')}, basis),
    unpriced = max(0, unpriced - @unpriced)
  WHERE token = @token AND day = @day AND provider = @provider`;
const CORRECT_USAGE = `UPDATE usage SET ${CORRECT}`;
const CORRECT_MODEL = `UPDATE usage_model SET ${CORRECT} AND model = @model`;
const DAYS = `
  SELECT day, sum(cost) AS cost, max(basis) AS basis, sum(unpriced) AS unpriced FROM usage
  WHERE provider = @provider AND day >= @day GROUP BY day ORDER BY day`;
const PRUNE = 'DELETE FROM billed_call WHERE day < ?';

const FoundRow = v.optional(SettledRow);

export function createBillingStore(database: StoreDatabase): BillingStore {
  const { spend } = prepareCharges(database);
  const list = database.prepare(LIST);
  const find = database.prepare(FIND);
  const settle = database.prepare(SETTLE);
  const correctUsage = database.prepare(CORRECT_USAGE);
  const correctModel = database.prepare(CORRECT_MODEL);
  const days = database.prepare(DAYS);
  const prune = database.prepare(PRUNE);

  return {
    list: ({ provider, day }, { after = { day, id: '' }, limit }) =>
      database.read(() => v.parse(BilledCallRows, list.all({ provider, ...after, limit }))),
    settle: (provider, charges) =>
      database.write(() => {
        for (const { id, amount } of charges) {
          const call = v.parse(FoundRow, find.get({ provider, id }));
          if (!call) continue;
          const { token, day, cost, unpriced, spent, model } = call;
          settle.run({ provider, id, amount });
          const correction = { provider, token, day, unpriced, more: amount - cost };
          correctUsage.run(correction);
          if (model !== null) correctModel.run({ ...correction, model });
          spend({ token, day }, amount - spent);
        }
      }),
    days: (since) => database.read(() => v.parse(BilledDayRows, days.all(since))),
    prune: (day) => database.write(() => void prune.run(day)),
  };
}

/** Prepares the function that adds the calls of an account within the caller's transaction. */
export function prepareBilledCalls({ prepare }: Pick<StoreDatabase, 'prepare'>) {
  const add = prepare(ADD);
  return (account: BilledAccount, calls: readonly BilledCall[] = []): void => {
    for (const call of calls) add.run(billedCallColumns(account, call));
  };
}
