/** Replaces the bytes from `start` up to `end` with `insert`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: Buffer;
}

export const NOTHING = Buffer.alloc(0);

/** By how many bytes the edits change the length. */
export function growth(edits: readonly Edit[]): number {
  return edits.reduce((sum, { start, end, insert }) => sum + insert.length - (end - start), 0);
}

/** The edited bytes, each copied once. The edits may come in any order and touch, but not overlap. */
export function splice(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, insert } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), insert);
    at = end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}
