import { describe, expect, it } from 'vitest';
import type { Capabilities } from '../../../../dashboard/src/api/schemas.ts';
import {
  parseSize,
  shapeOf,
  sizeFault,
  toShapes,
} from '../../../../dashboard/src/make/size/shapes.ts';

type Sizes = Capabilities['sizes'];

const listed = (...allowed: readonly string[]): Sizes => ({
  ...({ arbitrary: false, allowed } as unknown as Sizes),
});
const arbitrary = (limits: Partial<Sizes>): Sizes => ({ ...listed(), arbitrary: true, ...limits });

describe('toShapes', () => {
  it('sorts the sizes of a model into shapes, smallest first', () => {
    const shapes = toShapes(listed('auto', '2048x2048', '1024x1024', '1536x1024'));

    expect(shapes.map(({ name, sizes }) => [name, ...sizes])).toEqual([
      ['1:1', '1024x1024', '2048x2048'],
      ['3:2', '1536x1024'],
      ['2:3'],
      ['16:9'],
      ['9:16'],
    ]);
  });

  it('adds the shapes that only this model has', () => {
    expect(toShapes(listed('2048x512')).at(-1)).toEqual({
      name: '4:1',
      ratio: 4,
      sizes: ['2048x512'],
    });
  });

  it('offers sizes within the limits of a model that supports any size', () => {
    const [square] = toShapes(arbitrary({ edge_multiple: 64, max_pixels: 3_000_000 }));

    expect(square?.sizes).toEqual(['1024x1024', '1536x1536']);
  });
});

describe('shapeOf', () => {
  it('finds the shape of a size that differs by a few pixels', () => {
    const shapes = toShapes(listed());

    expect(shapeOf('1360x768', shapes)?.name).toBe('16:9');
    expect(shapeOf('auto', shapes)).toBeUndefined();
    expect(shapeOf('3000x100', shapes)).toBeUndefined();
  });
});

describe('parseSize', () => {
  it.each(['auto', '0x10', '10x', '10×10', '1000000x1', ' 10x10'])('rejects "%s"', (size) => {
    expect(parseSize(size)).toBeUndefined();
  });
});

describe('sizeFault', () => {
  const sizes = arbitrary({
    min_edge: 64,
    max_edge: 4096,
    edge_multiple: 16,
    min_pixels: 10_000,
    max_pixels: 8_000_000,
    max_aspect_ratio: 3,
  });

  it.each([
    [1024, 1024, undefined],
    [32, 1024, { fault: 'small', limit: 64 }],
    [8192, 1024, { fault: 'large', limit: 4096 }],
    [1000, 1024, { fault: 'multiple', limit: 16 }],
    [4096, 4096, { fault: 'many', limit: 8_000_000 }],
    [64, 64, { fault: 'few', limit: 10_000 }],
    [4096, 1024, { fault: 'long', limit: 3 }],
  ])('returns what is wrong with %d × %d', (width, height, fault) => {
    expect(sizeFault(width, height, sizes)).toEqual(fault);
  });
});
