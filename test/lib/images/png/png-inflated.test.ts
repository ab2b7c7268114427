import { deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkInflatedSize } from '../../../../lib/images/png/png-inflated.ts';

const MEBIBYTE = 1024 * 1024;
const signal = new AbortController().signal;
const zeros = (bytes: number) => deflateRawSync(Buffer.alloc(bytes));

describe('checkInflatedSize', () => {
  it.each([
    ['nothing', []],
    ['one of exactly 4 MiB', [zeros(4 * MEBIBYTE)]],
    ['several of 4 MiB together', [zeros(3 * MEBIBYTE), zeros(MEBIBYTE)]],
    ['a thousand', Array.from({ length: 1000 }, () => zeros(1))],
    ['one with another Adler-32 behind it', [Buffer.concat([zeros(9), Buffer.from('junk')])]],
    [
      'one that deflate could not shrink',
      [deflateRawSync(Buffer.alloc(4 * MEBIBYTE), { level: 0 })],
    ],
  ])('accepts %s', async (_name, streams) => {
    expect(await checkInflatedSize(streams, signal)).toBeUndefined();
  });

  it.each([
    ['one of a byte more than 4 MiB', [zeros(4 * MEBIBYTE + 1)]],
    ['several of more than 4 MiB together', [zeros(3 * MEBIBYTE), zeros(2 * MEBIBYTE)]],
    ['5 MiB of deflate', [Buffer.alloc(5 * MEBIBYTE)]],
  ])('refuses %s as too large', async (_name, streams) => {
    expect(await checkInflatedSize(streams, signal)).toBe('chunk_too_large');
  });

  it.each([
    ['nothing to inflate', Buffer.alloc(0)],
    ['a stream that ends early', zeros(1000).subarray(0, -2)],
    ['junk', Buffer.alloc(20, 0xff)],
    ['a zlib head where deflate begins', deflateSync('text')],
  ])('calls %s corrupt', async (_name, stream) => {
    expect(await checkInflatedSize([stream], signal)).toBe('corrupt');
  });

  it('stops when it is aborted', async () => {
    const reason = new Error('the client disconnected');

    const checking = checkInflatedSize([zeros(1)], AbortSignal.abort(reason));

    await expect(checking).rejects.toBe(reason);
  });
});
