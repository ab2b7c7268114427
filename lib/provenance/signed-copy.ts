import type { OutputFormat } from '../contract/request/parameters.ts';

/** The size of a RIFF file, which counts the inserted bytes. */
const RIFF_SIZE = { start: 4, end: 8 } as const;

/**
 * Returns true if `signed` is `unsigned` with bytes inserted at one place, and otherwise the same. The size field of a WebP may
 * differ too.
 */
export function isOnlyInserted(
  unsigned: Uint8Array,
  signed: Uint8Array,
  format: OutputFormat,
): boolean {
  if (signed.length <= unsigned.length) return false;
  const before = withoutSize(unsigned, format);
  const after = withoutSize(signed, format);
  const start = equalBytes(before, after);
  const rest = before.length - start;
  return Buffer.compare(before.subarray(start), after.subarray(after.length - rest)) === 0;
}

function withoutSize(bytes: Uint8Array, format: OutputFormat): Uint8Array {
  return format === 'webp' ? bytes.subarray(RIFF_SIZE.end) : bytes;
}

const BLOCK_BYTES = 65_536;

/** Returns the number of equal bytes at the start of both. */
function equalBytes(one: Uint8Array, other: Uint8Array): number {
  let at = 0;
  const areEqual = (length: number) =>
    Buffer.compare(one.subarray(at, at + length), other.subarray(at, at + length)) === 0;
  while (at + BLOCK_BYTES <= one.length && areEqual(BLOCK_BYTES)) at += BLOCK_BYTES;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
