/** Both ends belong to the range. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * One range of `size` bytes (RFC 9110, 14.1.2). Undefined when the whole is to be sent: no header, another unit, or
 * several ranges.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  if (header === undefined || !/^bytes\s*=/i.test(header)) return undefined;
  const spec = header.slice(header.indexOf('=') + 1).trim();
  if (spec.includes(',')) return undefined;
  const match = /^(\d*)-(\d*)$/.exec(spec);
  const [from, to] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (!match || (from === '' && to === '')) return 'unsatisfiable';
  // A number of any length is a position: one too large for a double becomes Infinity, which is beyond every end.
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first >= size || (to !== '' && Number(to) < first)) return 'unsatisfiable';
  return { first, last };
}
