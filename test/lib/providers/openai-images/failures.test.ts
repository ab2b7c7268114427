import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../../lib/providers/openai-images/dialects/dialects.ts';
import { parseReportedError, toFailure } from '../../../../lib/providers/openai-images/failures.ts';
import { inputOf, type RequestParts } from '../agent-responses/requests.ts';
import { requestOf, shown } from './images-rig.ts';

interface Refusal {
  readonly status: number;
  readonly body?: unknown;
  readonly dialect?: keyof typeof DIALECTS;
  readonly waitMs?: number;
  readonly forbidsRepeat?: boolean;
  readonly request?: RequestParts;
}

function failureOf({ status, body, dialect = 'openai', request, ...head }: Refusal) {
  const full = { status, waitMs: head.waitMs, forbidsRepeat: head.forbidsRepeat ?? false };
  const reported = parseReportedError(body, DIALECTS[dialect]);
  return shown(toFailure(full, reported, requestOf(request), DIALECTS[dialect]));
}

const error = (code: string | null, more: object = {}) => ({
  error: { code, message: 'm', ...more },
});

const SAFETY = { code: 'safety_rejected', retryable: false, transient: false };
const AUTHENTICATION = { code: 'provider_authentication', transient: false };
const PERMISSION = { code: 'permission_denied', transient: false };
const MODEL = { code: 'unsupported_capability', param: 'routing.model', transient: false };
const UNSUPPORTED = { code: 'unsupported_capability', transient: false };
const NO_MODEL = { ...MODEL, code: 'unsupported_capability', details: { field: 'routing.model' } };
const refused = (details: object = {}, param: string | null = null) => ({
  code: 'refused_by_provider',
  retryable: false,
  transient: false,
  param,
  details: { reason: 'refused_by_provider', ...details },
});
const OTHER = { code: 'upstream', retryable: false, transient: false };
const QUOTA = {
  code: 'rate_limited',
  retryable: false,
  transient: false,
  details: { reason: 'quota' },
};
const RATE = { code: 'rate_limited', retryable: true, transient: true };
const TRANSIENT = { code: 'upstream', retryable: true, transient: true, details: {} };
const UNKNOWN = { ...OTHER, details: { outcome: 'unknown' } };

