import { clipTo, type Plane, type Rect } from './plane.ts';

/** A point in pixels of the plane. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Vertical samples per pixel row. Horizontal edges are exact. */
const SAMPLES = 4;

/** Returns the smallest rectangle of whole pixels around a polygon that is inside the plane. */
export function boundsOf(points: readonly Point[], plane: Pick<Plane, 'width' | 'height'>) {
  if (points.length < 3) return undefined;
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [x, y] = [least(xs), least(ys)];
  return clipTo(plane, { x, y, width: most(xs) - x, height: most(ys) - y });
}

// A long lasso has more points than a call can have arguments.
const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/**
 * Returns how much of each pixel of a rectangle a polygon covers, from 0 to 255. Parts that the outline encloses at least once in
 * either direction are inside (non-zero rule).
 */
export function coverOf(points: readonly Point[], rect: Rect): Uint8Array {
  const cover = new Uint8Array(rect.width * rect.height);
  const edges = toEdges(points);
  const sums = new Float32Array(rect.width);
  for (let row = 0; row < rect.height; row += 1) {
    sums.fill(0);
    const top = rect.y + row;
    const near = edges.filter(({ from, to }) => from.y < top + 1 && to.y > top);
    if (near.length === 0) continue;
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      for (const [start, end] of spansAt(near, top + (sample + 0.5) / SAMPLES)) {
        add(sums, start - rect.x, end - rect.x);
      }
    }
    for (let x = 0; x < rect.width; x += 1) {
      cover[row * rect.width + x] = Math.round((255 * (sums[x] ?? 0)) / SAMPLES);
    }
  }
  return cover;
}

/** An edge of a polygon from its upper to its lower end. `turn` is 1 if the outline runs downwards, otherwise -1. */
interface Edge {
  readonly from: Point;
  readonly to: Point;
  readonly turn: 1 | -1;
}

function toEdges(points: readonly Point[]): readonly Edge[] {
  return points.flatMap((point, index) => {
    const next = points[(index + 1) % points.length];
    if (next === undefined || next.y === point.y) return [];
    return next.y > point.y
      ? { from: point, to: next, turn: 1 as const }
      : { from: next, to: point, turn: -1 as const };
  });
}

/** Returns the spans inside the polygon at the height `y`. */
function spansAt(edges: readonly Edge[], y: number): readonly (readonly [number, number])[] {
  const crossings = edges
    .filter(({ from, to }) => from.y <= y && to.y > y)
    .map(({ from, to, turn }) => ({
      x: from.x + ((y - from.y) * (to.x - from.x)) / (to.y - from.y),
      turn,
    }))
    .sort((a, b) => a.x - b.x);
  const spans: (readonly [number, number])[] = [];
  let turns = 0;
  let start = 0;
  for (const { x, turn } of crossings) {
    if (turns === 0) start = x;
    turns += turn;
    if (turns === 0) spans.push([start, x]);
  }
  return spans;
}

/** Adds a span to the covered part of each pixel of a row. */
function add(sums: Float32Array, start: number, end: number): void {
  const [left, right] = [Math.max(0, start), Math.min(sums.length, end)];
  for (let x = Math.floor(left); x < right; x += 1) {
    sums[x] = (sums[x] ?? 0) + Math.min(right, x + 1) - Math.max(left, x);
  }
}
