import { describe, expect, it } from 'vitest';
import {
  fromItemFailure,
  fromToolOutput,
  fromTurnError,
} from '../../../../lib/providers/agent-app-server/turn-errors.ts';
import { agentRequest } from '../agent-responses/requests.ts';

const request = agentRequest();

/** Returns the body of the backend as Rust's `Debug` writes it. */
function failed(status: string, error?: object): string {
  const body = error === undefined ? 'None' : `Some(${JSON.stringify(JSON.stringify({ error }))})`;
  return `image generation failed: http ${status}: ${body}`;
}

describe('fromToolOutput', () => {
  it.each([
    ['400 Bad Request', { code: 'moderation_blocked' }, 'safety_rejected', false],
    ['400 Bad Request', { code: 'content_policy_violation' }, 'safety_rejected', false],
    ['400 Bad Request', { type: 'invalid_request_error' }, 'refused_by_provider', false],
    ['400 Bad Request', undefined, 'refused_by_provider', false],
    ['401 Unauthorized', undefined, 'provider_authentication', false],
    ['403 Forbidden', undefined, 'permission_denied', false],
    ['429 Too Many Requests', undefined, 'rate_limited', true],
    ['429 Too Many Requests', { type: 'usage_limit_reached' }, 'rate_limited', false],
    ['500 Internal Server Error', undefined, 'upstream', true],
    ['503 Service Unavailable', { code: 'server_is_overloaded' }, 'upstream', true],
  ])('converts HTTP %s with %j to %s, retryable: %s', (status, error, code, retryable) => {
    const found = fromToolOutput(failed(status, error), request);

    expect(found).toMatchObject({ code, retryable });
    expect(found.details).not.toHaveProperty('outcome');
  });

  it('reads a failure that is reported by a program of the model', () => {
    const output = `Script error:\n${failed('400 Bad Request', { code: 'moderation_blocked' })}`;

    expect(fromToolOutput(output, request)).toMatchObject({ code: 'safety_rejected' });
  });

  it.each([`it's`, 'ä 狐', '"quoted" \\ and more'])('reads a body that contains %s', (message) => {
    const text = JSON.stringify({ error: { code: 'moderation_blocked', message } });
    const literal = JSON.stringify(text).replaceAll("'", "\\'").replaceAll('ä', '\\u{e4}');

    const output = `image generation failed: http 400 Bad Request: Some(${literal})`;

    expect(fromToolOutput(output, request)).toMatchObject({ code: 'safety_rejected' });
  });

  it.each(['network error: connection reset', 'stream error: closed'])(
    'reports an unknown outcome after a %s',
    (reason) => {
      expect(fromToolOutput(`image generation failed: ${reason}`, request)).toMatchObject({
        code: 'upstream',
        retryable: false,
        details: { outcome: 'unknown' },
      });
    },
  );

  it.each(['unsupported call: image_genimagegen', '', 'Some('])(
    'converts "%s" to a failure of known outcome without its text',
    (output) => {
      const error = fromToolOutput(output, request);

      expect(error).toMatchObject({ code: 'upstream', retryable: false, details: {} });
      expect(error.message).toBe('the image tool of the agent failed');
    },
  );

  it('distinguishes a reply without an image from a failure', () => {
    const error = fromToolOutput('image generation returned no image data', request);

    expect(error).toMatchObject({ code: 'upstream', details: { reason: 'no_image' } });
  });

  it.each(['read', 'process'])('reports an input image that the tool is unable to %s', (verb) => {
    const error = fromToolOutput(`unable to ${verb} referenced image at 1.png: bad`, request);

    expect(error).toMatchObject({ code: 'input', retryable: false });
  });
});

describe('fromTurnError', () => {
  it.each([
    ['usageLimitExceeded', 'rate_limited'],
    ['rateLimitExceeded', 'rate_limited'],
    ['unauthorized', 'provider_authentication'],
    ['internalServerError', 'upstream'],
    ['serverOverloaded', 'upstream'],
    ['cyberPolicy', 'safety_rejected'],
    ['contextWindowExceeded', 'upstream'],
    ['other', 'upstream'],
    ['constructor', 'upstream'],
    [null, 'upstream'],
    [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'provider_authentication'],
    [{ httpConnectionFailed: { httpStatusCode: 403 } }, 'permission_denied'],
    [{ httpConnectionFailed: { httpStatusCode: null } }, 'upstream'],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'rate_limited'],
    [{ responseStreamDisconnected: { httpStatusCode: 502 } }, 'upstream'],
  ])('converts %j to %s', (codexErrorInfo, code) => {
    expect(fromTurnError({ message: 'a text', codexErrorInfo }, request)).toMatchObject({ code });
  });

  it('reads the body of a refusal from the message of the agent', () => {
    const message = JSON.stringify({ error: { code: 'moderation_blocked' } });

    expect(fromTurnError({ message, codexErrorInfo: 'other' }, request)).toMatchObject({
      code: 'safety_rejected',
    });
  });
});

describe('fromItemFailure', () => {
  it('reports when the quota is renewed', () => {
    const failure = { type: 'usageLimitExceeded', resetsAt: 1_000_060 };

    expect(fromItemFailure(failure, request, 1_000_000_000)).toMatchObject({
      code: 'rate_limited',
      details: { retry_after_ms: 60_000 },
    });
  });

  it('converts an unknown failure to a failure of the backend', () => {
    expect(fromItemFailure({ type: 'somethingNew', resetsAt: null }, request, 0)).toMatchObject({
      code: 'upstream',
      retryable: false,
    });
  });
});
