/** A range of bytes. Both ends are inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a range of `size` bytes (RFC 9110, section 14.1.2). Returns undefined if the whole is to be sent: no header, a unit
 * other than bytes, or several ranges.
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
  // A number of any length is a valid position: a number too large for a double becomes Infinity, which exceeds every size.
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first >= size || (to !== '' && Number(to) < first)) return 'unsatisfiable';
  return { first, last };
}
