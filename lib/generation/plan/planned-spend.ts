import { BridgeError } from '../../errors/bridge-error.ts';
import type { PriceList } from '../../prices/price-list.ts';
import type { PlannedSpend } from '../ledger/rows.ts';
import type { Plan } from './plan.ts';

/** Returns the cost of a request on its most expensive route. Routes that reject the request cost nothing. */
export function plannedSpend(
  plans: readonly (Plan | BridgeError)[],
  prices: Pick<PriceList, 'plan'>,
): PlannedSpend {
  const amounts = plans.flatMap((plan) =>
    plan instanceof BridgeError ? [] : [prices.plan(plan.ask.priced).amount],
  );
  return {
    amount: amounts.reduce<bigint>((most, one = 0n) => (one > most ? one : most), 0n),
    isUnknown: amounts.includes(undefined),
  };
}
