import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { closedObject, nullable } from '../../../../lib/contract/schema/closed-object.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

const Pair = closedObject({
  left: v.number(),
  right: v.optional(v.number(), 2),
  note: nullable(v.string()),
});

describe('closedObject', () => {
  it('reports every unknown field, not only the first', () => {
    expect(verdictOf(Pair, { left: 1, a: 1, b: 2 })).toEqual([
      'a: unknown_field',
      'b: unknown_field',
    ]);
  });

  it('reports unknown fields together with invalid fields', () => {
    expect(verdictOf(Pair, { left: 'x', a: 1 })).toEqual([
      'a: unknown_field',
      'left: invalid_type',
    ]);
  });

  it('treats null for an optional field as absent', () => {
    expect(outputOf(Pair, { left: 1, right: null, note: null })).toEqual({
      left: 1,
      right: 2,
      note: null,
    });
  });

  it('rejects null for a required field', () => {
    expect(verdictOf(Pair, { left: null })).toEqual(['left: invalid_type']);
  });

  it('shares the defaults of an omitted object, which nobody can change', () => {
    const Defaults = closedObject({ list: v.optional(v.array(v.string()), []) });
    const Outer = closedObject({ inner: v.optional(Defaults, {}) });

    const [first, second] = [outputOf(Outer, {}), outputOf(Outer, { inner: {} })];

    expect([first, second]).toEqual([{ inner: { list: [] } }, { inner: { list: [] } }]);
    expect(() => (first as { inner: { list: string[] } }).inner.list.push('x')).toThrow(TypeError);
  });

  it('reports the missing fields of every empty object', () => {
    expect(verdictOf(Pair, {})).toEqual(['left: required']);
    expect(verdictOf(Pair, {})).toEqual(['left: required']);
  });

  it.each([[[]], [[1]], ['x'], [5], [null], [undefined], [true]])(
    'refuses %j as a whole',
    (value) => {
      expect(verdictOf(Pair, value)).toEqual([': invalid_type']);
    },
  );

  it('lists at most a thousand unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 1]));

    const { issues } = Pair['~run']({ value: { left: 1, ...many } }, {});

    expect(issues).toHaveLength(1000);
  });

  it('does not change its input', () => {
    const input = Object.freeze({ left: 1, right: null });

    outputOf(Pair, input);

    expect(input).toEqual({ left: 1, right: null });
  });
});
