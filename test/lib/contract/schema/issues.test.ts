import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { closedObject } from '../../../../lib/contract/schema/closed-object.ts';
import { coded, invalidField, invalidRequest } from '../../../../lib/contract/schema/issues.ts';
import { limitedList } from '../../../../lib/contract/schema/request-limits.ts';
import { issuesOf } from '../verdict-of.ts';

const Shape = v.variant('kind', [
  closedObject({ kind: v.literal('a'), size: v.pipe(v.number(), v.integer()) }),
  closedObject({ kind: v.literal('b'), list: v.array(v.string()) }),
]);

describe('toRequestIssues', () => {
  it.each([
    ['a missing discriminator', {}, 'kind', 'required', 'is required'],
    ['an unknown discriminator', { kind: 'c' }, 'kind', 'invalid_value', 'must be ("a" | "b")'],
    ['a list in place of an object', 'x', '', 'invalid_type', 'must be an object'],
    ['a fraction', { kind: 'a', size: 1.5 }, 'size', 'out_of_range', 'must be a whole number'],
    [
      'an item of the wrong type',
      { kind: 'b', list: ['x', 5] },
      'list[1]',
      'invalid_type',
      'must be a string',
    ],
    ['a missing member', { kind: 'b' }, 'list', 'required', 'is required'],
  ])('names field, code and message of %s', (_name, value, field, code, message) => {
    expect(issuesOf(Shape, value)).toEqual([{ field, code, message }]);
  });

  it.each([
    ['a.b', '["a.b"]'],
    ['a"b', '["a\\"b"]'],
    ['', '[""]'],
    ['\ud83d', '["\\ud83d"]'],
    ['a\u0000', '["a\\u0000"]'],
  ])('quotes the field name %j', (key, field) => {
    expect(issuesOf(closedObject({}), { [key]: 1 })[0]?.field).toBe(field);
  });

  it.each([
    ['k'.repeat(500)],
    [`${'\u0001'.repeat(40)}${'🐈'.repeat(100)}`],
    [`${'k'.repeat(63)}🐈`],
  ])('truncates long field names without splitting a character', (key) => {
    const field = issuesOf(closedObject({}), { [key]: 1 })[0]?.field ?? '';

    expect(field.length).toBeLessThanOrEqual(256);
    expect(field.isWellFormed()).toBe(true);
  });
});

describe('the message of a bound', () => {
  it.each<[string, v.GenericSchema, unknown]>([
    ['must be at least 1', v.pipe(v.number(), v.minValue(1)), 0],
    ['must be at most 4096', v.pipe(v.number(), v.maxValue(4096)), 4097],
    ['must have at least 1 item', v.pipe(v.array(v.number()), v.minLength(1)), []],
    ['must have at most 2 items', v.pipe(v.array(v.number()), v.maxLength(2)), [1, 2, 3]],
    ['must have at most 10 items', limitedList(v.number(), 10), Array(11).fill(1)],
    ['must have at least 2 characters', v.pipe(v.string(), v.minLength(2)), 'a'],
    ['must have at most 1 character', v.pipe(v.string(), v.maxLength(1)), 'ab'],
    ['must have at most 3 bytes', v.pipe(v.string(), v.maxBytes(3)), 'abcd'],
    ['must have at least 1 byte', v.pipe(v.string(), v.minBytes(1)), ''],
    ['must not be empty', v.pipe(v.string(), v.nonEmpty()), ''],
  ])('says: %s', (message, schema, value) => {
    expect(issuesOf(schema, value)).toMatchObject([{ message }]);
  });
});

describe('invalidRequest', () => {
  it('has no param when the request fails as a whole', () => {
    const error = invalidRequest([
      { field: '', code: 'invalid_type', message: 'must be an object' },
    ]);

    expect(error.param).toBeNull();
  });

  it('sorts by field and then by code', () => {
    const issue = (field: string, code: string) => ({ field, code, message: 'x' });

    const error = invalidRequest([issue('b', 'z'), issue('a', 'y'), issue('a', 'x')]);

    expect(error.details['issues']).toEqual([issue('a', 'x'), issue('a', 'y'), issue('b', 'z')]);
    expect(error.param).toBe('a');
  });
});

describe('invalidField', () => {
  it('returns one issue with an explicit code', () => {
    const error = invalidField('routing.provider', 'unknown_provider', 'must be registered');

    expect(error.code).toBe('invalid_request');
    expect(error.details['issues']).toEqual([
      { field: 'routing.provider', code: 'unknown_provider', message: 'must be registered' },
    ]);
  });
});

describe('coded', () => {
  it('assigns an explicit code to an issue', () => {
    const Even = v.pipe(
      v.number(),
      v.check((n) => n % 2 === 0, coded('odd', 'must be even')),
    );

    expect(issuesOf(Even, 3)).toEqual([{ field: '', code: 'odd', message: 'must be even' }]);
  });
});
