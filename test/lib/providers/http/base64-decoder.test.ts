import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBase64Decoder } from '../../../../lib/providers/http/base64-decoder.ts';

function decode(text: string, sizes: readonly number[], known?: Buffer): Buffer | undefined {
  const decoder = createBase64Decoder(known);
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    decoder.push(bytes.subarray(at, at + size));
    at += size;
  }
  return decoder.end();
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });

describe('createBase64Decoder', () => {
  it('decodes encoded bytes at any chunk boundaries', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), sizes, (bytes, cuts) => {
        const text = Buffer.from(bytes).toString('base64');

        expect(decode(text, cuts)?.equals(bytes)).toBe(true);
      }),
    );
  });

  it('rejects texts that are not base64, at any chunk boundaries', () => {
    const letters = fc.constantFrom(...'AZaz09+/=-_ \n*é\\');
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 12 }), sizes, (text, cuts) => {
        const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

        expect(decode(text, cuts) !== undefined).toBe(isBase64.test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('decodes images of any length in large and small parts', () => {
    const image = Buffer.from(new Uint8Array(5_000_001).map((_, at) => (at * 31) % 251));
    for (const length of [1, 24_575, 24_576, 24_577, 300_000, 2_900_000, 4_194_304, 5_000_001]) {
      const bytes = image.subarray(0, length);

      for (const size of [65_536, 40_001, 4_000_000]) {
        expect(decode(bytes.toString('base64'), [size])?.equals(bytes)).toBe(true);
      }
    }
  });

  it('returns the known image itself when the same text arrives', () => {
    const known = Buffer.alloc(100_000, 'known');

    expect(decode(known.toString('base64'), [65_536], known)).toBe(known);
  });

  it('decodes a text that differs from the known image at any position', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, bytes, bytes, sizes, (start, one, other, cuts) => {
        const known = Buffer.concat([start, one]);
        const given = Buffer.concat([start, other]);

        expect(decode(given.toString('base64'), cuts, known)?.equals(given)).toBe(true);
      }),
    );
  });
});
