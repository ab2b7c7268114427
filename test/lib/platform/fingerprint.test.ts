import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFingerprint } from '../../../lib/platform/fingerprint.ts';

describe('toFingerprint', () => {
  it('is a SHA-256 in lowercase hexadecimal', () => {
    expect(toFingerprint('createImage', {})).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['the order of members', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['the order of members that look like numbers', { 10: 'a', 9: 'b' }, { 9: 'b', 10: 'a' }],
    ['members that are undefined', { a: 1, b: undefined }, { a: 1 }],
  ])('ignores %s', (_, one, other) => {
    expect(toFingerprint('createImage', one)).toBe(toFingerprint('createImage', other));
  });

  it.each([
    ['a value', { a: 1 }, { a: 2 }],
    ['a type', { a: 1 }, { a: '1' }],
    ['null and nothing', { a: null }, {}],
    ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
    ['a list and an object', { a: [] }, { a: {} }],
    ['pairs and members', { a: [['b', 1]] }, { a: { b: 1 } }],
    ['a list and an object of that name', { a: [1] }, { a: { list: [1] } }],
    ['where a member stands', { a: { b: 1 }, c: {} }, { a: {}, c: { b: 1 } }],
  ])('differs for %s', (_, one, other) => {
    expect(toFingerprint('createImage', one)).not.toBe(toFingerprint('createImage', other));
  });

  it('differs between operations', () => {
    expect(toFingerprint('createImage', {})).not.toBe(toFingerprint('streamImage', {}));
  });

  it('is equal for two values only if the values are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = toFingerprint('x', one) === toFingerprint('x', other);
        expect(isSame).toBe(sorted(one) === sorted(other));
      }),
    );
  });
});

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, it]) => `${JSON.stringify(name)}:${sorted(it)}`,
  );
  return `{${members.sort().join(',')}}`;
}
