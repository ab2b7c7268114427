import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeJsonWithBytes } from '../../../../lib/http/reply/encode-json.ts';
import { replyBytes } from '../../../../lib/http/reply/reply-bytes.ts';

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
  it('encodes bytes as base64 and returns the exact length', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.uint8Array()),
        async (text, blobs) => {
          const expected = {
            text,
            blobs: blobs.map((blob) => Buffer.from(blob).toString('base64')),
          };

          const { text: json, size, length } = await encode({ text, blobs });

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
    const blob = new Uint8Array(1024 * 1024 + 1).map((_, index) => index % 251);

    const { text, size, length, pieces } = await encode({ data: [blob, blob] });

    expect(pieces).toBeGreaterThan(4);
    expect(size).toBe(length);
    const base64 = Buffer.from(blob).toString('base64');
    // A failure must not print megabytes.
    expect(text === JSON.stringify({ data: [base64, base64] })).toBe(true);
  });

  it('uses the memory of a piece again for the next piece', async () => {
    const { body } = encodeJsonWithBytes({ data: new Uint8Array(2 * 1024 * 1024) }, MARKER);
    const memory = new Set<ArrayBufferLike>();

    if (!(body instanceof Uint8Array)) for await (const { buffer } of body) memory.add(buffer);

    expect(memory.size).toBe(1);
  });

  it('sends a text longer than a piece', async () => {
    const text = 'ü'.repeat(1024 * 1024);

    const { text: json, size, length } = await encode({ text, bytes: new Uint8Array(3) });

    expect(size).toBe(length);
    expect(json === JSON.stringify({ text, bytes: 'AAAA' })).toBe(true);
  });
});
