import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, type Drawn, drawn } from './images.ts';

/** Colours at all distances from a key of green, the background most often. */
const color = fc.oneof(
  { weight: 4, arbitrary: fc.constant([0, 255, 0]) },
  { weight: 3, arbitrary: fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)) },
  { weight: 2, arbitrary: fc.nat(110).map((far) => [far, 255 - far, 0]) },
  { weight: 1, arbitrary: fc.constant([220, 40, 40]) },
);

const image = fc
  .record({ width: fc.integer({ min: 1, max: 14 }), height: fc.integer({ min: 1, max: 14 }) })
  .chain(({ width, height }) =>
    fc
      .array(color, { minLength: width * height, maxLength: width * height })
      .map((colors) => drawn(width, height, (x, y) => colors[y * width + x] ?? [])),
  );

const thresholds = fc.tuple(fc.nat(254), fc.nat(254)).map(([one, other]) => ({
  transparentThreshold: Math.min(one, other),
  opaqueThreshold: Math.max(one, other) + 1,
}));

// A flat frame of exactly the key, so that the key found along the border is known.
const framed = ({ pixels, width, height }: Drawn): Drawn =>
  drawn(width + 8, height + 8, (x, y) => {
    const isFrame = x < 4 || y < 4 || x >= width + 4 || y >= height + 4;
    const from = ((y - 4) * width + x - 4) * 4;
    return isFrame ? [0, 255, 0] : [...pixels.subarray(from, from + 4)];
  });

function naiveAlpha([r = 0, g = 0, b = 0]: readonly number[], low: number, high: number): number {
  const distance = Math.max(r, 255 - g, b);
  if (distance <= low) return 0;
  return distance >= high ? 255 : Math.round(((distance - low) * 255) / (high - low));
}

describe('cutOut, for any image', () => {
  it('sets the alpha by the distance to the key, and changes colours only along the edge', () => {
    fc.assert(
      fc.property(image, thresholds, (small, limits) => {
        const source = framed(small);
        const { width, height } = source;
        const alphas = Array.from({ length: width * height }, (_, pixel) =>
          naiveAlpha(
            [...source.pixels.subarray(pixel * 4, pixel * 4 + 3)],
            limits.transparentThreshold,
            limits.opaqueThreshold,
          ),
        );
        const isByTheCut = (pixel: number) =>
          alphas.some((alpha, other) => {
            const columns = Math.abs((pixel % width) - (other % width));
            const lines = Math.abs(Math.floor(pixel / width) - Math.floor(other / width));
            return alpha < 255 && Math.hypot(columns, lines) <= 2;
          });

        const result = cut(source, limits);

        for (const [pixel, alpha] of alphas.entries()) {
          const [own, made] = [source, result].map(({ pixels }) => [
            ...pixels.subarray(pixel * 4, pixel * 4 + 4),
          ]);
          expect(made?.[3]).toBe(alpha);
          if (alpha === 0) expect(made).toEqual([0, 0, 0, 0]);
          else if (!isByTheCut(pixel)) expect(made).toEqual(own);
        }
      }),
      { seed: 20_260_401, numRuns: 150 },
    );
  });

  it('never makes a pixel greener', () => {
    const excess = ([r = 0, g = 0, b = 0]: readonly number[]) => g - Math.max(r, b);
    fc.assert(
      fc.property(image, (small) => {
        const source = framed(small);

        const result = cut(source);

        for (let at = 0; at < source.pixels.length; at += 4) {
          if (result.pixels[at + 3] === 0) continue;
          const before = excess([...source.pixels.subarray(at, at + 3)]);
          expect(excess([...result.pixels.subarray(at, at + 3)])).toBeLessThanOrEqual(
            Math.max(before, 0) + 1,
          );
        }
      }),
      { seed: 20_260_402, numRuns: 150 },
    );
  });
});
