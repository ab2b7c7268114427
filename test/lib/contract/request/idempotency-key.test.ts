import { describe, expect, it } from 'vitest';
import { toIdempotencyKey } from '../../../../lib/contract/request/idempotency-key.ts';

describe('toIdempotencyKey', () => {
  it.each([
    ['nowhere', null, undefined, undefined],
    ['in the body', 'k', undefined, 'k'],
    ['in the header', null, 'k', 'k'],
    ['in both, the same', 'k', 'k', 'k'],
    ['in both, the same beyond ASCII', 'schlüssel', 'schlüssel', 'schlüssel'],
  ])('returns the key that is %s', (_, inBody, inHeader, key) => {
    expect(toIdempotencyKey(inBody, inHeader)).toBe(key);
  });

  it('rejects two different keys', () => {
    expect(() => toIdempotencyKey('k', 'l')).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'idempotency_key' }),
    );
  });
});
