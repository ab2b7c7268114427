import { describe, expect, it } from 'vitest';
import { createPainting } from '../../../dashboard/src/mask/painting.ts';

const point = (x: number, y: number, pressure = 1) => ({ x, y, pressure });
const SIZE = { width: 200, height: 100 };

describe('createPainting', () => {
  it('makes one step of one stroke', () => {
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

  it('leaves nothing of a stroke that is cancelled', () => {
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

  it('begins with the mask that the image has', () => {
    const start = new Uint8Array(20_000).fill(255, 0, 5000);

    expect(createPainting(SIZE, SIZE, start).share.value).toBe(0.25);
  });

  it('adds and takes away rectangles in pixels of the source, also where it is painted smaller', () => {
    const painting = createPainting({ width: 2000, height: 1000 }, SIZE);

    painting.rectangle({ x: 0, y: 0, width: 1000, height: 1000 }, 'brush');
    painting.rectangle({ x: 500, y: 0, width: 500, height: 1000 }, 'eraser');

    expect(painting.share.value).toBe(0.25);
    painting.invert();
    expect(painting.share.value).toBe(0.75);
    painting.clear();
    expect(painting.share.value).toBe(0);
  });

  it('reports what has changed, as long as somebody listens', () => {
    const painting = createPainting(SIZE, SIZE);
    const reported: object[] = [];
    const stop = painting.subscribe((rect) => reported.push(rect));

    painting.rectangle({ x: 10, y: 20, width: 30, height: 40 }, 'brush');
    stop();
    painting.clear();

    expect(reported).toEqual([{ x: 10, y: 20, width: 30, height: 40 }]);
  });

  it('does nothing else while a stroke is on its way', () => {
    const painting = createPainting(SIZE, SIZE);
    painting.strokes.begin(point(20, 50));
    const { value: before } = painting.share;

    painting.invert();
    painting.undo();

    expect(painting.share.value).toBe(before);
  });
});
