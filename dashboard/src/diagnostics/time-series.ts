/** A value that holds from a point in time on. */
export interface Sample {
  /** Unix milliseconds. */
  readonly at: number;
}

const MINUTE_MS = 60_000;

/** The longest period that a chart shows. */
export const WINDOW_MS = 15 * MINUTE_MS;

/**
 * Returns the period to show, in minutes. Nothing is known from before `since`, so a short history fills the whole
 * chart.
 */
export function toWindow(since: number, now: number): 2 | 5 | 15 {
  const known = (now - since) / MINUTE_MS;
  if (known <= 2) return 2;
  return known <= 5 ? 5 : 15;
}

/** More samples than a chart has pixels. */
const MOST_SAMPLES = 5000;

/** Appends a sample, and removes the samples that no chart shows any more. Keeps at most the newest 5,000. */
export function withSample<T extends Sample>(samples: readonly T[], sample: T): readonly T[] {
  const start = sample.at - WINDOW_MS;
  // The last sample before the start gives the value at the start.
  const first = samples.findLastIndex(({ at }) => at <= start);
  return [...samples.slice(Math.max(0, first, samples.length + 1 - MOST_SAMPLES)), sample];
}

/** A record that the bridge numbers. */
interface Numbered {
  readonly sequence: number;
}

/**
 * Prepends the records read after number `after` to the known ones. Returns them newest first, and at most `most` of
 * them.
 */
export function mergeNewest<T extends Numbered>(
  known: readonly T[],
  read: readonly T[],
  after: number,
  most: number,
): readonly T[] {
  return [...read.filter(({ sequence }) => sequence > after), ...known].slice(0, most);
}
