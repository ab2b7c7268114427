import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBase64Decoder } from '../../../../lib/providers/agent-responses/base64-decoder.ts';

function decode(text: string, sizes: readonly number[]): Buffer | undefined {
  const decoder = createBase64Decoder();
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
  it('decodes what was encoded, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), sizes, (bytes, cuts) => {
        const text = Buffer.from(bytes).toString('base64');

        expect(decode(text, cuts)?.equals(bytes)).toBe(true);
      }),
    );
  });

  it('takes nothing but what encoding makes, wherever it is cut', () => {
    const letters = fc.constantFrom(...'AZaz09+/=-_ \n*é\\');
    fc.assert(
      fc.property(fc.string({ unit: letters, maxLength: 12 }), sizes, (text, cuts) => {
        const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

        expect(decode(text, cuts) !== undefined).toBe(isBase64.test(text));
      }),
      { numRuns: 2000 },
    );
  });
});