describe('toFailure', () => {
  it.each<[status: number, body: unknown, expected: object]>([
    [400, error('moderation_blocked'), SAFETY],
    [400, error('content_policy_violation'), SAFETY],
    [400, error('content_filter'), SAFETY],
    [400, error('contentFilter'), SAFETY],
    [400, error('x', { inner_error: { code: 'ResponsibleAIPolicyViolation' } }), SAFETY],
    [400, error('x', { innererror: { code: 'ResponsibleAIPolicyViolation' } }), SAFETY],
    [401, error('invalid_api_key'), AUTHENTICATION],
    [401, undefined, AUTHENTICATION],
    [403, error('anything'), PERMISSION],
    [404, error('model_not_found'), MODEL],
    [404, error('DeploymentNotFound'), MODEL],
    [
      404,
      error('404', { type: 'not_found_error' }),
      { ...OTHER, details: { upstream_code: 'not_found_error' } },
    ],
    [400, error('unknown_parameter'), UNSUPPORTED],
    [400, error('invalid_value'), UNSUPPORTED],
    [400, error('invalid_input_fidelity_model'), UNSUPPORTED],
    [400, error('invalid_image_file'), { code: 'input', transient: false }],
    [400, error('something_else'), refused({ upstream_code: 'something_else' })],
    [
      400,
      error(null, { type: 'invalid_request_error', param: 'size' }),
      refused(
        { upstream_code: 'invalid_request_error', field: 'parameters.size' },
        'parameters.size',
      ),
    ],
    [413, undefined, refused()],
    [422, error('400', { type: 'None', param: 'None' }), refused()],
    [
      422,
      { detail: [{ loc: ['body', 'size'], msg: 'm' }] },
      refused({ field: 'parameters.size' }, 'parameters.size'),
    ],
    [422, { detail: [{ loc: ['body'] }] }, refused()],
    [400, { detail: 'a text' }, refused()],
    [400, { error: 'prompt required' }, refused()],
    [
      400,
      error('image_generation_user_error'),
      refused({ upstream_code: 'image_generation_user_error' }),
    ],
    [404, error(null, { param: 'model' }), NO_MODEL],
    [404, undefined, OTHER],
    [404, '<html>', OTHER],
    [429, error('insufficient_quota'), QUOTA],
    [429, error(null, { type: 'insufficient_quota' }), QUOTA],
    [429, error('credit_balance_exhausted'), QUOTA],
    [429, error('project_spend_limit_exceeded'), QUOTA],
    [429, error('daily_usage_limit_exceeded'), QUOTA],
    [400, error('billing_hard_limit_reached'), QUOTA],
    [402, undefined, QUOTA],
    [429, error('rate_limit_exceeded'), RATE],
    [429, 'no JSON object', RATE],
    [409, undefined, TRANSIENT],
    [500, error('server_error'), TRANSIENT],
    [503, undefined, TRANSIENT],
    [408, undefined, UNKNOWN],
    [502, undefined, UNKNOWN],
    [504, error('moderation_blocked'), UNKNOWN],
    [520, undefined, UNKNOWN],
    [527, undefined, UNKNOWN],
    [307, undefined, OTHER],
    [200, error('rate_limit_exceeded'), RATE],
    [200, error('server_error'), TRANSIENT],
    [200, error('moderation_blocked'), SAFETY],
    [200, error('unheard_of'), OTHER],
    [200, error('odd', { type: 'invalid_request_error' }), refused({ upstream_code: 'odd' })],
    [200, { type: 'error', code: 'insufficient_quota' }, QUOTA],
  ])('converts %s %j', (status, body, expected) => {
    expect(failureOf({ status, body })).toMatchObject(expected);
  });

  it.each(['litellm', 'generic'] as const)(
    'converts a 500 of %s to an unknown outcome',
    (dialect) => {
      expect(failureOf({ status: 500, dialect })).toMatchObject(UNKNOWN);
      expect(failureOf({ status: 200, body: error('server_error'), dialect })).toMatchObject(
        UNKNOWN,
      );
    },
  );

  it.each([
    ['localai', { error: { code: 404, message: 'm', type: '' } }],
    ['litellm', error('404', { type: 'None', param: 'None' })],
    ['generic', error(null)],
    ['vllm-omni', { detail: 'm' }],
  ] as const)('converts a 404 of %s in its error form to an unknown model', (dialect, body) => {
    expect(failureOf({ status: 404, body, dialect })).toMatchObject(NO_MODEL);
    expect(failureOf({ status: 404, body: '<html>', dialect })).toMatchObject(OTHER);
  });

  it('uses the type of an error whose code repeats the status', () => {
    const body = error('400', { type: 'content_policy_violation' });

    expect(failureOf({ status: 400, body, dialect: 'litellm' })).toMatchObject(SAFETY);
  });

  it('detects the content policy in the message of litellm without showing the message', () => {
    const message = 'litellm.BadRequestError: litellm.ContentPolicyViolationError: a secret fox';
    const body = error('400', { type: null, message });

    const failure = failureOf({ status: 400, body, dialect: 'litellm' });

    expect(failure).toMatchObject(SAFETY);
    expect(JSON.stringify(failure)).not.toMatch(/secret|ContentPolicy/);
    expect(failureOf({ status: 400, body, dialect: 'openai' })).toMatchObject(refused());
  });

  it('converts a user error of litellm without a name to an invalid request', () => {
    const body = error('400', { type: 'image_generation_user_error' });

    const failure = failureOf({ status: 400, body, dialect: 'litellm' });

    expect(failure).toMatchObject(refused({ upstream_code: 'image_generation_user_error' }));
  });

  it('reports the stage and the categories of the moderation', () => {
    const moderation_details = { moderation_stage: 'output', categories: ['violence', 'secret'] };
    const body = error('moderation_blocked', { moderation_details });

    const { details } = failureOf({ status: 400, body });

    expect(details).toMatchObject({
      moderation_stage: 'output',
      moderation_categories: ['violence'],
    });
  });

  it('reports the wait for errors that waiting can solve', () => {
    const details = { retry_after_ms: 5000 };

    expect(failureOf({ status: 429, waitMs: 5000 })).toMatchObject({ details });
    expect(failureOf({ status: 503, waitMs: 5000 })).toMatchObject({ details });
    expect(failureOf({ status: 400, waitMs: 5000 }).details).not.toHaveProperty('retry_after_ms');
  });

  it('returns an error that is not retryable if the server forbids a retry', () => {
    const failure = failureOf({ status: 503, forbidsRepeat: true });

    expect(failure).toMatchObject({ code: 'upstream', retryable: false, transient: false });
  });

  it.each([
    ['size', 'parameters.size'],
    ['model', 'routing.model'],
    ['prompt', 'prompt'],
    ['mask', 'mask'],
    ['image', 'images[0]'],
    ['image[]', 'images[0]'],
    ['image[1]', 'reference_images[0]'],
    ['image[7]', null],
    ['constructor', null],
  ])('returns the field of the bridge for %s', (param, field) => {
    const image = inputOf(Buffer.from('x'));

    const failure = failureOf({
      status: 400,
      body: error('invalid_value', { param }),
      request: { images: [image], references: [image] },
    });

    expect(failure.param).toBe(field);
    expect(failure.details).toEqual(field === null ? {} : { field });
  });

  it.each([
    ['image[1]', 'mask'],
    ['image[2]', 'reference_images[0]'],
  ])('returns the field of the bridge for %s if the mask is one of the images', (param, field) => {
    const image = inputOf(Buffer.from('x'));

    const failure = failureOf({
      status: 400,
      body: error('invalid_value', { param }),
      request: { images: [image], maskImage: image, references: [image] },
    });

    expect(failure.param).toBe(field);
  });
});

describe('parseReportedError', () => {
  it.each([[{ data: [] }], [{ error: null }], [[]], [null], ['text'], [{ type: 'image' }]])(
    'returns undefined for %j',
    (value) => {
      expect(parseReportedError(value, DIALECTS.openai)).toBeUndefined();
    },
  );
});
