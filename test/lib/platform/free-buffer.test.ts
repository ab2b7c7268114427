import { expect, it } from 'vitest';
import { freeBuffer } from '../../../lib/platform/free-buffer.ts';

it('frees the memory of a buffer of its own', () => {
  const buffer = Buffer.alloc(100_000, 1);

  freeBuffer(buffer);

  expect(buffer.length).toBe(0);
});

it.each([
  ['a part of another buffer', Buffer.alloc(100_000, 1).subarray(1)],
  ['a short buffer from the pool of Node', Buffer.from('short')],
  ['memory that threads share', Buffer.from(new SharedArrayBuffer(8))],
])('leaves %s unchanged', (_what, buffer) => {
  const before = Buffer.from(buffer);

  freeBuffer(buffer);

  expect(buffer.equals(before)).toBe(true);
});
