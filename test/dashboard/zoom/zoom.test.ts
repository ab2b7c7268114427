import { describe, expect, it } from 'vitest';
import { keepInside } from '../../../dashboard/src/zoom/zoom.ts';

const STAGE = { width: 800, height: 600 };

describe('keepInside', () => {
  it.each([
    [
      'keeps a zoom that shows only the stage',
      { x: -200, y: -100, k: 2 },
      { x: -200, y: -100, k: 2 },
    ],
    [
      'moves one that shows what is beyond an edge',
      { x: 50, y: -9999, k: 2 },
      { x: 0, y: -600, k: 2 },
    ],
    ['keeps a stage that is shown whole where it is', { x: -5, y: 5, k: 1 }, { x: 0, y: 0, k: 1 }],
  ])('%s', (_name, zoomed, kept) => {
    expect(keepInside(zoomed, STAGE)).toEqual(kept);
  });
});
