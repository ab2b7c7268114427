import * as v from 'valibot';
import type { BilledCall, UsageDay } from '../generation/ledger/ledger-store-port.ts';
import type { StoredAccount } from './accounts.ts';
import { basisNumber, CostColumns, StoredAmount, spentBy, withCost } from './budgets.ts';

/** The columns of the table `billed_call` for `BilledCallRows`. */
export const BILLED_CALL_COLUMNS = 'id, day, cost, basis, unpriced';

/** Converts rows of the table `billed_call` to ended calls. */
export const BilledCallRows = v.array(
  v.pipe(
    v.object({ id: v.string(), day: v.number(), unpriced: v.number(), ...CostColumns }),
    v.transform(withCost),
  ),
);

/** Converts the sums of rows of the table `usage` to the recorded costs of days. */
export const BilledDayRows = v.array(
  v.pipe(
    v.object({ day: v.number(), unpriced: v.number(), ...CostColumns }),
    v.transform(withCost),
  ),
);

/** The columns of a call that is settled. */
export const SETTLED_COLUMNS = 'token, day, cost, unpriced, spent, model';

export const SettledRow = v.object({
  token: v.string(),
  day: v.number(),
  unpriced: v.number(),
  cost: StoredAmount,
  spent: StoredAmount,
  /** Null for calls of versions that did not record the model. */
  model: v.nullable(v.string()),
});

/** The account of an ended call. */
export type BilledAccount = UsageDay & Pick<StoredAccount, 'held' | 'outputs'>;

/** Returns the values of the columns of a call that has ended in an account. */
export function billedCallColumns(
  account: BilledAccount,
  { provider, model, id, cost, unpriced }: BilledCall,
) {
  const { token, day } = account;
  const spent = spentBy(account, [{ cost, unpriced }]);
  const basis = basisNumber(cost.basis);
  const money = { cost: cost.amount, basis, unpriced, spent };
  return { provider, id, token, day, ...money, model: model ?? null };
}
