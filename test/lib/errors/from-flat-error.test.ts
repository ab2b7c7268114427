import { describe, expect, test } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { toFlatError } from '../../../lib/errors/error-body.ts';
import { fromFlatError } from '../../../lib/errors/from-flat-error.ts';
import { GENERATION_ERRORS } from '../../../lib/errors/generation-errors.ts';

describe('fromFlatError', () => {
  test.each([...GENERATION_ERRORS, 'internal' as const])('finds %s again', (code) => {
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

  test('takes an error whose suggestions have changed since for the first of its kind', () => {
    const flat = { code: 'conflict', message: 'no', retryable: false, details: {} } as const;

    expect(fromFlatError({ ...flat, suggestions: [] }).bridgeCode).toBe('conflict');
  });
});
