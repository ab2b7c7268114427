import { describe, expect, it } from 'vitest';
import {
  createRequestHashes,
  toRepeatMark,
  toRetryCount,
} from '../../../lib/replay/repeat-mark.ts';

describe('toRepeatMark', () => {
  it.each([
    ['a key in the body', 'k', undefined, undefined, { key: 'k' }],
    ['a key in the header', null, 'k', undefined, { key: 'k' }],
    ['a retry count', null, undefined, '2', { retryCount: 2 }],
    ['a key beside a retry count', null, 'k', '2', { key: 'k' }],
    ['neither', null, undefined, undefined, undefined],
  ])('recognizes %s', (_, inBody, idempotencyKey, retryCount, mark) => {
    expect(toRepeatMark(inBody, { idempotencyKey, retryCount })).toEqual(mark);
  });
});

describe('toRetryCount', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['12', 12],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1, 1', undefined],
    ['many', undefined],
    ['9'.repeat(400), undefined],
  ])('parses %s as %s', (header, count) => {
    expect(toRetryCount(header)).toBe(count);
  });
});

const SECRET = Buffer.alloc(32, 7);
const ofJobKey = (secret: Uint8Array, scope: string, key: string) =>
  createRequestHashes(secret).ofJobKey(scope, key);

describe('createRequestHashes', () => {
  it('returns the same hash for the same job key of the same scope', () => {
    const hash = ofJobKey(SECRET, 'anonymous', 'order-1');

    expect(ofJobKey(Buffer.from(SECRET), 'anonymous', 'order-1')).toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['another key', SECRET, 'anonymous', 'order-2'],
    ['another scope', SECRET, 'other', 'order-1'],
    ['letters moved from scope to key', SECRET, 'anonymousorder', '-1'],
    ['another secret', Buffer.alloc(32, 8), 'anonymous', 'order-1'],
  ])('returns another hash for %s', (_, secret, scope, key) => {
    expect(ofJobKey(secret, scope, key)).not.toBe(ofJobKey(SECRET, 'anonymous', 'order-1'));
  });

  it('returns a different hash for each kind of request', () => {
    const { toClaim, ofJobKey: ofKey } = createRequestHashes(SECRET);
    const request = { scope: 's', fingerprint: 'k' };

    const hashes = [
      toClaim({ ...request, key: 'k' }).scope,
      toClaim({ ...request, key: 'k' }).identity,
      toClaim({ ...request, retryCount: 0 }).identity,
      ofKey('s', 'k'),
    ];

    expect(new Set(hashes).size).toBe(4);
  });
});
