import { describe, expect, it } from 'vitest';
import { createEdit } from '../../../dashboard/src/canvas/edit.ts';

const point = (x: number, y: number, pressure = 1) => ({ x, y, pressure });
const SIZE = { width: 200, height: 100 };

describe('createEdit', () => {
  it('makes one step from each stroke', () => {
    const { strokes, share, steps, undo, redo } = createEdit({ source: SIZE, size: SIZE });

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
    const { strokes, share, steps } = createEdit({ source: SIZE, size: SIZE });

    strokes.begin(point(20, 50));
    strokes.extend(point(60, 50));
    strokes.cancel();

    expect(share.value).toBe(0);
    expect(steps.value.canUndo).toBe(false);
  });

  it('paints less where a pen presses less', () => {
    const hard = createEdit({ source: SIZE, size: SIZE });
    const soft = createEdit({ source: SIZE, size: SIZE });

    hard.strokes.begin(point(100, 50));
    soft.strokes.begin(point(100, 50, 0.2));

    expect(soft.share.value).toBeLessThan(hard.share.value / 3);
    expect(soft.share.value).toBeGreaterThan(0);
  });

  it('starts with the existing mask of the image', () => {
    const start = new Uint8Array(20_000).fill(255, 0, 5000);

    expect(createEdit({ source: SIZE, size: SIZE, pixels: start }).share.value).toBe(0.25);
  });

  it('replaces the mask and removes its edge in one step, which undo reverts', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    const left = new Uint8Array(20_000).map((_, at) => (at % 200 < 100 ? 255 : 0));
    edit.rectangle({ x: 0, y: 0, width: 20, height: 100 }, 'brush');
    edit.set({ feather: 12, grow: -3 });

    edit.replaceMask(left);
    const replaced = { share: edit.share.value, ...edit.settings.value };
    edit.undo();

    expect(replaced).toMatchObject({ share: 0.5, feather: 0, grow: 0 });
    expect(edit.share.value).toBe(0.1);
    expect(edit.settings.value).toMatchObject({ feather: 12, grow: -3 });
    edit.redo();
    expect(edit.plane.pixels).toEqual(left);
    expect(edit.settings.value).toMatchObject({ feather: 0, grow: 0 });
  });

  it('makes no step from a mask that is in place already', () => {
    const start = new Uint8Array(20_000).fill(255, 0, 5000);
    const edit = createEdit({ source: SIZE, size: SIZE, pixels: start });

    edit.replaceMask(start);

    expect(edit.steps.value.canUndo).toBe(false);
  });

  it('adds and removes rectangles in pixels of the source, also if the plane is smaller', () => {
    const edit = createEdit({ source: { width: 2000, height: 1000 }, size: SIZE });

    edit.rectangle({ x: 0, y: 0, width: 1000, height: 1000 }, 'brush');
    edit.rectangle({ x: 500, y: 0, width: 500, height: 1000 }, 'eraser');

    expect(edit.share.value).toBe(0.25);
    edit.invert();
    expect(edit.share.value).toBe(0.75);
    edit.clear();
    expect(edit.share.value).toBe(0);
  });

  it('fills the shape that a lasso encloses, and takes the shape away again', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.brush.choose('lasso');
    const draw = (isReversed: boolean) => {
      edit.strokes.begin(point(50, 20), isReversed);
      edit.strokes.extend(point(150, 20));
      edit.strokes.extend(point(150, 70));
      edit.strokes.end(point(50, 70));
    };

    draw(false);
    expect(edit.share.value).toBeCloseTo(0.25);
    expect(edit.strokes.trace.value).toEqual([]);
    draw(true);
    expect(edit.share.value).toBe(0);
    edit.undo();
    edit.brush.setTakes(true);
    draw(false);
    expect(edit.share.value).toBe(0);
    edit.undo();
    expect(edit.share.value).toBeCloseTo(0.25);
  });

  it('fills the rectangle between two corners in whole pixels', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.brush.choose('rectangle');

    edit.strokes.begin(point(150.2, 70.4));
    edit.strokes.extend(point(120, 60));
    edit.strokes.end(point(50.3, 20.1));

    expect(edit.share.value).toBe(0.25);
  });

  it('has one undo history for the mask, its edge and the canvas', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.rectangle({ x: 0, y: 0, width: 100, height: 100 }, 'brush');
    edit.set({ area: { x: -100, y: 0, width: 300, height: 100 } });
    edit.set({ feather: 4 }, 'feather');
    edit.set({ feather: 8 }, 'feather');

    edit.undo();
    expect(edit.settings.value).toMatchObject({ feather: 0, area: { x: -100 } });
    expect(edit.share.value).toBeCloseTo(2 / 3);
    edit.undo();
    expect(edit.settings.value.area).toEqual({ x: 0, y: 0, ...SIZE });
    expect(edit.share.value).toBe(0.5);
    edit.undo();
    expect(edit.share.value).toBe(0);
  });

  it('counts only the part of the mask that a crop keeps', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.rectangle({ x: 0, y: 0, width: 50, height: 100 }, 'brush');

    edit.set({ area: { x: 0, y: 0, width: 100, height: 100 } });

    expect(edit.share.value).toBe(0.5);
  });

  it('counts the part that a crop keeps after each change as if all pixels were counted again', () => {
    const size = { width: 700, height: 600 };
    const area = { x: 30, y: 300, width: 600, height: 200 };
    const edit = createEdit({ source: size, size });
    const countedAgain = () =>
      createEdit({ source: size, size, pixels: Uint8Array.from(edit.plane.pixels), area }).share
        .value;
    edit.set({ area });
    const paint = () => {
      edit.strokes.begin(point(100, 280));
      edit.strokes.extend(point(400, 420));
      edit.strokes.end(point(650, 500));
    };
    const cancel = () => {
      edit.strokes.begin(point(300, 400));
      edit.strokes.extend(point(500, 400));
      edit.strokes.cancel();
    };
    const addRectangle = () => edit.rectangle({ x: 200, y: 200, width: 300, height: 200 }, 'brush');

    const { undo, redo, invert, clear } = edit;
    for (const change of [paint, addRectangle, undo, cancel, redo, invert, undo, clear, undo]) {
      change();
      expect(edit.share.value).toBe(countedAgain());
    }
    expect(edit.share.value).toBeGreaterThan(0.1);
  });

  it('discards the mask and the canvas in one step', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.rectangle({ x: 0, y: 0, width: 100, height: 100 }, 'brush');
    edit.set({ area: { x: 0, y: 0, width: 100, height: 100 }, grow: 3 });

    edit.discard();
    expect([edit.share.value, edit.settings.value.grow]).toEqual([0, 0]);
    edit.undo();

    expect([edit.share.value, edit.settings.value.grow]).toEqual([1, 3]);
  });

  it('reports changes until the listener is removed', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    const reported: object[] = [];
    const stop = edit.subscribe((rect) => reported.push(rect));

    edit.rectangle({ x: 10, y: 20, width: 30, height: 40 }, 'brush');
    stop();
    edit.clear();

    expect(reported).toEqual([{ x: 10, y: 20, width: 30, height: 40 }]);
  });

  it('ignores other changes during a stroke', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.strokes.begin(point(20, 50));
    const { value: before } = edit.share;

    edit.invert();
    edit.undo();

    expect(edit.share.value).toBe(before);
  });
});
