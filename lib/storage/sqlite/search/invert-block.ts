import type { Steps } from '../../../platform/time-slices.ts';
import { BUCKETS, eachBucket, positionOf } from './grams.ts';

/** A job whose prompt is folded. */
export interface FoldedJob {
  readonly sequence: number;
  readonly prompt: string;
}

// Positions in memory at a time: 4 MiB. A block of ordinary prompts needs about this much memory, and a block of the longest
// prompts twenty times as much.
const MAX_POSITIONS = 2 ** 21;
const BUCKETS_PER_STEP = 1024;

/**
 * Calls `use` with the positions of every bucket that is not empty, by ascending bucket. The positions are ascending and
 * without repetitions. The memory is limited for prompts of any length: positions are counted first and then stored for as many
 * buckets at a time as fit. `readJobs` is called at least twice. Each time it must return the same jobs by ascending sequence,
 * except for jobs that were removed meanwhile.
 */
export function* invertBlock(
  readJobs: () => Iterable<readonly FoldedJob[]>,
  use: (bucket: number, positions: Uint16Array) => void,
): Steps<void> {
  const latest = new Uint16Array(BUCKETS);
  const counts = new Uint16Array(BUCKETS);
  yield* eachPosition(readJobs, latest, (bucket) => {
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  });
  const ends = new Uint32Array(BUCKETS);
  for (let from = 0; from < BUCKETS; ) {
    const { to, size } = assignRanges(counts, ends, from);
    const positions = new Uint16Array(size);
    yield* eachPosition(readJobs, latest, (bucket, position) => {
      if (bucket < from || bucket >= to) return;
      const end = ends[bucket] ?? 0;
      positions[end] = position;
      ends[bucket] = end + 1;
    });
    let start = 0;
    for (let bucket = from; bucket < to; bucket += 1) {
      const end = ends[bucket] ?? 0;
      if (end > start) use(bucket, positions.subarray(start, end));
      // The next range begins at its planned place. Jobs that were removed between the passes leave gaps.
      start += counts[bucket] ?? 0;
      if (bucket % BUCKETS_PER_STEP === 0) yield;
    }
    from = to;
  }
}

/** Calls `use` once for each pair of a job and one of its buckets. `latest` is scratch memory. */
function* eachPosition(
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

/** Assigns the start of the range of each bucket from `from` on, for as many buckets as fit. */
function assignRanges(
  counts: Uint16Array,
  ends: Uint32Array,
  from: number,
): { readonly to: number; readonly size: number } {
  let [to, size] = [from, 0];
  while (to < BUCKETS && size + (counts[to] ?? 0) <= MAX_POSITIONS) {
    ends[to] = size;
    size += counts[to] ?? 0;
    to += 1;
  }
  return { to, size };
}
