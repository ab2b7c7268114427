import { describe, expect, it } from 'vitest';
import {
  layoutSheet,
  SHEETS,
  type SheetName,
} from '../../../../dashboard/src/light-table/sheet/sheet-layout.ts';

const NAMES = Object.keys(SHEETS) as SheetName[];
const SHAPES = [
  { width: 768, height: 512 },
  { width: 512, height: 512 },
  { width: 256, height: 1024 },
];

describe('layoutSheet', () => {
  it.each(NAMES.flatMap((name) => [1, 2, 5, 9].map((count) => [count, name] as const)))(
    'places %i images and their captions on the page %s, and none over another',
    (count, name) => {
      const page = SHEETS[name].pixels;
      const images = Array.from({ length: count }, (_, nth) => SHAPES[nth % 3] ?? page);

      const { head, cells } = layoutSheet(page, images);

      const places = [head, ...cells.flatMap(({ image, caption }) => [image, caption])];
      for (const { left, top, width, height } of places) {
        expect(Math.min(left, top, width, height)).toBeGreaterThan(0);
        expect(left + width).toBeLessThanOrEqual(page.width);
        expect(top + height).toBeLessThanOrEqual(page.height);
      }
      const covers = places.flatMap((one, index) =>
        places
          .slice(index + 1)
          .filter(
            (other) =>
              one.left + 0.01 < other.left + other.width &&
              other.left + 0.01 < one.left + one.width &&
              one.top + 0.01 < other.top + other.height &&
              other.top + 0.01 < one.top + one.height,
          ),
      );
      expect(covers).toEqual([]);
    },
  );

  it('keeps the shape of each image', () => {
    const { cells } = layoutSheet(SHEETS.a4.pixels, SHAPES);

    const ratios = cells.map(({ image }) => (image.width / image.height).toFixed(3));
    expect(ratios).toEqual(['1.500', '1.000', '0.250']);
  });
});
