import { describe, expect, it } from 'vitest';
import { drawnSize, seenAt, toView } from '../../../../dashboard/src/canvas/stage/stage-view.ts';

const STAGE = { width: 1000, height: 600 };
const UNZOOMED = { x: 0, y: 0, k: 1 };

describe('toView', () => {
  it('centres the whole image with its margin', () => {
    const view = toView({ x: 0, y: 0, width: 400, height: 200 }, STAGE, 20, UNZOOMED);

    expect(view).toEqual({ left: 20, top: 60, scale: 2.4 });
    expect(seenAt({ x: 100, y: 50, width: 10, height: 20 }, view)).toEqual({
      x: 260,
      y: 180,
      width: 24,
      height: 48,
    });
  });

  it('centres an area that reaches beyond the image', () => {
    const area = { x: -100, y: 0, width: 500, height: 200 };

    const view = toView(area, STAGE, 0, UNZOOMED);

    expect(seenAt(area, view)).toEqual({ x: 0, y: 100, width: 1000, height: 400 });
  });

  it('places a point where the zoom has moved it', () => {
    const plane = { x: 0, y: 0, width: 400, height: 200 };
    const fit = toView(plane, STAGE, 20, UNZOOMED);
    const zoomed = toView(plane, STAGE, 20, { x: -300, y: -200, k: 3 });

    expect(zoomed.left + 100 * zoomed.scale).toBeCloseTo(3 * (fit.left + 100 * fit.scale) - 300);
    expect(zoomed.top + 50 * zoomed.scale).toBeCloseTo(3 * (fit.top + 50 * fit.scale) - 200);
  });

  it('returns a positive scale if the stage has no size yet', () => {
    expect(
      toView({ x: 0, y: 0, width: 400, height: 200 }, { width: 1, height: 1 }, 20, UNZOOMED).scale,
    ).toBeGreaterThan(0);
  });
});

describe('drawnSize', () => {
  const plane = { width: 2896, height: 1001 };

  it.each([
    [4, 2896, 1001],
    [1, 2896, 1001],
    [0.51, 2896, 1001],
    [0.5, 1448, 501],
    [0.28, 1448, 501],
    [0.2, 724, 251],
  ])(
    'returns at a scale of %d at least as many pixels as are visible, and at most twice as many',
    (scale, width, height) => {
      expect(drawnSize(plane, scale)).toEqual({ width, height });
    },
  );
});
