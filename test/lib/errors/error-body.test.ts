import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { toErrorHeaders } from '../../../lib/errors/error-body.ts';

describe('toErrorHeaders', () => {
  it.each([
    ['a second for a limited rate', {}, '1', '1000'],
    ['an hour for a used-up quota', { reason: 'quota' }, '3600', '3600000'],
    ['as long as it is known', { reason: 'quota', retry_after_ms: 1500 }, '2', '1500'],
  ])('asks to wait %s', (_name, details, secs, ms) => {
    const error = new BridgeError('rate_limited', 'no more', { details });

    expect(toErrorHeaders(error)).toMatchObject({ 'retry-after': secs, 'retry-after-ms': ms });
  });
});
