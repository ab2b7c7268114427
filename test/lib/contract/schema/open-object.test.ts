import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { openObject } from '../../../../lib/contract/schema/open-object.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

const Body = openObject({ prompt: v.string(), n: v.optional(v.number()) });

describe('openObject', () => {
  it('lists unknown fields instead of rejecting them', () => {
    expect(outputOf(Body, { prompt: 'x', style: 'vivid', seed: 1 })).toEqual({
      fields: { prompt: 'x' },
      unknown: ['style', 'seed'],
    });
  });

  it('lists __proto__ and constructor like any other unknown field', () => {
    const body: unknown = JSON.parse('{"prompt":"x","__proto__":{"n":5},"constructor":1}');

    expect(outputOf(Body, body)).toEqual({
      fields: { prompt: 'x' },
      unknown: ['__proto__', 'constructor'],
    });
  });

  it('treats null for an optional field as absent', () => {
    expect(outputOf(Body, { prompt: 'x', n: null })).toEqual({
      fields: { prompt: 'x' },
      unknown: [],
    });
  });

  it.each([
    [{}, ['prompt: required']],
    [{ prompt: 1, n: 'x', more: 1 }, ['n: invalid_type', 'prompt: invalid_type']],
    [[], [': invalid_type']],
    ['x', [': invalid_type']],
    [null, [': invalid_type']],
  ])('checks the known fields in %j', (body, verdict) => {
    expect(verdictOf(Body, body)).toEqual(verdict);
  });
});
