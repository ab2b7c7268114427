import { describe, expect, it } from 'vitest';
import {
  parseErrorBody,
  safetyDetails,
  toBackendFailure,
} from '../../../../lib/providers/backend/failures.ts';
import { agentRequest, inputOf } from '../agent-responses/requests.ts';

/** Returns an error as it appears in a response body. */
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
  ])('returns the code of %o', (members, code) => {
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
  ])('converts %j seconds to %s ms', (resets_in_seconds, resetsInMs) => {
    const failure = toBackendFailure([errorOf({ code: 'x', resets_in_seconds })]);

    expect(failure.resetsInMs).toBe(resetsInMs);
  });

  it('returns an empty failure for an empty list of errors', () => {
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
  ])('returns undefined for %s', (_name, value) => {
    expect(parseErrorBody(value)).toBeUndefined();
  });
});

const ALWAYS = {
  safety_category: 'content_policy',
  recovery: 'revise_prompt_or_inputs',
  retry_same_request: false,
};

describe('safetyDetails', () => {
  it('describes the request without any text from the provider', () => {
    expect(safetyDetails(agentRequest(), undefined, [])).toEqual({
      ...ALWAYS,
      requested_moderation: 'auto',
      input_images_present: false,
    });
  });

  it.each([
    ['sources', { images: [inputOf(Buffer.from('x'))] }],
    ['references', { references: [inputOf(Buffer.from('x'))] }],
  ])('reports that there were %s', (_name, parts) => {
    expect(safetyDetails(agentRequest(parts), undefined, [])).toMatchObject({
      input_images_present: true,
    });
  });

  it('includes only known stages and categories, each once and in a fixed order', () => {
    const request = agentRequest({ parameters: { moderation: 'low' } });
    const categories = ['violence', 'sexual', 'violence', 'gore', '<b>', 7, null, 'self-harm'];

    expect(safetyDetails(request, 'output', categories)).toMatchObject({
      requested_moderation: 'low',
      moderation_stage: 'output',
      moderation_categories: ['self-harm', 'sexual', 'violence'],
    });
    expect(safetyDetails(request, 'somewhere', ['gore'])).toEqual({
      ...ALWAYS,
      requested_moderation: 'low',
      input_images_present: false,
    });
  });
});
