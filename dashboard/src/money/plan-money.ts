import type { ImagePlan, UsageReport } from '../api/schemas.ts';
import { isRefused } from '../make/plan-text.ts';

type Route = ImagePlan['routes'][number];
/** The budget of a token, and the amounts that are used. */
export type Budget = NonNullable<UsageReport['caller']['budget']>;

/** The budget of the day or of the month, whichever has less left, in US dollars. */
export interface Left {
  readonly period: 'day' | 'month';
  readonly budget: number;
  readonly left: number;
}

/** The cost of a planned request, and its place in the budget. */
export interface PlanMoney {
  readonly basis: 'exactly' | 'atMost' | 'orFallback' | 'free' | 'unknown';
  /** The cost of the chosen route in US dollars. Undefined if the cost is unknown. */
  readonly amount: number | undefined;
  /** For `orFallback`, the cost of the other route that differs most. */
  readonly other: number | undefined;
  readonly left: Left | undefined;
  /** The amount that each image of unknown cost counts, or `refused`. Undefined without a budget, or for known costs. */
  readonly counted: number | 'refused' | undefined;
  /** True if the bridge would reject the request because of the budget. */
  readonly isBeyond: boolean;
  /** The number of images that the budget still permits. */
  readonly affordable: number;
}

/** Returns the cost of a plan for `count` images. Undefined if the request is rejected for another reason. */
export function toPlanMoney(
  plan: ImagePlan,
  count: number,
  budget: Budget | undefined,
): PlanMoney | undefined {
  const chosen = plan.routes[plan.chosen ?? 0];
  if (chosen === undefined || isRefused(chosen)) return undefined;
  const routes = plan.routes.filter((route) => !isRefused(route));
  const left = budget && leftOf(budget);
  const isUnknown = routes.some((route) => dollarsOf(route) === undefined);
  const counted = budget && isUnknown ? countedOf(budget) : undefined;
  // The bridge reserves the cost of the most expensive route.
  const reserved = Math.max(
    ...routes.map(
      (route) => dollarsOf(route) ?? (typeof counted === 'number' ? counted * count : 0),
    ),
  );
  const isBeyond = counted === 'refused' || (left !== undefined && reserved > left.left);
  const each = reserved / count;
  return {
    ...amountsOf(chosen, routes),
    left,
    counted,
    isBeyond,
    affordable: left && each > 0 ? Math.max(0, Math.floor(left.left / each + 1e-9)) : count,
  };
}

/** Returns the amount that an image of unknown cost counts in the budget, or `refused`. */
export function countedOf({ unknown_cost: rule }: Budget): number | 'refused' {
  return rule === 'refuse' ? 'refused' : Number(rule);
}

/** Returns the cost of the chosen route, and of the fallback whose cost differs most. */
function amountsOf(
  chosen: Route,
  routes: readonly Route[],
): Pick<PlanMoney, 'basis' | 'amount' | 'other'> {
  const amount = dollarsOf(chosen);
  if (amount === undefined) return { basis: 'unknown', amount, other: undefined };
  const others = routes.flatMap((route) => dollarsOf(route) ?? []);
  const other = others
    .filter((each) => each !== amount)
    .toSorted((one, two) => Math.abs(two - amount) - Math.abs(one - amount))[0];
  if (other !== undefined) return { basis: 'orFallback', amount, other };
  if (amount === 0) return { basis: 'free', amount, other };
  return { basis: chosen.cost?.bound === 'at_most' ? 'atMost' : 'exactly', amount, other };
}

/** Returns the cost of a route in US dollars. Undefined if the cost is unknown. */
function dollarsOf({ cost }: Route): number | undefined {
  if (cost?.basis === 'free') return 0;
  return cost?.amount === undefined ? undefined : Number(cost.amount);
}

/** Returns the budget of the day or of the month, whichever has less left. */
export function leftOf(budget: Budget): Left | undefined {
  const { per_day: day, per_month: month, used_today, used_this_month } = budget;
  const lefts: readonly Left[] = [
    ...(day === undefined ? [] : [toLeft('day', day, used_today)]),
    ...(month === undefined ? [] : [toLeft('month', month, used_this_month)]),
  ];
  return lefts.toSorted((one, two) => one.left - two.left)[0];
}

function toLeft(period: Left['period'], budget: string, used: string): Left {
  return { period, budget: Number(budget), left: Math.max(0, Number(budget) - Number(used)) };
}

/** Returns the time in Unix seconds at which a budget resets: the start of the next day or month in UTC. */
export function resetsAt(period: Left['period'], nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return (period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1)) / 1000;
}
