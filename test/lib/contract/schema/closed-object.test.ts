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
  it('reports every unknown field, not just the first', () => {
    expect(verdictOf(Pair, { left: 1, a: 1, b: 2 })).toEqual([
      'a: unknown_field',
      'b: unknown_field',
    ]);
  });

  it('reports unknown fields beside faulty ones', () => {
    expect(verdictOf(Pair, { left: 'x', a: 1 })).toEqual([
      'a: unknown_field',
      'left: invalid_type',
    ]);
  });

  it('takes null for an optional field as its absence', () => {
    expect(outputOf(Pair, { left: 1, right: null, note: null })).toEqual({
      left: 1,
      right: 2,
      note: null,
    });
  });

  it('refuses null for a required field', () => {
    expect(verdictOf(Pair, { left: null })).toEqual(['left: invalid_type']);
  });

  it.each([[[]], [[1]], ['x'], [5], [null], [undefined], [true]])(
    'refuses %j as a whole',
    (value) => {
      expect(verdictOf(Pair, value)).toEqual([': invalid_type']);
    },
  );

  it('stops listing unknown fields at a thousand', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 1]));

    const { issues } = Pair['~run']({ value: { left: 1, ...many } }, {});

    expect(issues).toHaveLength(1000);
  });

  it('leaves its input as it was', () => {
    const input = Object.freeze({ left: 1, right: null });

    outputOf(Pair, input);

    expect(input).toEqual({ left: 1, right: null });
  });
});
