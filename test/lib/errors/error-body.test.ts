import { describe, expect, it, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { GENERATION_ERRORS } from '../../../lib/errors/codes.ts';
import { fromFlatError, toErrorHeaders, toFlatError } from '../../../lib/errors/error-body.ts';

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

describe('fromFlatError', () => {
  test.each([...GENERATION_ERRORS, 'internal' as const])('restores the code %s', (code) => {
    const error = new BridgeError(code, 'what went wrong', {
      provider: 'sandbox',
      upstreamRequestId: 'up-1',
      retryable: true,
      details: { outcome: 'unknown' },
    });

    const found = fromFlatError(toFlatError(error));

    expect(found.code).toBe(code);
    expect(toFlatError(found)).toEqual(toFlatError(error));
  });

  test('restores the first code of its kind if the stored suggestions are unknown', () => {
    const flat = { code: 'conflict', message: 'no', retryable: false, details: {} } as const;

    expect(fromFlatError({ ...flat, suggestions: [] }).bridgeCode).toBe('conflict');
  });
});
