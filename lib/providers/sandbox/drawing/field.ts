import type { Frame } from './composition.ts';

/**
 * Returns a smooth function of the plane that is computed every `step` pixels and interpolated between. Suitable for
 * values that change slowly and are read often. Extends slightly beyond the image's edges.
 */
export function createField(
  frame: Frame,
  step: number,
  value: (u: number, v: number) => number,
): (u: number, v: number) => number {
  const margin = 0.06;
  const cell = step / frame.unit;
  const left = -frame.halfWidth - margin;
  const top = -frame.halfHeight - margin;
  const columns = Math.ceil(((frame.halfWidth + margin) * 2) / cell) + 2;
  const lines = Math.ceil(((frame.halfHeight + margin) * 2) / cell) + 2;
  const grid = new Float32Array(columns * lines);
  for (let line = 0; line < lines; line += 1) {
    for (let column = 0; column < columns; column += 1) {
      grid[line * columns + column] = value(left + column * cell, top + line * cell);
    }
  }
  return (u, v) => {
    const x = Math.min(Math.max((u - left) / cell, 0), columns - 1.001);
    const y = Math.min(Math.max((v - top) / cell, 0), lines - 1.001);
    const ix = x | 0;
    const iy = y | 0;
    const at = iy * columns + ix;
    const fx = x - ix;
    const a = grid[at] ?? 0;
    const b = grid[at + 1] ?? 0;
    const c = grid[at + columns] ?? 0;
    const d = grid[at + columns + 1] ?? 0;
    const upper = a + (b - a) * fx;
    return upper + (c + (d - c) * fx - upper) * (y - iy);
  };
}
