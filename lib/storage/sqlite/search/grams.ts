/** The number of jobs in a block of the index. Blocks follow the order of acceptance. */
export const BLOCK_JOBS = 4096;

const HASH_BITS = 20;
// Each single unit has its own bucket, above the hashes of pairs and triples.
const FIRST_UNIT_BUCKET = 2 ** HASH_BITS;
/** The number of buckets. A gram is one, two or three UTF-16 units in a row, and belongs to one bucket. */
export const BUCKETS = FIRST_UNIT_BUCKET + 2 ** 16;

// The maximum number of buckets in a search, enough for a sentence. Fewer buckets are safe, because every candidate is verified
// against its prompt.
const MAX_BUCKETS = 32;

export function blockOf(sequence: number): number {
  return Math.floor(sequence / BLOCK_JOBS);
}

export function blockStart(block: number): number {
  return block * BLOCK_JOBS;
}

export function positionOf(sequence: number): number {
  return sequence % BLOCK_JOBS;
}

/** Calls `use` with the buckets of all grams of a folded prompt, repetitions included. */
export function eachBucket(folded: string, use: (bucket: number) => void): void {
  let [before, last] = [-1, -1];
  for (let at = 0; at < folded.length; at += 1) {
    const unit = folded.charCodeAt(at);
    use(FIRST_UNIT_BUCKET + unit);
    if (last !== -1) use(pairBucket(last, unit));
    if (before !== -1) use(tripleBucket(before, last, unit));
    [before, last] = [last, unit];
  }
}

/**
 * Returns buckets that contain every prompt with all of these folded texts, without repetitions. Prompts without the texts may be
 * in all of these buckets too, because different grams may share a bucket, and grams may be at different places in a prompt.
 */
export function bucketsOf(texts: readonly string[]): number[] {
  // The buckets are sorted by hash, so that the first buckets come from all parts of the texts.
  const buckets = [...new Set(texts.flatMap(bucketsOfText))].sort((one, other) => one - other);
  return buckets.slice(0, MAX_BUCKETS);
}

function bucketsOfText(text: string): readonly number[] {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const [first = 0, second = 0] = units;
  if (units.length === 1) return [FIRST_UNIT_BUCKET + first];
  if (units.length === 2) return [pairBucket(first, second)];
  return units.slice(2).map((unit, at) => tripleBucket(units[at] ?? 0, units[at + 1] ?? 0, unit));
}

function pairBucket(first: number, second: number): number {
  return hashed(first | (second << 16));
}

function tripleBucket(first: number, second: number, third: number): number {
  return hashed(Math.imul(first | (second << 16), 0x9e3779b1) + third + 1);
}

// The finalizer of MurmurHash3: similar values get different hashes.
function hashed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> (32 - HASH_BITS);
}
