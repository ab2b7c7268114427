import * as v from 'valibot';
import {
  type Amount,
  amountText,
  COST_BASES,
  type CostBasis,
  sumCosts,
} from '../contract/reply/cost.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type {
  ProviderCounts,
  Reservation,
  UsageDay,
} from '../generation/ledger/ledger-store-port.ts';
import { DAY_MS, dateOf } from '../platform/days.ts';
import type { StoredAccount } from './accounts.ts';

/**
 * An amount of money in a column. The drivers return numbers, which are exact up to 900,719 US dollars; a larger sum is rounded to
 * 10^-7 US dollars.
 */
export const StoredAmount = v.pipe(
  v.number(),
  v.transform((units) => BigInt(units)),
);

/** The columns of a reservation of money, in the account of a request and in a queued job. */
export const HELD_COLUMNS = 'held, budget_per_day, budget_per_month';

/** Converts these columns. */
export const HeldColumns = {
  held: StoredAmount,
  budget_per_day: v.nullable(StoredAmount),
  budget_per_month: v.nullable(StoredAmount),
};

/** Returns the values of these columns. */
export function heldColumns({ budget }: Pick<Reservation, 'budget'>) {
  return {
    held: budget?.held ?? 0n,
    budgetPerDay: budget?.perDay ?? null,
    budgetPerMonth: budget?.perMonth ?? null,
  };
}

/** The budget of a token for spending that is charged to a day. */
export interface SpendingLimit extends UsageDay, Partial<Pick<Reservation, 'retryAfterMs'>> {
  readonly perDay?: Amount | undefined;
  readonly perMonth?: Amount | undefined;
}

/** Returns true if a day or a month is limited. */
export function hasBudget({ perDay, perMonth }: SpendingLimit): boolean {
  return perDay !== undefined || perMonth !== undefined;
}

/** Returns the limits with which an account was opened. */
export function limitOf(account: StoredAccount): SpendingLimit {
  const { budget_per_day, budget_per_month } = account;
  return {
    ...account,
    perDay: budget_per_day ?? undefined,
    perMonth: budget_per_month ?? undefined,
  };
}

/** Returns the periods in which the spending of a day counts: the day and its month, such as 2026-11-24 and 2026-11. */
export function periodsOf({ day }: Pick<UsageDay, 'day'>): readonly [day: string, month: string] {
  const date = dateOf(day);
  return [date, date.slice(0, 7)];
}

/** The amounts that are spent or reserved in the periods of a day. */
export interface Spent {
  readonly day: Amount;
  readonly month: Amount;
}

/** Returns the amount by which an account with a budget must raise its reservation, so that the reservation is `needed`. */
export function missingAmount(account: StoredAccount, needed: Amount | undefined): Amount {
  if (needed === undefined || !hasBudget(limitOf(account))) return 0n;
  return needed > account.held ? needed - account.held : 0n;
}

/** Throws `rate_limited` if `amount` more than the spent amounts would exceed a budget. */
export function refuseBeyondBudget(limit: SpendingLimit, spent: Spent, amount: Amount): void {
  // Work that costs nothing is allowed even if a budget was exceeded or lowered.
  if (amount <= 0n) return;
  for (const period of ['day', 'month'] as const) {
    const budget = period === 'day' ? limit.perDay : limit.perMonth;
    if (budget === undefined || spent[period] + amount <= budget) continue;
    const remaining = budget - spent[period];
    throw new BridgeError(
      'rate_limited',
      period === 'day' ? 'daily budget exceeded' : 'monthly budget exceeded',
      {
        details: {
          reason: 'budget',
          period,
          budget: amountText(budget),
          remaining: amountText(remaining < 0n ? 0n : remaining),
          needed: amountText(amount),
          retry_after_ms: retryAfterMs(limit, period),
        },
      },
    );
  }
}

/**
 * Returns the amount that ended calls charge to a budget. An output whose cost is unknown keeps its share of the reservation, which
 * is rounded up.
 */
export function spentBy(
  { held, outputs }: Pick<StoredAccount, 'held' | 'outputs'>,
  counts: readonly Pick<ProviderCounts, 'cost' | 'unpriced'>[],
): Amount {
  const known = sumCosts(counts.map(({ cost }) => cost)).amount;
  const unpriced = BigInt(counts.reduce((sum, count) => sum + count.unpriced, 0));
  const all = BigInt(Math.max(1, outputs));
  return known + (held * unpriced + all - 1n) / all;
}

/** Returns the number of a basis in the database. A weaker basis has a greater number. */
export function basisNumber(basis: CostBasis): number {
  return COST_BASES.indexOf(basis);
}

/** Converts the columns of a cost. */
export const CostColumns = {
  cost: StoredAmount,
  basis: v.pipe(
    v.number(),
    v.transform((number) => COST_BASES[number] ?? 'unknown'),
  ),
};

interface RowWithCost {
  readonly cost: Amount;
  readonly basis: CostBasis;
}

/** Returns a row in which one cost replaces the columns of the cost. */
export function withCost<Row extends RowWithCost>({ cost: amount, basis, ...row }: Row) {
  return { ...row, cost: { amount, basis } };
}

function retryAfterMs(
  { day, retryAfterMs: untilDayMs = 0 }: SpendingLimit,
  period: 'day' | 'month',
) {
  if (period === 'day') return untilDayMs;
  const date = new Date(day * DAY_MS);
  const nextMonthMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return nextMonthMs - (day + 1) * DAY_MS + untilDayMs;
}
