/** A value from this time on. */
export interface Sample {
  /** Unix milliseconds. */
  readonly at: number;
}

const MINUTE_MS = 60_000;

/** How far back the charts look at most. */
export const WINDOW_MS = 15 * MINUTE_MS;

/** How far back to look, in minutes, when nothing is known from before `since`: the little that is known fills the chart. */
export function toWindow(since: number, now: number): 2 | 5 | 15 {
  const known = (now - since) / MINUTE_MS;
  if (known <= 2) return 2;
  return known <= 5 ? 5 : 15;
}

/** More than a chart has pixels for. */
const MOST_SAMPLES = 5000;

/** With one more sample at the end, and without those that no chart shows any more; the newest 5,000 at most. */
export function withSample<T extends Sample>(samples: readonly T[], sample: T): readonly T[] {
  const start = sample.at - WINDOW_MS;
  // The one before the start says how it was then.
  const first = samples.findLastIndex(({ at }) => at <= start);
  return [...samples.slice(Math.max(0, first, samples.length + 1 - MOST_SAMPLES)), sample];
}

/** Something that the bridge numbers. */
interface Numbered {
  readonly sequence: number;
}

/** What was read that came after number `after`, before what is known: the newest first, and the newest `most` of them. */
export function mergeNewest<T extends Numbered>(
  known: readonly T[],
  read: readonly T[],
  after: number,
  most: number,
): readonly T[] {
  return [...read.filter(({ sequence }) => sequence > after), ...known].slice(0, most);
}
