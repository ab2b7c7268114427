import { describe, expect, it } from 'vitest';
import { cutOut } from '../../../../lib/images/matte/cut-out.ts';
import { at, checksum, cut, drawn, noisyBall } from './images.ts';

const GREEN = [0, 255, 0];
const RED = [200, 30, 20];
const inside = (x: number, y: number, from: number, to: number) =>
  x >= from && x < to && y >= from && y < to;

/** A square of `color` from 10 to 30 in an image of 40. */
const square = (color: readonly number[], ground: readonly number[] = GREEN) =>
  drawn(40, 40, (x, y) => (inside(x, y, 10, 30) ? color : ground));

describe('cutOut: the alpha', () => {
  it.each([
    [0, 0],
    [12, 0],
    [13, 3],
    [54, 128],
    [95, 252],
    [96, 255],
    [255, 255],
  ])('maps a distance of %i to alpha %i', (distance, alpha) => {
    const image = square([distance, 255, 0]);

    const [, , , middle] = at(cut(image), 20, 20);

    expect(middle).toBe(alpha);
  });

  it('follows the greatest difference of one channel', () => {
    const [, , , middle] = at(cut(square([50, 201, 54])), 20, 20);

    expect(middle).toBe(128);
  });

  it('follows the thresholds of the task', () => {
    const alphas = [100, 150, 200].map((distance) => {
      const thresholds = { transparentThreshold: 100, opaqueThreshold: 200 };
      return at(cut(square([distance, 255, 0]), thresholds), 20, 20)[3];
    });

    expect(alphas).toEqual([0, 128, 255]);
  });

  it('clears areas enclosed by the subject', () => {
    const image = drawn(40, 40, (x, y) =>
      inside(x, y, 10, 30) && !inside(x, y, 17, 23) ? RED : GREEN,
    );

    const result = cut(image);

    expect(at(result, 20, 20)).toEqual([0, 0, 0, 0]);
    expect(at(result, 13, 20)).toEqual([...RED, 255]);
  });

  it('keeps the alpha of the image', () => {
    const image = square([...RED, 128]);

    const result = cut(image);

    expect(at(result, 20, 20)[3]).toBe(128);
    expect(at(result, 0, 0)[3]).toBe(0);
  });

  it('clears an image that is only background', () => {
    const result = cut(drawn(9, 7, () => GREEN));

    expect(new Set(result.pixels)).toEqual(new Set([0]));
  });
});

describe('cutOut: the key', () => {
  it.each([
    ['exactly the requested colour', [0, 255, 0], [0, 255, 0]],
    ['near the requested colour', [24, 240, 30], [0, 255, 0]],
    ['the green of a film set', [0, 177, 64], [0, 255, 0]],
    ['magenta', [250, 8, 240], [255, 0, 255]],
    ['grey', [128, 128, 128], [120, 120, 120]],
  ] as const)('is found if the border is %s', (_, ground, key) => {
    const result = cut(square(RED, ground), { key });

    expect(at(result, 0, 0)[3]).toBe(0);
    expect(at(result, 20, 20)).toEqual([...RED, 255]);
  });

  it('is found even if the subject covers most of the border', () => {
    const ground = [30, 230, 40];
    const image = drawn(64, 64, (_, y) => (y >= 6 ? RED : ground));

    const result = cut(image);

    expect(at(result, 30, 2)[3]).toBe(0);
    expect(at(result, 30, 40)[3]).toBe(255);
  });

  it('is the requested colour if no colour at the border is near it', () => {
    const image = drawn(40, 40, (x, y) => (inside(x, y, 10, 30) ? GREEN : [255, 255, 255]));

    const result = cut(image);

    expect(at(result, 0, 0)).toEqual([255, 255, 255, 255]);
    expect(at(result, 20, 20)[3]).toBe(0);
  });

  it('is taken from the opaque part of the border only', () => {
    const image = drawn(40, 40, (x, y) => {
      if (inside(x, y, 10, 30)) return RED;
      return y === 0 && x < 3 ? [20, 235, 20] : [90, 255, 90, 10];
    });

    const result = cut(image, { transparentThreshold: 0, opaqueThreshold: 1 });

    expect(at(result, 0, 0)[3]).toBe(0);
  });
});

