import type { Brush } from './brush.ts';
import type { History } from './history.ts';
import { type Dab, type Plane, type Rect, type Tool, unite } from './plane.ts';

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

/**
 * The minimum distance of points as a fraction of the brush's radius. Nearer points are merged, so that large brushes
 * stay fast.
 */
const SPACING = 0.08;

/** Handles the strokes of the brush. Each stroke is one step. */
export function createStrokes({ plane, history, brush, scale, onChange }: Deps) {
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

  /** Ends the stroke and returns the area that it has changed. */
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
    /** Reverts the stroke in progress, because it was the first finger of two. */
    cancel(): void {
      const rect = take();
      if (rect !== undefined) history.abandon(rect);
      onChange(rect);
    },
  };
}
