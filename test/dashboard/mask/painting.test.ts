import { describe, expect, it } from 'vitest';
import { createPainting } from '../../../dashboard/src/mask/painting.ts';

const point = (x: number, y: number, pressure = 1) => ({ x, y, pressure });
const SIZE = { width: 200, height: 100 };

describe('createPainting', () => {
  it('makes one step from each stroke', () => {
    const { strokes, share, steps, undo, redo } = createPainting(SIZE, SIZE);

    strokes.begin(point(20, 50));
    strokes.extend(point(60, 50));
    strokes.end(point(100, 50));
    const painted = share.value;
    undo();

    expect(painted).toBeGreaterThan(0.08);
    expect(share.value).toBe(0);
    expect(steps.value).toEqual({ canUndo: false, canRedo: true });
    redo();
    expect(share.value).toBe(painted);
  });

  it('reverts a cancelled stroke completely', () => {
    const { strokes, share, steps } = createPainting(SIZE, SIZE);

    strokes.begin(point(20, 50));
    strokes.extend(point(60, 50));
    strokes.cancel();

    expect(share.value).toBe(0);
    expect(steps.value.canUndo).toBe(false);
  });

  it('paints less where a pen presses less', () => {
    const hard = createPainting(SIZE, SIZE);
    const soft = createPainting(SIZE, SIZE);

    hard.strokes.begin(point(100, 50));
    soft.strokes.begin(point(100, 50, 0.2));

    expect(soft.share.value).toBeLessThan(hard.share.value / 3);
    expect(soft.share.value).toBeGreaterThan(0);
  });

  it('starts with the existing mask of the image', () => {
    const start = new Uint8Array(20_000).fill(255, 0, 5000);

    expect(createPainting(SIZE, SIZE, start).share.value).toBe(0.25);
  });

  it('adds and removes rectangles in pixels of the source, also if the plane is smaller', () => {
    const painting = createPainting({ width: 2000, height: 1000 }, SIZE);

    painting.rectangle({ x: 0, y: 0, width: 1000, height: 1000 }, 'brush');
    painting.rectangle({ x: 500, y: 0, width: 500, height: 1000 }, 'eraser');

    expect(painting.share.value).toBe(0.25);
    painting.invert();
    expect(painting.share.value).toBe(0.75);
    painting.clear();
    expect(painting.share.value).toBe(0);
  });

  it('reports changes until the listener is removed', () => {
    const painting = createPainting(SIZE, SIZE);
    const reported: object[] = [];
    const stop = painting.subscribe((rect) => reported.push(rect));

    painting.rectangle({ x: 10, y: 20, width: 30, height: 40 }, 'brush');
    stop();
    painting.clear();

    expect(reported).toEqual([{ x: 10, y: 20, width: 30, height: 40 }]);
  });

  it('ignores other changes during a stroke', () => {
    const painting = createPainting(SIZE, SIZE);
    painting.strokes.begin(point(20, 50));
    const { value: before } = painting.share;

    painting.invert();
    painting.undo();

    expect(painting.share.value).toBe(before);
  });
});
