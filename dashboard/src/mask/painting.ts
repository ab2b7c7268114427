import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Size } from '../images/size.ts';
import { createBrush } from './brush.ts';
import { createHistory } from './history.ts';
import { createPlane, type Rect, type Tool } from './plane.ts';
import { createStrokes } from './strokes.ts';

export type Painting = ReturnType<typeof createPainting>;

/** Creates a mask to be painted: the plane with its tools and steps. `source` is the size of the image itself. */
export function createPainting(source: Size, { width, height }: Size, start?: Uint8Array) {
  const plane = createPlane(width, height);
  const whole: Rect = { x: 0, y: 0, width, height };
  if (start !== undefined) plane.put(whole, start);
  const history = createHistory(plane);
  const scale = width / source.width;
  const brush = createBrush(source);
  const share = signal(plane.share());
  const steps = signal({ canUndo: false, canRedo: false });
  const listeners = new Set<(rect: Rect) => void>();

  function onChange(rect: Rect | undefined): void {
    if (rect === undefined) return;
    batch(() => {
      share.value = plane.share();
      steps.value = { canUndo: history.canUndo(), canRedo: history.canRedo() };
    });
    for (const listener of listeners) listener(rect);
  }

  const strokes = createStrokes({ plane, history, brush, scale, onChange });

  /** Applies one change as one step. Does nothing during a stroke. */
  function change(run: () => Rect | undefined): void {
    if (strokes.isOpen()) return;
    history.begin();
    const rect = run();
    if (rect !== undefined) history.commit(rect);
    onChange(rect);
  }

  return {
    source,
    /** Pixels of the plane per pixel of the source. */
    scale,
    plane,
    brush,
    strokes,
    /** The fraction of the image that may change, from 0 to 1. */
    share: share as ReadonlySignal<number>,
    steps: steps as ReadonlySignal<{ readonly canUndo: boolean; readonly canRedo: boolean }>,

    /** Calls the listener with the changed area until the returned function is called. */
    subscribe(listener: (rect: Rect) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Adds a rectangle, in pixels of the source, to the area that may change, or removes it. */
    rectangle(area: Rect, how: Tool): void {
      const x = Math.round(area.x * scale);
      const y = Math.round(area.y * scale);
      const right = Math.round((area.x + area.width) * scale);
      const bottom = Math.round((area.y + area.height) * scale);
      change(() => plane.fill({ x, y, width: right - x, height: bottom - y }, how));
    },
    invert: () => change(plane.invert),
    clear: () => change(() => plane.fill(whole, 'eraser')),
    undo(): void {
      if (!strokes.isOpen()) onChange(history.undo());
    },
    redo(): void {
      if (!strokes.isOpen()) onChange(history.redo());
    },
  };
}
