import { describe, expect, test } from 'vitest';
import { toKeyHash } from '../../../../lib/jobs/accept/job-key.ts';

const SECRET = Buffer.alloc(32, 7);

describe('toKeyHash', () => {
  test('the same key of the same scope has one hash, whenever it comes', () => {
    const hash = toKeyHash(SECRET, 'anonymous', 'order-1');

    expect(toKeyHash(Buffer.from(SECRET), 'anonymous', 'order-1')).toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['another key', SECRET, 'anonymous', 'order-2'],
    ['another scope', SECRET, 'other', 'order-1'],
    ['letters moved from scope to key', SECRET, 'anonymousorder', '-1'],
    ['another secret', Buffer.alloc(32, 8), 'anonymous', 'order-1'],
  ])('%s has another hash', (_, secret, scope, key) => {
    expect(toKeyHash(secret, scope, key)).not.toBe(toKeyHash(SECRET, 'anonymous', 'order-1'));
  });
});
