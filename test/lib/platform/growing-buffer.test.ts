import { describe, expect, it } from 'vitest';
import { createGrowingBuffer } from '../../../lib/platform/growing-buffer.ts';

describe('createGrowingBuffer', () => {
  it.each([
    ['exactly as many bytes as expected', 5],
    ['more than expected', 1],
    ['fewer than expected', 100],
    ['bytes where none were expected', 0],
  ])('joins chunks: %s', (_case, initialBytes) => {
    const buffer = createGrowingBuffer({ initialBytes });

    for (const chunk of ['ab', '', 'c', 'de']) buffer.append(Buffer.from(chunk));

    expect(buffer.length()).toBe(5);
    expect(buffer.bytes().toString()).toBe('abcde');
  });

  it('copies nothing if the length is known', () => {
    const buffer = createGrowingBuffer({ initialBytes: 4 });

    buffer.append(Buffer.from('ab'));
    const before = buffer.bytes();
    buffer.append(Buffer.from('cd'));

    expect(buffer.bytes().buffer).toBe(before.buffer);
    expect(buffer.bytes().byteOffset).toBe(before.byteOffset);
  });

  it('copies once per doubling, not once per chunk', () => {
    const buffer = createGrowingBuffer({ initialBytes: 65_536 });
    const memories = new Set<ArrayBufferLike>();

    for (let appended = 0; appended < 1024; appended += 1) {
      buffer.append(Buffer.alloc(4096));
      memories.add(buffer.bytes().buffer);
    }

    expect(buffer.length()).toBe(4 * 1024 * 1024);
    expect(memories.size).toBe(7);
  });

  it('allocates at most its limit', () => {
    const buffer = createGrowingBuffer({ initialBytes: 65_536, maxBytes: 100_000 });

    buffer.append(Buffer.alloc(70_000));

    expect(buffer.bytes().buffer.byteLength).toBe(100_000);
  });

  it('restarts at length 0 after its bytes were taken', () => {
    const buffer = createGrowingBuffer({ initialBytes: 4 });
    buffer.append(Buffer.from('first'));

    const first = buffer.take().toString();
    buffer.append(Buffer.from('second'));

    expect(first).toBe('first');
    expect(buffer.take().toString()).toBe('second');
    expect(buffer.length()).toBe(0);
  });
});
