import { describe, expect, it } from 'vitest';
import { parseErrorBody } from '../../../../lib/providers/backend/backend-error.ts';
import { toBackendFailure } from '../../../../lib/providers/backend/backend-failure.ts';

/** An error as a body contains it. */
function errorOf(members: object) {
  const error = parseErrorBody({ error: members });
  if (!error) throw new Error('not an error');
  return error;
}

const NOTHING = {
  code: undefined,
  moderationStage: undefined,
  moderationCategories: [],
  retryAfterMs: undefined,
  resetsInMs: undefined,
};

describe('toBackendFailure', () => {
  it.each([
    [{ code: 'a', type: 'b' }, 'a'],
    [{ code: null, type: 'b' }, 'b'],
    [{ code: '', type: 'b' }, 'b'],
    [{ code: 429, type: 'b' }, 'b'],
    [{ type: 'b' }, 'b'],
    [{ message: 'words' }, undefined],
  ])('finds the code of %o', (members, code) => {
    const type = 'type' in members ? members.type : undefined;

    expect(toBackendFailure([errorOf(members)])).toEqual({ ...NOTHING, code, type });
  });

  it('takes each member from the first error that has it', () => {
    const nested = errorOf({ type: 'nested', moderation_stage: 'input' });
    const outer = errorOf({ code: 'outer', moderation_stage: 'output', resets_in_seconds: 2 });

    expect(toBackendFailure([nested, outer])).toEqual({
      ...NOTHING,
      code: 'outer',
      type: 'nested',
      moderationStage: 'input',
      resetsInMs: 2000,
    });
  });

  it.each([
    [0, 0],
    [1.2345, 1235],
    [1_000_000_000, 1_000_000_000_000],
    [1e300, undefined],
    [-1, undefined],
    ['60', undefined],
    [null, undefined],
  ])('takes %j seconds for %s ms', (resets_in_seconds, resetsInMs) => {
    const failure = toBackendFailure([errorOf({ code: 'x', resets_in_seconds })]);

    expect(failure.resetsInMs).toBe(resetsInMs);
  });

  it('knows nothing where there is no error', () => {
    expect(toBackendFailure([], 1000)).toEqual({ ...NOTHING, retryAfterMs: 1000 });
  });
});

describe('parseErrorBody', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a word', 'error'],
    ['an error that is a word', { error: 'invalid_grant' }],
    ['an error that is null', { error: null }],
  ])('finds no error in %s', (_name, value) => {
    expect(parseErrorBody(value)).toBeUndefined();
  });
});
