import { expect, it } from 'vitest';
import { thumbnailPath } from '../../../../dashboard/src/images/image-cache.ts';

it.each([
  [180, 120, 1, 256],
  [256, 120, 1, 256],
  [257, 120, 1, 512],
  [120, 300, 2, 1024],
  [900, 600, 2, 2048],
  [2000, 1000, 3, 2048],
])('a box of %d × %d at density %d has a thumbnail of %d', (width, height, density, edge) => {
  expect(thumbnailPath('a', width, height, density)).toBe(`/v1/artifacts/a/thumbnail?edge=${edge}`);
});
