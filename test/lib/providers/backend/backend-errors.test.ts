import { describe, expect, it } from 'vitest';
import type { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import {
  fromCode,
  fromReason,
  fromStatus,
  refusal,
} from '../../../../lib/providers/backend/backend-errors.ts';
import type { BackendFailure } from '../../../../lib/providers/backend/failures.ts';
import { agentRequest, inputOf } from '../agent-responses/requests.ts';

const request = agentRequest();

function failure(code?: string, more: Partial<BackendFailure> = {}): BackendFailure {
  const nothing = { moderationStage: undefined, moderationCategories: [] };
  return { code, ...nothing, retryAfterMs: undefined, resetsInMs: undefined, ...more };
}

/** Returns the part of an error that a client and the retry rules see. */
function shown({ code, retryable, transient, details }: BridgeError) {
  return { code, retryable, transient, details };
}

const SAFETY = {
  code: 'safety_rejected',
  retryable: false,
  transient: false,
  details: {
    safety_category: 'content_policy',
    recovery: 'revise_prompt_or_inputs',
    retry_same_request: false,
    requested_moderation: 'auto',
    input_images_present: false,
  },
};
const AUTHENTICATION = final('provider_authentication');
const PERMISSION = final('permission_denied');
const UNSUPPORTED = final('unsupported_capability');
const UNSUPPORTED_MODEL = final('unsupported_capability', { field: 'routing.model' });
const RATE = { code: 'rate_limited', retryable: true, transient: true, details: {} };
const QUOTA = final('rate_limited', { reason: 'quota' });
const TRANSIENT = { code: 'upstream', retryable: true, transient: true, details: {} };
const UNKNOWN = final('upstream');

function final(code: string, details: object = {}) {
  return { code, retryable: false, transient: false, details };
}

/** An invalid request. A code that is a word is included. */
function refused(upstream_code?: string) {
  const shown = upstream_code === undefined ? {} : { upstream_code };
  return final('refused_by_provider', { reason: 'refused_by_provider', ...shown });
}

/** All known codes. */
const CODES = [
  ['authentication_error', AUTHENTICATION],
  ['invalid_api_key', AUTHENTICATION],
  ['token_expired', AUTHENTICATION],
  ['permission_denied', PERMISSION],
  ['moderation_blocked', SAFETY],
  ['content_policy_violation', SAFETY],
  ['safety_violation', SAFETY],
  ['cyber_policy', SAFETY],
  ['rate_limit_exceeded', RATE],
  ['insufficient_quota', QUOTA],
  ['usage_limit_reached', QUOTA],
  ['unsupported_parameter', UNSUPPORTED],
  ['unsupported_value', UNSUPPORTED],
  ['model_not_found', UNSUPPORTED_MODEL],
  ['invalid_request_error', refused('invalid_request_error')],
  ['image_generation_user_error', refused('image_generation_user_error')],
  ['server_error', TRANSIENT],
  ['server_is_overloaded', TRANSIENT],
  ['overloaded', TRANSIENT],
  ['service_unavailable', TRANSIENT],
] as const;

describe('fromCode', () => {
  it.each(CODES)('converts the code %s', (code, expected) => {
    expect(shown(fromCode(failure(code), request))).toEqual(expected);
  });

  it.each([
    ['a_code_from_tomorrow', { upstream_code: 'a_code_from_tomorrow' }],
    ['Server-Error-7', { upstream_code: 'Server-Error-7' }],
    ['x'.repeat(64), { upstream_code: 'x'.repeat(64) }],
    ['x'.repeat(65), {}],
    ['server_error ', {}],
    ['server error', {}],
    ['<b>', {}],
    ['naïve', {}],
    ['two\nlines', {}],
    ['', {}],
    [undefined, {}],
  ])('includes the unknown code %j in the details only if it is a word', (code, details) => {
    expect(shown(fromCode(failure(code), request))).toEqual(final('upstream', details));
  });

  it.each(['constructor', '__proto__', 'toString'])('treats %s as an unknown code', (code) => {
    const error = fromCode(failure(code), request);

    expect(shown(error)).toEqual(final('upstream', { upstream_code: code }));
  });

  it('includes only known stages and categories of a safety rejection', () => {
    const asked = agentRequest({
      parameters: { moderation: 'low' },
      references: [inputOf(Buffer.from('x'))],
    });

    const error = fromCode(
      failure('moderation_blocked', {
        moderationStage: 'output',
        moderationCategories: ['violence', 'some-new-category', 7, null, 'harassment', 'violence'],
      }),
      asked,
    );

    expect(error.details).toEqual({
      ...SAFETY.details,
      requested_moderation: 'low',
      input_images_present: true,
      moderation_stage: 'output',
      moderation_categories: ['harassment', 'violence'],
    });
  });

  it.each(['input', 'output', 'unknown'])('includes the stage %s', (moderationStage) => {
    const error = fromCode(failure('safety_violation', { moderationStage }), request);

    expect(error.details).toMatchObject({ moderation_stage: moderationStage });
  });

  it('omits an unknown stage', () => {
    const error = fromCode(failure('safety_violation', { moderationStage: 'later' }), request);

    expect(error.details).not.toHaveProperty('moderation_stage');
  });
});

describe('a failure with a type', () => {
  it('is converted by its type if its code is unknown', () => {
    const odd = failure('odd', { type: 'invalid_request_error' });

    expect(shown(fromCode(odd, request))).toEqual(refused('odd'));
  });

  it('is converted by its code if the code is known', () => {
    const known = failure('server_error', { type: 'invalid_request_error' });

    expect(shown(fromCode(known, request))).toEqual(TRANSIENT);
  });
});

describe('fromReason', () => {
  it('converts a content filter to a safety rejection', () => {
    expect(shown(fromReason('content_filter', failure(), request))).toEqual(SAFETY);
  });

  it.each([
    ['max_output_tokens', { upstream_code: 'max_output_tokens' }],
    ['server_error', { upstream_code: 'server_error' }],
    ['rate_limit_exceeded', { upstream_code: 'rate_limit_exceeded' }],
    ['some words', {}],
  ])('returns an error that is not retryable for the reason %s', (reason, details) => {
    expect(shown(fromReason(reason, failure(), request))).toEqual(final('upstream', details));
  });
});

describe('fromStatus', () => {
  const known = CODES.map(([code]) => code);

  it.each([401])('converts %i to a rejected login, regardless of the code', (status) => {
    for (const code of [undefined, 'odd', ...known]) {
      expect(shown(fromStatus(status, failure(code), request))).toEqual(AUTHENTICATION);
    }
  });

  it('converts 403 to a missing permission, regardless of the code', () => {
    for (const code of [undefined, 'odd', ...known]) {
      expect(shown(fromStatus(403, failure(code), request))).toEqual(PERMISSION);
    }
  });

  it('converts 429 to a rate limit that is retryable unless a quota is exhausted', () => {
    for (const code of [undefined, 'odd', ...known]) {
      const isQuota = code === 'insufficient_quota' || code === 'usage_limit_reached';

      expect(shown(fromStatus(429, failure(code), request))).toEqual(isQuota ? QUOTA : RATE);
    }
  });

  it.each([500, 502, 503, 504, 529, 599])(
    'converts %i to a temporary failure, regardless of the code',
    (status) => {
      for (const code of [undefined, 'odd', ...known]) {
        expect(shown(fromStatus(status, failure(code), request))).toEqual(TRANSIENT);
      }
    },
  );

  it.each([400, 413, 422])(
    'converts %i by the code, by default to an invalid request',
    (status) => {
      for (const [code, expected] of CODES) {
        expect(shown(fromStatus(status, failure(code), request))).toEqual(expected);
      }
      expect(shown(fromStatus(status, failure(), request))).toEqual(refused());
      expect(shown(fromStatus(status, failure('odd'), request))).toEqual(refused('odd'));
    },
  );

  it.each([300, 301, 302, 303, 304, 307, 308, 402, 404, 405, 408, 409, 410, 415, 418, 451])(
    'converts %i by the code',
    (status) => {
      for (const [code, expected] of CODES) {
        expect(shown(fromStatus(status, failure(code), request))).toEqual(expected);
      }
      expect(shown(fromStatus(status, failure(), request))).toEqual(UNKNOWN);
      expect(shown(fromStatus(status, failure('odd'), request))).toEqual(
        final('upstream', { upstream_code: 'odd' }),
      );
    },
  );

  it.each([
    [429, 'rate_limit_exceeded', { retryAfterMs: 3000 }, 3000],
    [429, 'rate_limit_exceeded', { resetsInMs: 5000 }, 5000],
    [429, 'rate_limit_exceeded', { retryAfterMs: 3000, resetsInMs: 5000 }, 3000],
    [429, 'usage_limit_reached', { retryAfterMs: 3000, resetsInMs: 5000 }, 5000],
    [429, 'usage_limit_reached', { retryAfterMs: 3000 }, 3000],
    [429, undefined, {}, undefined],
    [503, 'server_is_overloaded', { retryAfterMs: 0 }, 0],
    [429, 'rate_limit_exceeded', { retryAfterMs: 2.5e14 }, 2_764_800_000],
    [429, 'usage_limit_reached', { resetsInMs: 1e12 }, 2_764_800_000],
    [400, 'moderation_blocked', { retryAfterMs: 3000 }, undefined],
    [403, undefined, { retryAfterMs: 3000 }, undefined],
    [404, 'odd', { retryAfterMs: 3000 }, undefined],
  ])('returns for %i with %s and %o a wait of %s ms', (status, code, waits, waitMs) => {
    const { details } = fromStatus(status, failure(code, waits), request);

    expect(details['retry_after_ms']).toBe(waitMs);
  });
});

describe('refusal', () => {
  it('returns a safety rejection without stage and categories', () => {
    expect(shown(refusal(request))).toEqual(SAFETY);
  });
});
