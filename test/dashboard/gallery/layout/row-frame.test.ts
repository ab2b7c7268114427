import { expect, it } from 'vitest';
import { rowFrame } from '../../../../dashboard/src/gallery/layout/row-layout.ts';

it.each([
  [360, 128, 4],
  [768, 168, 6],
  [1280, 190, 6],
  [1920, 236, 8],
  [3840, 320, 8],
])('a window of %d px has rows of %d px, %d px apart', (windowWidth, rowHeight, gap) => {
  expect(rowFrame(windowWidth, 300, 1)).toMatchObject({ width: 300, rowHeight, gap });
});

it('rows follow the chosen scale where there is room for the choice', () => {
  expect(rowFrame(1280, 800, 1.5).rowHeight).toBe(285);
  expect(rowFrame(390, 366, 1.5).rowHeight).toBe(128);
});
