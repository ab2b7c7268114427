import { BLOCK_JOBS } from './grams.ts';

/** A set of positions in a block: bit `p & 7` of byte `p >> 3`. */
export type Positions = Uint8Array;

const SET_BYTES = BLOCK_JOBS / 8;

/**
 * Encodes ascending positions without repetitions as a posting: either two bytes (little-endian) for each position, or the set,
 * whichever is shorter.
 */
export function encodePosting(positions: Uint16Array): Uint8Array {
  if (positions.length * 2 >= SET_BYTES) return toSet(positions);
  const list = new DataView(new ArrayBuffer(positions.length * 2));
  for (const [at, position] of positions.entries()) list.setUint16(at * 2, position, true);
  return new Uint8Array(list.buffer);
}

/** Decodes a posting to a set, which may be `stored` itself. Returns undefined if the posting is invalid. */
export function decodePosting(stored: Uint8Array): Positions | undefined {
  if (stored.length === SET_BYTES) return stored;
  if (stored.length > SET_BYTES || stored.length % 2 === 1) return undefined;
  const list = new DataView(stored.buffer, stored.byteOffset, stored.length);
  const positions: number[] = [];
  for (let at = 0; at < stored.length; at += 2) positions.push(list.getUint16(at, true));
  return positions.every((position) => position < BLOCK_JOBS) ? toSet(positions) : undefined;
}

/** Removes from `kept` the members that are not in `other`. Returns the number of bytes of `kept` that still have members. */
export function intersect(kept: Positions, other: Positions): number {
  let left = 0;
  for (let at = 0; at < SET_BYTES; at += 1) {
    const both = (kept[at] ?? 0) & (other[at] ?? 0);
    kept[at] = both;
    if (both !== 0) left += 1;
  }
  return left;
}

/** Returns the greatest member that is at most `position`, or undefined if there is none. */
export function lastMember(positions: Positions, position: number): number | undefined {
  let at = position >> 3;
  let bits = (positions[at] ?? 0) & (0xff >> (7 - (position & 7)));
  while (bits === 0 && at > 0) {
    at -= 1;
    bits = positions[at] ?? 0;
  }
  return bits === 0 ? undefined : at * 8 + 31 - Math.clz32(bits);
}

/** Returns the least member that is at least `position`, or undefined if there is none. */
export function firstMember(positions: Positions, position: number): number | undefined {
  let at = position >> 3;
  let bits = (positions[at] ?? 0) & (0xff << (position & 7));
  while (bits === 0 && at < SET_BYTES - 1) {
    at += 1;
    bits = positions[at] ?? 0;
  }
  return bits === 0 ? undefined : at * 8 + 31 - Math.clz32(bits & -bits);
}

export function toSet(members: Iterable<number>): Positions {
  const set = new Uint8Array(SET_BYTES);
  for (const member of members) set[member >> 3] = (set[member >> 3] ?? 0) | (1 << (member & 7));
  return set;
}
