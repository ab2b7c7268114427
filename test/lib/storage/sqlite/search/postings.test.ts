import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodePosting,
  encodePosting,
  firstMember,
  intersect,
  lastMember,
  type Positions,
  toSet,
} from '../../../../../lib/storage/sqlite/search/postings.ts';

const LAST = 4095;
const someMembers = fc
  .uniqueArray(fc.nat(LAST), { maxLength: 600 })
  .map((members) => members.sort((a, b) => a - b));

function membersOf(set: Positions): number[] {
  const members: number[] = [];
  for (let at = lastMember(set, LAST); at !== undefined; at = lastMember(set, at - 1)) {
    members.unshift(at);
    if (at === 0) break;
  }
  return members;
}

describe('postings', () => {
  test('encoded postings decode to the same positions, and have at most 512 bytes', () => {
    fc.assert(
      fc.property(someMembers, (members) => {
        const stored = encodePosting(Uint16Array.from(members));

        expect(stored.length).toBe(Math.min(members.length * 2, 512));
        expect(membersOf(decodePosting(stored) ?? new Uint8Array())).toEqual(members);
      }),
    );
  });

  test.each([
    ['an odd number of bytes', Uint8Array.of(1, 0, 2)],
    ['too many bytes', new Uint8Array(513)],
    ['a position beyond the block', Uint8Array.of(0, 16)],
  ])('%s is not a valid posting', (_, stored) => {
    expect(decodePosting(stored)).toBeUndefined();
  });
});

describe('firstMember', () => {
  test('the first member at or above each position is the least of them', () => {
    fc.assert(
      fc.property(someMembers, fc.nat(LAST), (members, position) => {
        const found = firstMember(toSet(members), position);

        expect(found).toBe(members.find((member) => member >= position));
      }),
    );
  });

  test('an empty posting has no member', () => {
    expect(firstMember(new Uint8Array(), 0)).toBeUndefined();
  });
});

describe('intersect', () => {
  test('the intersection keeps the common members, and counts its bytes that are not zero', () => {
    fc.assert(
      fc.property(someMembers, someMembers, (one, other) => {
        const kept = toSet(one);

        const left = intersect(kept, toSet(other));

        const both = one.filter((member) => other.includes(member));
        expect(membersOf(kept)).toEqual(both);
        expect(left).toBe(new Set(both.map((member) => member >> 3)).size);
      }),
    );
  });
});

describe('lastMember', () => {
  test('the last member is the greatest one up to a position', () => {
    fc.assert(
      fc.property(someMembers, fc.nat(LAST), (members, position) => {
        const expected = members.findLast((member) => member <= position);

        expect(lastMember(toSet(members), position)).toBe(expected);
      }),
    );
  });

  test('an empty set has no last member', () => {
    expect(lastMember(new Uint8Array(), LAST)).toBeUndefined();
  });
});
