import type { UsageReport } from '../../api/schemas.ts';
import { knownDollars } from '../../money/money.ts';
import { type ModelName, modelKey } from '../../usage/sum-by-model.ts';

type Day = UsageReport['items'][number];
type Entry = Day['by_model'][number];

/** The bars of a chart and the number of days of each bar. */
export const SPANS = {
  days: { bars: 14, days: 1 },
  weeks: { bars: 12, days: 7 },
} as const;
export type Span = keyof typeof SPANS;

/** The number of models that have a colour of their own. The others share one. */
const MAX_NAMED = 2;
const DAY_MS = 86_400_000;

/** One day or week of the chart. */
export interface UsageBar {
  /** The first day in UTC, such as 2026-11-22. */
  readonly day: string;
  readonly total: number;
  /** The parts of the named models in order, then of all others. */
  readonly parts: readonly number[];
}

export interface UsageBars {
  /** `cost` if an amount is known for one of the days, otherwise `images`. */
  readonly measure: 'cost' | 'images';
  /** The models with the largest parts, largest first. */
  readonly names: readonly ModelName[];
  readonly hasOthers: boolean;
  /** The bars from the earliest day to today. */
  readonly bars: readonly UsageBar[];
}

/** Returns the first day of a span that ends today. `now` is in Unix milliseconds. */
export function firstDay(span: Span, now: number): string {
  const { bars, days } = SPANS[span];
  return toDay(now - (bars * days - 1) * DAY_MS);
}

/** Returns the costs or the images of the span, by model. Bars without images are empty. `now` is in Unix milliseconds. */
export function toUsageBars(items: readonly Day[], span: Span, now: number): UsageBars {
  const { bars: count, days } = SPANS[span];
  const known = new Map(items.map((item) => [item.day, item.by_model]));
  const spans = Array.from({ length: count }, (_, index) => {
    const firstMs = now - ((count - index) * days - 1) * DAY_MS;
    const own = Array.from({ length: days }, (_each, nth) => toDay(firstMs + nth * DAY_MS));
    return { day: toDay(firstMs), models: own.flatMap((day) => known.get(day) ?? []) };
  });
  const all = spans.flatMap(({ models }) => models);
  const measure = all.some(({ cost }) => knownDollars(cost) > 0) ? 'cost' : 'images';
  const toValue = ({ cost, images }: Entry) => (measure === 'cost' ? knownDollars(cost) : images);
  const sumOf = (entries: readonly Entry[]) =>
    entries.reduce((sum, entry) => sum + toValue(entry), 0);
  const ordered = [...Map.groupBy(all, modelKey)]
    .map(([key, own]) => ({ key, sum: sumOf(own), name: own[0] }))
    .filter(({ sum }) => sum > 0)
    .toSorted((one, two) => two.sum - one.sum);
  const named = ordered.filter(({ name }) => name?.model !== undefined).slice(0, MAX_NAMED);
  const keys = named.map(({ key }) => key);
  const hasOthers = ordered.length > named.length;
  return {
    measure,
    names: named.flatMap(({ name }) => name ?? []),
    hasOthers,
    bars: spans.map(({ day, models }) => {
      const own = keys.map((key) => sumOf(models.filter((entry) => modelKey(entry) === key)));
      const rest = sumOf(models.filter((entry) => !keys.includes(modelKey(entry))));
      const parts = hasOthers ? [...own, rest] : own;
      return { day, parts, total: parts.reduce((sum, part) => sum + part, 0) };
    }),
  };
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
