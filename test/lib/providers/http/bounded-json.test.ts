import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWithin,
  jsonMembers,
  parseBounded,
} from '../../../../lib/providers/http/bounded-json.ts';

const NONE = { maxNames: 0, maxNested: 0 };

function counted(value: unknown): { names: number; nested: number } {
  if (typeof value !== 'object' || value === null) return { names: 0, nested: 0 };
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  const inner = Object.values(value).map(counted);
  return {
    names: inner.reduce((sum, { names }) => sum + names, own),
    nested: inner.reduce((sum, { nested }) => sum + nested, 1),
  };
}

describe('isWithin', () => {
  it('counts the member names, objects and arrays of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = Buffer.from(JSON.stringify(value, undefined, indent));
        const { names, nested } = counted(value);

        expect(isWithin(text, { maxNames: names, maxNested: nested })).toBe(true);
        expect(isWithin(text, NONE)).toBe(names === 0 && nested === 0);
        if (names > 0) expect(isWithin(text, { maxNames: names - 1, maxNested: 0 })).toBe(false);
      }),
    );
  });

  it('ignores brackets and colons inside strings', () => {
    const text = JSON.stringify(['{"a":[', '\\', '\\"{:[', '":']);

    expect(isWithin(Buffer.from(text), { maxNames: 0, maxNested: 1 })).toBe(true);
  });
});

describe('jsonMembers', () => {
  it('returns the same members as JSON.parse for any object', () => {
    const name = fc.string().filter((text) => JSON.stringify(text) === `"${text}"`);
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }),
        fc.constantFrom(undefined, 1),
        (value, indent) => {
          const members = jsonMembers(
            Buffer.from(JSON.stringify(value, undefined, indent)),
            Object.keys(value).length,
          );

          const parsed = [...(members ?? [])].map(([key, text]) => [key, JSON.parse(`${text}`)]);
          expect(Object.fromEntries(parsed)).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
    );
  });

  it.each(['[1]', '1', '', '{', '{"a":1', '"{}"'])('returns undefined for %s', (text) => {
    expect(jsonMembers(Buffer.from(text), 10)).toBeUndefined();
  });

  it('returns undefined for an object with too many members', () => {
    expect(jsonMembers(Buffer.from('{"a":1,"b":2}'), 2)?.size).toBe(2);
    expect(jsonMembers(Buffer.from('{"a":1,"b":2}'), 1)).toBeUndefined();
  });
});

describe('parseBounded', () => {
  it('parses a text within the bounds and returns undefined for other texts', () => {
    const text = Buffer.from(JSON.stringify(Object.fromEntries(Array(100).fill(1).entries())));

    expect(parseBounded(text, { maxNames: 100, maxNested: 1 })).toEqual(JSON.parse(`${text}`));
    expect(parseBounded(text, { maxNames: 99, maxNested: 1 })).toBeUndefined();
    expect(parseBounded(Buffer.from('{'), { maxNames: 99, maxNested: 1 })).toBeUndefined();
  });
});
