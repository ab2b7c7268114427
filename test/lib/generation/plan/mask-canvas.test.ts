import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { maskCanvas } from '../../../../lib/generation/plan/mask-canvas.ts';
import { isSupported } from '../../../../lib/generation/plan/nearest-size.ts';
import { gptImage1, maskEmulated } from '../capability-documents.ts';

type Sizes = CapabilityDocument['sizes'];

const free = maskEmulated.sizes;
const listed = gptImage1.sizes;
const none: Sizes = { auto: true, allowed: [], arbitrary: false };

describe('maskCanvas', () => {
  it.each<[string, Sizes, string, string, string]>([
    ['a size of the model as it is', free, '1024x1024', '1024x1024', '1024x1024+0+0'],
    ['what is no multiple of its edges', free, '1000x701', '1008x704', '1000x701+4+1'],
    ['what has too few pixels', free, '100x100', '816x816', '100x100+358+358'],
    ['what is too narrow', free, '3000x100', '3008x1008', '3000x100+4+454'],
    ['what is too long, smaller', free, '7680x4320', '3840x2160', '3840x2160+0+0'],
    ['what has too many pixels, smaller', free, '4000x4000', '2880x2880', '2880x2880+0+0'],
    ['one pixel', free, '1x1', '816x816', '1x1+407+407'],
    ['a listed size as it is', listed, '1536x1024', '1536x1024', '1536x1024+0+0'],
    ['an image on the smallest listed size', listed, '1000x600', '1024x1024', '1000x600+12+212'],
    ['a wide image on a wide size', listed, '1500x1000', '1536x1024', '1500x1000+18+12'],
    ['what no listed size holds, smaller', listed, '3072x1024', '1536x1024', '1536x512+0+256'],
    ['anything where a model has no sizes', none, '123x45', '123x45', '123x45+0+0'],
  ])('takes %s', (_, sizes, image, canvas, area) => {
    const found = maskCanvas(sizes, edgesOf(image));

    expect(found && `${found.width}x${found.height}`).toBe(canvas);
    const { width, height, left, top } = found?.area ?? {};
    expect(`${width}x${height}+${left}+${top}`).toBe(area);
  });

  it('finds nothing where no size holds anything', () => {
    const empty: Sizes = { ...free, min_edge: 64, max_edge: 32 };

    expect(maskCanvas(empty, edgesOf('10x10'))).toBeUndefined();
  });

  it('takes a listed size before a free one that scales the image', () => {
    const sizes: Sizes = { ...free, allowed: ['6000x100'] };

    expect(maskCanvas(sizes, edgesOf('6000x90'))).toMatchObject({ width: 6000, height: 100 });
  });

  it('holds every image on a size of the model, unscaled wherever the size next to it is one', () => {
    const edge = fc.integer({ min: 1, max: 16_384 });
    const cases = fc.record({
      width: edge,
      height: edge,
      sizes: fc.oneof(
        fc.constant(free),
        fc.constant(listed),
        fc.record({
          auto: fc.constant(true),
          allowed: fc.constantFrom<string[]>([], ['1024x1024']),
          arbitrary: fc.constant(true),
          edge_multiple: fc.constantFrom(1, 8, 16, 64),
          min_edge: fc.constantFrom(64, 256),
          max_edge: fc.constantFrom(1024, 4096),
        }),
      ),
    });

    fc.assert(
      fc.property(cases, ({ sizes, ...image }) => {
        const canvas = maskCanvas(sizes, image);

        if (!canvas) throw new Error('no canvas');
        const { area } = canvas;
        expect(isSupported(sizes, `${canvas.width}x${canvas.height}`)).toBe(true);
        expect(
          Math.min(area.left, area.top, area.width - 1, area.height - 1),
        ).toBeGreaterThanOrEqual(0);
        expect(area.left + area.width).toBeLessThanOrEqual(canvas.width);
        expect(area.top + area.height).toBeLessThanOrEqual(canvas.height);
        expect(area.width <= image.width && area.height <= image.height).toBe(true);
        const { edge_multiple: step = 1 } = sizes;
        const next = (length: number) => Math.ceil(length / step) * step;
        if (isSupported(sizes, `${next(image.width)}x${next(image.height)}`)) {
          expect(area).toMatchObject(image);
        }
      }),
    );
  });
});

function edgesOf(size: string) {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}
