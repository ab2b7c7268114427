import { batch, type ReadonlySignal, signal } from '@preact/signals';
import type { Size } from '../images/measure-image.ts';
import { type Brush, createBrush } from './brush.ts';
import { createHistory, type History } from './history.ts';
import { createPlane, type Dab, type Plane, type Rect, type Tool, unite } from './plane.ts';

export type Painting = ReturnType<typeof createPainting>;

/**
 * Creates the state for painting a mask. `source` is the size of the image. The second parameter is the size of the
 * plane.
 */
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

  /** Applies a change and stores the change as one step of the undo history. Does nothing during a stroke. */
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
    /** The fraction of the image that may change according to the mask, from 0 to 1. */
    share: share as ReadonlySignal<number>,
    steps: steps as ReadonlySignal<{ readonly canUndo: boolean; readonly canRedo: boolean }>,

    /** Calls the listener with each changed area of the plane until the returned function is called. */
    subscribe(listener: (rect: Rect) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** Adds a rectangle, in pixels of the source, to the area that may change, or removes the rectangle. */
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

/** A point of a stroke, in pixels of the plane. */
export interface Point {
  readonly x: number;
  readonly y: number;
  /** The pressure of a pen, from 0 to 1. Always 1 for other pointers. */
  readonly pressure: number;
}

interface Deps {
  readonly plane: Plane;
  readonly history: History;
  readonly brush: Brush;
  /** Pixels of the plane per pixel of the source. */
  readonly scale: number;
  readonly onChange: (rect: Rect | undefined) => void;
}

interface Stroke {
  readonly tool: Tool;
  last: Dab;
  rect: Rect | undefined;
}

/** The minimum distance between two points of a stroke, as a fraction of the brush's radius. */
const SPACING = 0.08;

/** Creates the strokes of the brush. Each stroke is one step of the undo history. */
function createStrokes({ plane, history, brush, scale, onChange }: Deps) {
  let stroke: Stroke | undefined;

  const toDab = ({ x, y, pressure }: Point): Dab => ({
    x,
    y,
    radius: Math.max(0.5, (brush.size.peek() * scale * (0.3 + 0.7 * pressure)) / 2),
  });

  function extend(current: Stroke, point: Point, isLast: boolean): void {
    const dab = toDab(point);
    const distance = Math.hypot(dab.x - current.last.x, dab.y - current.last.y);
    if (distance < dab.radius * SPACING && !isLast) return;
    const rect = plane.paint(current.last, dab, current.tool);
    current.last = dab;
    current.rect = unite(current.rect, rect);
    onChange(rect);
  }

  /** Ends the stroke and returns the area that the stroke has changed. */
  function take(): Rect | undefined {
    const rect = stroke?.rect;
    stroke = undefined;
    return rect;
  }

  return {
    isOpen: () => stroke !== undefined,

    begin(point: Point): void {
      history.begin();
      stroke = { tool: brush.tool.peek(), last: toDab(point), rect: undefined };
      extend(stroke, point, true);
    },
    extend(point: Point): void {
      if (stroke !== undefined) extend(stroke, point, false);
    },
    /** Ends the stroke at a point, or at its last position. */
    end(point?: Point): void {
      if (stroke !== undefined && point !== undefined) extend(stroke, point, true);
      const rect = take();
      if (rect !== undefined) history.commit(rect);
      onChange(rect);
    },
    /** Reverts the stroke in progress. Called when a second finger touches the stage. */
    cancel(): void {
      const rect = take();
      if (rect !== undefined) history.abandon(rect);
      onChange(rect);
    },
  };
}
