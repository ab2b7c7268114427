import { type ReadonlySignal, signal } from '@preact/signals';
import type { Brush, StageTool } from './brush.ts';
import { type Dab, reachOf } from './dab.ts';
import type { History } from './history.ts';
import { clipTo, type Plane, type Rect, type Tool } from './plane.ts';
import { boundsOf, coverOf } from './polygon.ts';

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

/**
 * Creates the strokes of all tools. Each stroke is one step of the undo history. `isReversed` makes a tool that adds to the
 * area that may change remove from it, and the reverse.
 */
export function createStrokes(deps: Deps) {
  const { brush, history, onChange } = deps;
  const trace = signal<readonly Point[]>([]);
  let stroke: Stroke | undefined;

  return {
    isOpen: () => stroke !== undefined,
    /** The outline that the lasso or the rectangle has drawn so far, in pixels of the plane. */
    trace: trace as ReadonlySignal<readonly Point[]>,

    begin(point: Point, isReversed = false): void {
      history.begin();
      stroke = createStroke(brush.tool.peek(), isReversed, { ...deps, trace });
      stroke?.extend(point);
    },
    extend(point: Point): void {
      stroke?.extend(point);
    },
    /** Ends the stroke at a point, or at its last position. */
    end(point?: Point): void {
      const changed = stroke?.end(point);
      const isOpen = stroke !== undefined;
      stroke = undefined;
      trace.value = [];
      if (!isOpen) return;
      history.commit();
      onChange(changed ?? NOWHERE);
    },
    /** Reverts the stroke in progress. Called when a second finger touches the stage. */
    cancel(): void {
      if (stroke === undefined) return;
      stroke = undefined;
      trace.value = [];
      onChange(history.abandon());
    },
  };
}

/** An empty change, after which the state of the history is reported again. */
const NOWHERE: Rect = { x: 0, y: 0, width: 0, height: 0 };

interface Stroke {
  extend(point: Point): void;
  /** Returns the area that has changed at the end of the stroke. */
  end(point: Point | undefined): Rect | undefined;
}

type StrokeDeps = Deps & { readonly trace: { value: readonly Point[]; peek(): readonly Point[] } };

function createStroke(tool: StageTool, isReversed: boolean, deps: StrokeDeps): Stroke | undefined {
  if (tool === 'move') return undefined;
  if (tool === 'brush' || tool === 'eraser') {
    return createDabs((tool === 'eraser') === isReversed ? 'brush' : 'eraser', deps);
  }
  return createOutline(tool, deps.brush.takes.peek() === isReversed ? 'brush' : 'eraser', deps);
}

/** The minimum distance between two points of a stroke, as a fraction of the brush's radius. */
const SPACING = 0.08;

function createDabs(how: Tool, { plane, history, brush, scale, onChange }: StrokeDeps): Stroke {
  let last: Dab | undefined;
  // The path of a brush that grows does not cover its end on the side of its start.
  let isCovered = false;

  const toDab = ({ x, y, pressure }: Point): Dab => ({
    x,
    y,
    radius: Math.max(0.5, (brush.size.peek() * scale * (0.3 + 0.7 * pressure)) / 2),
  });

  function extend(point: Point, isLast: boolean): void {
    const dab = toDab(point);
    const from = last ?? dab;
    const distance = Math.hypot(dab.x - from.x, dab.y - from.y);
    if (last !== undefined && distance < dab.radius * SPACING && !isLast) return;
    history.touch(reachOf(from, dab));
    const rect = plane.paint(from, dab, how, isCovered);
    isCovered = dab.radius <= from.radius;
    last = dab;
    onChange(rect);
  }

  return {
    extend: (point) => extend(point, false),
    end(point) {
      if (point !== undefined) extend(point, true);
      return undefined;
    },
  };
}

/** Creates a stroke that encloses an area by hand, or by two corners. The area is changed when the stroke ends. */
function createOutline(
  tool: 'lasso' | 'rectangle',
  how: Tool,
  { plane, history, trace }: StrokeDeps,
): Stroke {
  function extend(point: Point): void {
    const [first = point] = trace.peek();
    trace.value = tool === 'lasso' ? [...trace.peek(), point] : cornersOf(first, point);
  }
  return {
    extend,
    end(point) {
      if (point !== undefined) extend(point);
      const points = trace.peek();
      const rect = boundsOf(points, plane);
      if (rect === undefined) return undefined;
      history.touch(rect);
      if (tool === 'lasso') plane.stamp(rect, coverOf(points, rect), how);
      else plane.fill(roundedTo(points, plane) ?? rect, how);
      return rect;
    },
  };
}

function cornersOf(first: Point, last: Point): readonly Point[] {
  return [first, { ...first, x: last.x }, last, { ...last, x: first.x }];
}

/** Returns the rectangle between the corners with its edges rounded to whole pixels. */
function roundedTo(points: readonly Point[], plane: Plane): Rect | undefined {
  const [xs, ys] = [points.map(({ x }) => Math.round(x)), points.map(({ y }) => Math.round(y))];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return clipTo(plane, { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y });
}
