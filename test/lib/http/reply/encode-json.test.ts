import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeJsonWithBytes } from '../../../../lib/http/reply/encode-json.ts';
import { replyBytes } from '../../../../lib/http/reply/reply-bytes.ts';
import { ByteParts } from '../../../../lib/platform/byte-parts.ts';

const MARKER = '5f0c1f4bb8a24f0d9e6b7c3a2d1e0f99';

async function encode(value: unknown) {
  const { body, length } = encodeJsonWithBytes(value, MARKER);
  let pieces = 0;
  const whole = await replyBytes(body, () => {
    pieces += 1;
  });
  return { text: whole.toString('utf8'), size: whole.length, length, pieces };
}

describe('encodeJsonWithBytes', () => {
  it('encodes bytes in parts as base64 and returns the exact length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.array(fc.uint8Array().map((part) => Buffer.from(part)))),
        async (text, blobs) => {
          const expected = {
            text,
            blobs: blobs.map((parts) => Buffer.concat(parts).toString('base64')),
          };
          const value = { text, blobs: blobs.map((parts) => new ByteParts(parts)) };

          const { text: json, size, length } = await encode(value);

          expect(JSON.parse(json)).toEqual(expected);
          expect(size).toBe(length);
        },
      ),
    );
  });

  it('returns the result of JSON.stringify for a value without bytes', async () => {
    const value = { a: [1, null, 'ü"\\'], b: { c: true } };

    expect((await encode(value)).text).toBe(JSON.stringify(value));
  });

  it('sends more than half a megabyte in pieces with the same text', async () => {
    const bytes = Buffer.alloc(1024 * 1024 + 1).map((_, index) => index % 251) as Buffer;
    const blob = new ByteParts([bytes.subarray(0, 100), bytes.subarray(100)]);

    const { text, size, length, pieces } = await encode({ data: [blob, blob] });

    expect(pieces).toBeGreaterThan(4);
    expect(size).toBe(length);
    const base64 = bytes.toString('base64');
    // A failure must not print megabytes.
    expect(text === JSON.stringify({ data: [base64, base64] })).toBe(true);
  });

  it('uses the memory of a piece again for the next piece', async () => {
    const data = new ByteParts([Buffer.alloc(2 * 1024 * 1024)]);
    const { body } = encodeJsonWithBytes({ data }, MARKER);
    const memory = new Set<ArrayBufferLike>();

    if (!(body instanceof Uint8Array)) for await (const { buffer } of body) memory.add(buffer);

    expect(memory.size).toBe(1);
  });

  it('sends a text longer than a piece', async () => {
    const text = 'ü'.repeat(1024 * 1024);

    const {
      text: json,
      size,
      length,
    } = await encode({ text, bytes: new ByteParts([Buffer.alloc(3)]) });

    expect(size).toBe(length);
    expect(json === JSON.stringify({ text, bytes: 'AAAA' })).toBe(true);
  });
});
