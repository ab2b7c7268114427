import { describe, expect, it } from 'vitest';
import { memoryBytes } from '../../../lib/idempotency/memory-size.ts';

describe('heldBytes', () => {
  it.each([
    ['bytes', new Uint8Array(1_000_000), 1_000_000],
    ['a buffer', Buffer.alloc(1_000_000), 1_000_000],
    ['bytes deep inside', { data: [{ b64_json: new Uint8Array(1_000_000) }] }, 1_000_000],
    ['text', { prompt: 'a'.repeat(500_000) }, 1_000_000],
  ])('counts %s', (_, value, bytes) => {
    const held = memoryBytes(value);

    expect(held).toBeGreaterThanOrEqual(bytes);
    expect(held).toBeLessThan(bytes + 500);
  });

  it('counts every kind of value', () => {
    expect(memoryBytes(null)).toBeGreaterThan(0);
    expect(memoryBytes([1, true, null, undefined])).toBeGreaterThan(memoryBytes([]));
  });
});
