import { describe, expect, it, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { ERROR_CODES } from '../../../lib/errors/codes.ts';
import {
  fromStoredError,
  toErrorHeaders,
  toFlatError,
  toStoredError,
} from '../../../lib/errors/error-body.ts';

describe('toErrorHeaders', () => {
  it.each([
    ['a second for a limited rate', {}, '1', '1000'],
    ['an hour for a used-up quota', { reason: 'quota' }, '3600', '3600000'],
    ['as long as it is known', { reason: 'quota', retry_after_ms: 1500 }, '2', '1500'],
  ])('sends the wait time %s', (_name, details, secs, ms) => {
    const error = new BridgeError('rate_limited', 'no more', { details });

    expect(toErrorHeaders(error)).toMatchObject({ 'retry-after': secs, 'retry-after-ms': ms });
  });
});

describe('fromStoredError', () => {
  test.each(ERROR_CODES)('restores an error with the code %s', (code) => {
    const error = new BridgeError(code, 'the provider failed', {
      provider: 'sandbox',
      upstreamRequestId: 'up-1',
      retryable: true,
      details: { reason: 'other' },
    });

    const stored = JSON.parse(JSON.stringify(toStoredError(error)));

    expect(stored).not.toHaveProperty('suggestions');
    expect(fromStoredError(stored).code).toBe(code);
    expect(toFlatError(fromStoredError(stored))).toEqual(toFlatError(error));
  });
});
