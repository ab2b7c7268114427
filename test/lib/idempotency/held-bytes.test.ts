import { describe, expect, it } from 'vitest';
import { heldBytes } from '../../../lib/idempotency/held-bytes.ts';

describe('heldBytes', () => {
  it.each([
    ['bytes', new Uint8Array(1_000_000), 1_000_000],
    ['a buffer', Buffer.alloc(1_000_000), 1_000_000],
    ['bytes deep inside', { data: [{ b64_json: new Uint8Array(1_000_000) }] }, 1_000_000],
    ['text', { prompt: 'a'.repeat(500_000) }, 1_000_000],
  ])('counts %s', (_, value, bytes) => {
    const held = heldBytes(value);

    expect(held).toBeGreaterThanOrEqual(bytes);
    expect(held).toBeLessThan(bytes + 500);
  });

  it('counts something for everything', () => {
    expect(heldBytes(null)).toBeGreaterThan(0);
    expect(heldBytes([1, true, null, undefined])).toBeGreaterThan(heldBytes([]));
  });
});
