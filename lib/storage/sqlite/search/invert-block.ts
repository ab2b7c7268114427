import type { Steps } from '../../../platform/time-slices.ts';
import { BUCKETS, eachBucket, positionOf } from './grams.ts';

/** A job whose prompt is folded. */
export interface FoldedJob {
  readonly sequence: number;
  readonly prompt: string;
}

// Four megabytes. A block of ordinary prompts has as many or a few more, one of the longest prompts some twenty times.
const MOST_PLACES = 2 ** 21;
const BUCKETS_A_STEP = 1024;

/**
 * Gives the positions of every bucket that is not empty, by ascending bucket; they are ascending and without
 * repetitions. Positions are counted first and then laid side by side, so that memory is bounded whatever the prompts:
 * `readJobs` is called twice or more and must give the same jobs each time, by ascending sequence, but for those that
 * were removed meanwhile.
 */
export function* invertBlock(
  readJobs: () => Iterable<readonly FoldedJob[]>,
  use: (bucket: number, positions: Uint16Array) => void,
): Steps<void> {
  const latest = new Uint16Array(BUCKETS);
  const counts = new Uint16Array(BUCKETS);
  yield* eachPlace(readJobs, latest, (bucket) => {
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  });
  const ends = new Uint32Array(BUCKETS);
  for (let from = 0; from < BUCKETS; ) {
    const { to, places } = layOut(counts, ends, from);
    const positions = new Uint16Array(places);
    yield* eachPlace(readJobs, latest, (bucket, position) => {
      if (bucket < from || bucket >= to) return;
      const end = ends[bucket] ?? 0;
      positions[end] = position;
      ends[bucket] = end + 1;
    });
    let start = 0;
    for (let bucket = from; bucket < to; bucket += 1) {
      const end = ends[bucket] ?? 0;
      if (end > start) use(bucket, positions.subarray(start, end));
      // Where the next one was to begin: jobs that were removed between the readings leave their places empty.
      start += counts[bucket] ?? 0;
      if (bucket % BUCKETS_A_STEP === 0) yield;
    }
    from = to;
  }
}

/** Every bucket that a job is in, once a job. `latest` is scratch. */
function* eachPlace(
  readJobs: () => Iterable<readonly FoldedJob[]>,
  latest: Uint16Array,
  use: (bucket: number, position: number) => void,
): Steps<void> {
  latest.fill(0);
  for (const jobs of readJobs()) {
    for (const { sequence, prompt } of jobs) {
      const position = positionOf(sequence);
      eachBucket(prompt, (bucket) => {
        if (latest[bucket] === position + 1) return;
        latest[bucket] = position + 1;
        use(bucket, position);
      });
    }
    yield;
  }
}

/** Sets where each bucket from `from` on begins, for as many buckets as there are places for. */
function layOut(
  counts: Uint16Array,
  ends: Uint32Array,
  from: number,
): { readonly to: number; readonly places: number } {
  let [to, places] = [from, 0];
  while (to < BUCKETS && places + (counts[to] ?? 0) <= MOST_PLACES) {
    ends[to] = places;
    places += counts[to] ?? 0;
    to += 1;
  }
  return { to, places };
}
