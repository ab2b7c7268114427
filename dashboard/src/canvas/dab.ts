/** A position and a radius of the brush, in pixels of the plane. */
export interface Dab {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** A part of a row, from the pixel `start` to the pixel before `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
  /** True if the brush covers these pixels fully. */
  readonly isFull: boolean;
}

/** Returns the area that a moving brush can change. */
export function reachOf(from: Dab, to: Dab) {
  const reach = Math.max(from.radius, to.radius) + 1;
  const [x, y] = [Math.min(from.x, to.x) - reach, Math.min(from.y, to.y) - reach];
  return {
    x,
    y,
    width: Math.max(from.x, to.x) + reach - x,
    height: Math.max(from.y, to.y) + reach - y,
  };
}

/** Returns a function that computes how much of a pixel a moving brush covers, from 0 to 255. */
export function coverageOf(from: Dab, to: Dab): (x: number, y: number) => number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const growth = to.radius - from.radius;
  const squared = dx * dx + dy * dy;
  return (x, y) => {
    const px = x - from.x;
    const py = y - from.y;
    const along = squared === 0 ? 1 : Math.min(1, Math.max(0, (px * dx + py * dy) / squared));
    const ox = px - along * dx;
    const oy = py - along * dy;
    const inside = from.radius + along * growth - Math.sqrt(ox * ox + oy * oy) + 0.5;
    return Math.round(255 * Math.min(1, Math.max(0, inside)));
  };
}

/**
 * Returns a function that divides the part of a row of a rectangle that a moving brush can reach. The coverage has to be
 * computed only for few pixels, because most pixels are covered fully. If the brush has covered `from` already (`isCovered`), the
 * pixels inside `from` are left out.
 */
export function spansOf(from: Dab, to: Dab, isCovered: boolean) {
  // The edge of the brush is one pixel wide, so these areas are around all edges and inside all edges.
  const around = chordsOf(from, to, Math.max(from.radius, to.radius) + 0.5);
  const inside = chordsOf(from, to, Math.min(from.radius, to.radius) - 0.5);
  const painted = chordsOf(from, from, from.radius - 0.5);

  return (
    row: number,
    { x, width }: { readonly x: number; readonly width: number },
  ): readonly Span[] => {
    const reached = around(row + 0.5);
    const start = Math.max(x, Math.floor(reached.left) - 1);
    const end = Math.max(start, Math.min(x + width, Math.ceil(reached.right) + 1));
    const full = within(start, end, inside(row + 0.5));
    const done = isCovered
      ? within(full.start, full.end, painted(row + 0.5))
      : { start: full.end, end: full.end };
    return [
      { start, end: full.start, isFull: false },
      { start: full.start, end: done.start, isFull: true },
      { start: done.end, end: full.end, isFull: true },
      { start: full.end, end, isFull: false },
    ];
  };
}

/** A part of a horizontal line. */
interface Chord {
  readonly left: number;
  readonly right: number;
}

/** Returns the pixels of a chord without those at its ends, so that the rounding of the chord does not matter. */
function within(start: number, end: number, { left, right }: Chord) {
  const first = Math.min(end, Math.max(start, Math.ceil(left) + 1));
  return { start: first, end: Math.max(first, Math.min(end, Math.floor(right) - 1)) };
}

/**
 * Returns a function that computes the part of a horizontal line that is nearer to the path between two dabs than a
 * distance. The part is one piece, because the area is convex. Without such a part, its left end is Infinity.
 */
function chordsOf(from: Dab, to: Dab, distance: number) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  // The sides of the area are parallel to the path.
  const [sideX, sideY] =
    length === 0
      ? [0, 0]
      : [((from.y - to.y) / length) * distance, ((to.x - from.x) / length) * distance];

  return (y: number): Chord => {
    let [left, right] = [Infinity, -Infinity];
    const add = (x: number) => {
      left = Math.min(left, x);
      right = Math.max(right, x);
    };
    if (distance <= 0) return { left, right };
    for (const end of [from, to]) {
      const half = distance * distance - (y - end.y) ** 2;
      if (half < 0) continue;
      add(end.x - Math.sqrt(half));
      add(end.x + Math.sqrt(half));
    }
    for (const side of [1, -1]) {
      const [top, bottom] = [from.y + side * sideY, to.y + side * sideY];
      if (top === bottom || (y - top) * (y - bottom) > 0) continue;
      add(from.x + side * sideX + ((y - top) / (bottom - top)) * (to.x - from.x));
    }
    return { left, right };
  };
}
