import type { UsageReport } from '../../api/schemas.ts';
import { knownDollars } from '../../money/money.ts';

type Day = UsageReport['items'][number];

/** The number of days that the chart shows. */
export const CHART_DAYS = 14;
/** The number of providers that have a colour of their own. The others share one. */
const MOST_NAMED = 2;
const DAY_MS = 86_400_000;

/** One day of the chart. */
export interface UsageBar {
  /** The day in UTC, such as 2026-11-22. */
  readonly day: string;
  readonly total: number;
  /** The parts of the named providers in order, then of all others. */
  readonly parts: readonly number[];
}

export interface UsageBars {
  /** `cost` if an amount is known for one of the days, otherwise `images`. */
  readonly measure: 'cost' | 'images';
  /** The providers with the largest parts, largest first. */
  readonly names: readonly string[];
  readonly hasOthers: boolean;
  /** The bars from the earliest day to today. */
  readonly bars: readonly UsageBar[];
}

/** Returns the costs or the images of the last days, by provider. Days without images have empty bars. `now` is in Unix milliseconds. */
export function toUsageBars(items: readonly Day[], now: number): UsageBars {
  const known = new Map(items.map((item) => [item.day, item]));
  const days = Array.from({ length: CHART_DAYS }, (_, index) => {
    const day = new Date(now - (CHART_DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, providers: known.get(day)?.by_provider ?? {} };
  });
  const all = days.flatMap(({ providers }) => Object.entries(providers));
  const measure = all.some(([, { cost }]) => knownDollars(cost) > 0) ? 'cost' : 'images';
  const toValue = (count: Day['by_provider'][string] | undefined) =>
    count === undefined ? 0 : measure === 'cost' ? knownDollars(count.cost) : count.images;
  const sums = new Map<string, number>();
  for (const [name, count] of all) sums.set(name, (sums.get(name) ?? 0) + toValue(count));
  const ordered = [...sums]
    .filter(([, sum]) => sum > 0)
    .toSorted(([, one], [, two]) => two - one)
    .map(([name]) => name);
  const names = ordered.slice(0, MOST_NAMED);
  const others = ordered.slice(MOST_NAMED);
  return {
    measure,
    names,
    hasOthers: others.length > 0,
    bars: days.map(({ day, providers }) => {
      const own = names.map((name) => toValue(providers[name]));
      const rest = others.reduce((sum, name) => sum + toValue(providers[name]), 0);
      const parts = others.length > 0 ? [...own, rest] : own;
      return { day, parts, total: parts.reduce((sum, part) => sum + part, 0) };
    }),
  };
}
