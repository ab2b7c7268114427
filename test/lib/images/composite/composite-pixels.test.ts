import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blendPixel } from '../../../../lib/images/composite/composite-pixels.ts';

const byte = fc.nat(255);
const rgba = fc.tuple(byte, byte, byte, byte);

function blend(one: readonly number[], other: readonly number[], weight: number): number[] {
  const target = Uint8Array.from(one);
  const planeOf = (bytes: Uint8Array) => ({ bytes, channels: bytes.length === 4 ? 4 : 3 }) as const;
  blendPixel(planeOf(target), planeOf(Uint8Array.from(other)), 0, weight);
  return [...target];
}

describe('blendPixel', () => {
  it('keeps a pixel with weight 0, and replaces the pixel with weight 255, including transparent colours', () => {
    fc.assert(
      fc.property(rgba, rgba, (one, other) => {
        expect(blend(one, other, 255)).toEqual(other);
        if (one[3] > 0) expect(blend(one, other, 0)).toEqual(one);
      }),
    );
  });

  it.each([
    ['opaque pixels', [0, 0, 0], [255, 100, 10], 51, [51, 20, 2]],
    ['a pixel with an invisible one', [10, 20, 30, 255], [200, 200, 200, 0], 51, [10, 20, 30, 204]],
    ['two invisible ones', [10, 20, 30, 0], [1, 2, 3, 0], 51, [1, 2, 3, 0]],
    ['a pixel with alpha and one without', [0, 0, 0, 0], [9, 8, 7], 255, [9, 8, 7, 255]],
  ])('blends %s', (_, one, other, weight, expected) => {
    expect(blend(one, other, weight)).toEqual(expected);
  });
});
