import type { JobWork, QueueOutlook } from './queue-store-port.ts';

/** The usual duration is the median of at most this number of the latest durations of equal jobs. */
const MAX_DURATIONS = 20;
/** With fewer durations, no usual duration is known. */
const MIN_DURATIONS = 5;
/** The position after which no start is estimated. */
const LAST_ESTIMATE = 10_000;

/**
 * Returns the positions of the first `count` queued jobs of a scope among the queued jobs of all scopes, from 1. Each scope starts one
 * job in its turn.
 */
export function positionsOf(
  scope: string,
  count: number,
  turns: QueueOutlook['turns'],
): readonly number[] {
  const own = turns.findIndex((turn) => turn.scope === scope);
  return Array.from({ length: count }, (_, nth) => {
    const earlier = turns.reduce((sum, { queued }, index) => {
      if (index === own) return sum;
      // A scope before the own scope has one more turn.
      return sum + Math.min(queued, index < own ? nth + 1 : nth);
    }, 0);
    return earlier + nth + 1;
  });
}

/** Returns the usual duration of a job in seconds. Returns undefined if too few durations are known. */
export type UsualSecs = (work: JobWork) => number | undefined;

/** Returns the usual duration of equal jobs as a function, and the usual duration of any job. */
export function usualDurations(ended: QueueOutlook['ended']): {
  readonly ofWork: UsualSecs;
  readonly ofAny: number | undefined;
} {
  const durations = new Map<string, number[]>();
  for (const { secs, ...work } of ended) {
    const known = durations.get(keyOf(work)) ?? [];
    if (known.length < MAX_DURATIONS) known.push(secs);
    durations.set(keyOf(work), known);
  }
  const medians = new Map([...durations].map(([key, known]) => [key, medianOf(known)]));
  return {
    ofWork: (work) => medians.get(keyOf(work)),
    ofAny: medianOf(ended.slice(0, MAX_DURATIONS).map(({ secs }) => secs)),
  };
}

function keyOf({ provider, model, size, outputs }: JobWork): string {
  return JSON.stringify([provider, model, size, outputs]);
}

function medianOf(durations: readonly number[]): number | undefined {
  if (durations.length < MIN_DURATIONS) return undefined;
  const sorted = durations.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** The seconds from now until a job starts and until it ends. */
export interface EstimatedRun {
  readonly startsIn: number;
  readonly endsIn: number;
}

/**
 * Estimates the runs of the own queued jobs, in their order, by letting each job start when a place becomes free. Jobs of other scopes
 * take the usual duration of any job. Returns an empty list if that duration is not known or no job runs here.
 */
export function estimateRuns(
  {
    positions,
    durations,
    usual,
  }: {
    /** The positions of the own jobs, ascending. */
    readonly positions: readonly number[];
    /** The usual durations of the own jobs. */
    readonly durations: readonly (number | undefined)[];
    /** The usual duration of any job. */
    readonly usual: number | undefined;
  },
  /** The seconds until each of the running jobs ends. */
  running: readonly number[],
  places: number,
): readonly EstimatedRun[] {
  const size = Math.max(places, running.length);
  if (usual === undefined || size === 0) return [];
  const free = [...running, ...new Array<number>(size - running.length).fill(0)];
  const runs: EstimatedRun[] = [];
  const last = Math.min(positions.at(-1) ?? 0, LAST_ESTIMATE);
  for (let position = 1; position <= last; position += 1) {
    const isOwn = positions[runs.length] === position;
    const place = indexOfLeast(free);
    const startsIn = free[place] ?? 0;
    const endsIn = startsIn + ((isOwn ? durations[runs.length] : undefined) ?? usual);
    free[place] = endsIn;
    if (isOwn) runs.push({ startsIn, endsIn });
  }
  return runs;
}

function indexOfLeast(values: readonly number[]): number {
  return values.reduce((least, value, index) => (value < (values[least] ?? 0) ? index : least), 0);
}
