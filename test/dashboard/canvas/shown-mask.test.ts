import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEdit } from '../../../dashboard/src/canvas/edit.ts';
import type { Rect } from '../../../dashboard/src/canvas/plane.ts';
import { createShownMask } from '../../../dashboard/src/canvas/shown-mask.ts';

const SIZE = { width: 400, height: 100 };
const point = (x: number, y = 50) => ({ x, y, pressure: 1 });

/** The areas whose edge was made, in the order of the tasks. */
const made: Rect[] = [];

/** A worker that returns the pixels of its task unchanged. */
class EdgeWorker {
  onmessage: ((event: { readonly data: unknown }) => void) | undefined;
  postMessage({ task }: { readonly task: { readonly rect: Rect } }): void {
    made.push(task.rect);
    const pixels = new Uint8Array(task.rect.width * task.rect.height);
    this.onmessage?.({ data: { kind: 'edge', pixels } });
  }
  terminate(): void {}
}

/** Paints a stroke of a brush of 20 pixels, and returns the areas that are drawn again. */
function drawnBy(edit: ReturnType<typeof createEdit>) {
  edit.brush.setSize(20);
  const shown = createShownMask(edit);
  made.length = 0;
  const drawn: Rect[] = [];
  shown.subscribe((rect) => drawn.push(rect));
  edit.strokes.begin(point(50));
  for (let x = 60; x <= 300; x += 10) edit.strokes.extend(point(x));
  edit.strokes.end(point(310));
  shown.close();
  return drawn;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a shown mask without an edge', () => {
  it('draws only the pixels that each move of a stroke has changed, also at its end', () => {
    const drawn = drawnBy(createEdit({ source: SIZE, size: SIZE }));

    expect(drawn.length).toBeGreaterThan(20);
    expect(Math.max(...drawn.map(({ width }) => width))).toBeLessThan(40);
  });

  it('draws the area of a lasso at the end of the stroke', () => {
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.brush.choose('lasso');
    const drawn: Rect[] = [];
    createShownMask(edit).subscribe((rect) => drawn.push(rect));

    edit.strokes.begin(point(50, 20));
    edit.strokes.extend(point(150, 20));
    edit.strokes.end(point(150, 70));

    expect(drawn).toEqual([{ x: 50, y: 20, width: 100, height: 50 }]);
  });
});

describe('a shown mask with an edge', () => {
  it('makes the edge around the whole stroke when the stroke ends', () => {
    vi.stubGlobal('Worker', EdgeWorker);
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.set({ feather: 4 });

    const drawn = drawnBy(edit);

    expect(made).toHaveLength(1);
    expect(made[0]?.x).toBeLessThan(40);
    expect((made[0]?.x ?? 0) + (made[0]?.width ?? 0)).toBeGreaterThan(320);
    expect(drawn.at(-1)).toEqual(made[0]);
  });

  it('makes the edge around the whole stroke if the stroke is cancelled', () => {
    vi.stubGlobal('Worker', EdgeWorker);
    const edit = createEdit({ source: SIZE, size: SIZE });
    edit.set({ grow: 3 });
    const shown = createShownMask(edit);
    made.length = 0;

    edit.strokes.begin(point(50));
    edit.strokes.extend(point(200));
    edit.strokes.cancel();
    shown.close();

    expect(made).toHaveLength(1);
    expect(made[0]?.width).toBeGreaterThan(150);
  });
});