describe('cutOut: the colours along the edge', () => {
  const half = (color: readonly number[], key: readonly number[]) =>
    color.map((value, channel) => Math.round((value + (key[channel] ?? 0)) / 2));

  it.each([
    ['white', [250, 250, 250]],
    ['black', [10, 10, 12]],
    ['grey', [128, 128, 128]],
    ['red', RED],
    ['blue', [30, 60, 200]],
    ['dark green', [40, 110, 50]],
    ['yellow', [240, 200, 40]],
  ])('replaces the mixed edge of a %s subject with the colour of the subject', (_, color) => {
    const image = drawn(40, 40, (x, y) => {
      if (inside(x, y, 11, 29)) return color;
      return inside(x, y, 10, 30) ? half(color, GREEN) : GREEN;
    });

    const [r, g, b, alpha] = at(cut(image), 10, 20);

    const gaps = [r, g, b].map((value, channel) => Math.abs(value! - color[channel]!));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3);
    expect(alpha).toBeGreaterThan(90);
  });

  it.each([
    ['magenta', [255, 0, 255]],
    ['blue', [0, 0, 255]],
    ['cyan', [0, 255, 255]],
    ['white', [255, 255, 255]],
    ['an arbitrary colour', [200, 90, 30]],
  ] as const)('replaces the mixed edge of a subject on a key of %s', (_, key) => {
    const color = [60, 130, 40];
    const image = drawn(40, 40, (x, y) => {
      if (inside(x, y, 11, 29)) return color;
      return inside(x, y, 10, 30) ? half(color, key) : key;
    });

    const [r, g, b] = at(cut(image, { key }), 10, 20);

    const gaps = [r, g, b].map((value, channel) => Math.abs(value! - color[channel]!));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3);
  });

  it('removes all green from a line of one pixel', () => {
    const line = half([90, 60, 40], GREEN);
    const image = drawn(40, 40, (x) => (x === 20 ? line : GREEN));

    const [r, g, b, alpha] = at(cut(image), 20, 20);

    expect(g).toBeLessThanOrEqual(Math.max(r!, b!));
    expect(alpha).toBe(255);
  });

  it('removes the key from grey smoke', () => {
    const smoke = [80, 233, 82];
    const image = square(smoke);

    const [r, g, b] = at(cut(image, { opaqueThreshold: 250 }), 20, 20);

    expect(Math.max(r!, g!, b!) - Math.min(r!, g!, b!)).toBeLessThanOrEqual(6);
  });

  it('changes no colours without despill', () => {
    const image = noisyBall(48);

    const result = cut(image, { despill: false });

    const kept = [...image.pixels.keys()].filter(
      (index) => index % 4 !== 3 && result.pixels[index | 3] !== 0,
    );
    expect(kept.every((index) => result.pixels[index] === image.pixels[index])).toBe(true);
  });
});

describe('cutOut: the work', () => {
  it('ends early when the stop flag is set', () => {
    const stop = new SharedArrayBuffer(4);
    new Int32Array(stop)[0] = 1;

    const isDone = cutOut({
      data: new ArrayBuffer(4 * 64 * 64),
      width: 64,
      height: 64,
      key: [0, 255, 0],
      transparentThreshold: 12,
      opaqueThreshold: 96,
      despill: true,
      stop,
    });

    expect(isDone).toBe(false);
  });

  it.each([
    [1, 1],
    [1, 9],
    [9, 1],
    [3, 4],
  ])('processes an image of %i by %i', (width, height) => {
    const result = cut(drawn(width, height, (x) => (x === 0 ? GREEN : RED)));

    expect(at(result, 0, 0)[3]).toBe(0);
    expect(result.pixels).toHaveLength(width * height * 4);
  });

  it('produces the same bytes on every machine', () => {
    expect(checksum(cut(noisyBall(97)))).toBe(
      '199affc26977395a6e9479b20d472e480a681f85235d471aaa0712e3d4fc7673',
    );
  });
});
