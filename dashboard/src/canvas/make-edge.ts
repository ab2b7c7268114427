import type { MaskEdge } from './mask-edge.ts';
import { clipTo, cut, type Plane, type Rect } from './plane.ts';

/** Returns the distance in pixels of the plane beyond which a pixel does not influence another. */
export function reachOfEdge({ feather, grow }: MaskEdge, scale: number): number {
  return Math.ceil((feather + Math.abs(grow)) * scale) + 2;
}

/** A part of a mask whose edge is to be made. */
export interface EdgeTask {
  /** The pixels of `around`. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** The part of the plane that is read. */
  readonly around: Rect;
  /** The part of the plane that is wanted. */
  readonly rect: Rect;
  readonly edge: MaskEdge;
  /** Pixels of the plane per pixel of the source. */
  readonly scale: number;
}

/** Returns the task for a rectangle of the plane. */
export function toEdgeTask(plane: Plane, rect: Rect, edge: MaskEdge, scale: number): EdgeTask {
  const reach = reachOfEdge(edge, scale);
  const wide = {
    x: rect.x - reach,
    y: rect.y - reach,
    width: rect.width + 2 * reach,
    height: rect.height + 2 * reach,
  };
  const around = clipTo(plane, wide) ?? rect;
  const pixels = cut(plane.pixels, plane.width, around) as Uint8Array<ArrayBuffer>;
  return { pixels, around, rect, edge, scale };
}

/** Grows and feathers a part of a mask. Returns the pixels of `rect`. */
export function makeEdge({ pixels, around, rect, edge, scale }: EdgeTask): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(rect.width * rect.height);
  const part = paintedPart(pixels, around, reachOfEdge(edge, scale));
  if (part === undefined) return result;
  const { width, height } = part;
  const painted = cut(pixels, around.width, part);
  const grow = edge.grow * scale;
  const grown = grow === 0 ? painted : growBy(painted, width, height, grow);
  const radius = Math.round((edge.feather * scale) / 2);
  const soft =
    radius < 1 ? grown : blurred(blurred(grown, width, height, radius), width, height, radius);
  const [left, top] = [part.x + around.x - rect.x, part.y + around.y - rect.y];
  const [from, to] = [Math.max(0, -left), Math.min(width, rect.width - left)];
  for (let y = Math.max(0, -top); y < Math.min(height, rect.height - top) && from < to; y += 1) {
    result.set(
      soft.subarray(y * width + from, y * width + to),
      (y + top) * rect.width + left + from,
    );
  }
  return result;
}

/**
 * Returns the rectangle of the painted pixels with `reach` pixels on each side. All pixels of the edge lie in this rectangle, so a
 * small mask of a large image is made quickly. Undefined if nothing is painted.
 */
function paintedPart(
  pixels: Readonly<Uint8Array>,
  { width, height }: Rect,
  reach: number,
): Rect | undefined {
  let [left, right, top, bottom] = [width, -1, -1, -1];
  for (let y = 0; y < height; y += 1) {
    const row = y * width;
    let [first, last] = [0, width - 1];
    while (first < width && pixels[row + first] === 0) first += 1;
    if (first === width) continue;
    while (pixels[row + last] === 0) last -= 1;
    left = Math.min(left, first);
    right = Math.max(right, last);
    if (top < 0) top = y;
    bottom = y;
  }
  if (right < 0) return undefined;
  return clipTo(
    { width, height },
    {
      x: left - reach,
      y: top - reach,
      width: right - left + 1 + 2 * reach,
      height: bottom - top + 1 + 2 * reach,
    },
  );
}

/** Grows a mask by a distance in pixels, or shrinks the mask if the distance is negative. */
function growBy(
  pixels: Readonly<Uint8Array>,
  width: number,
  height: number,
  distance: number,
): Uint8Array<ArrayBuffer> {
  const isLess = distance < 0;
  const far = distances(pixels, width, height, isLess);
  const result = new Uint8Array(pixels.length);
  const reach = Math.abs(distance) + 1;
  for (let index = 0; index < result.length; index += 1) {
    const cover = Math.min(1, Math.max(0, reach - Math.sqrt(far[index] ?? 0)));
    result[index] = Math.round(255 * (isLess ? 1 - cover : cover));
  }
  return result;
}

/**
 * Returns the squared distance of each pixel to the nearest pixel inside the mask, or outside the mask if `isOutside` (Felzenszwalb
 * and Huttenlocher, Distance Transforms of Sampled Functions, 2012).
 */
function distances(
  pixels: Readonly<Uint8Array>,
  width: number,
  height: number,
  isOutside: boolean,
): Float32Array {
  const far = new Float32Array(pixels.length);
  for (let index = 0; index < far.length; index += 1) {
    const isInside = (pixels[index] ?? 0) >= 128;
    far[index] = isInside === isOutside ? BEYOND : 0;
  }
  const line = createLine(Math.max(width, height));
  for (let x = 0; x < width; x += 1) line(far, x, width, height);
  for (let y = 0; y < height; y += 1) line(far, y * width, 1, width);
  return far;
}

/** Larger than every squared distance in a plane. */
const BEYOND = 1e9;

/** Returns a function that transforms one row or column of squared distances in place. */
function createLine(longest: number) {
  const values = new Float32Array(longest);
  const vertices = new Int32Array(longest);
  const bounds = new Float32Array(longest + 1);
  return (far: Float32Array, start: number, step: number, count: number): void => {
    let isFar = true;
    for (let at = 0; at < count; at += 1) {
      const value = far[start + at * step] ?? 0;
      values[at] = value;
      isFar &&= value >= BEYOND;
    }
    if (isFar) return;
    let last = 0;
    vertices[0] = 0;
    bounds[0] = -Infinity;
    bounds[1] = Infinity;
    const meeting = (at: number, vertex: number) =>
      ((values[at] ?? 0) + at * at - (values[vertex] ?? 0) - vertex * vertex) / (2 * (at - vertex));
    for (let at = 1; at < count; at += 1) {
      let meets = meeting(at, vertices[last] ?? 0);
      while (meets <= (bounds[last] ?? 0)) {
        last -= 1;
        meets = meeting(at, vertices[last] ?? 0);
      }
      last += 1;
      vertices[last] = at;
      bounds[last] = meets;
      bounds[last + 1] = Infinity;
    }
    last = 0;
    for (let at = 0; at < count; at += 1) {
      while ((bounds[last + 1] ?? Infinity) < at) last += 1;
      const vertex = vertices[last] ?? 0;
      far[start + at * step] = (at - vertex) ** 2 + (values[vertex] ?? 0);
    }
  };
}

/** Blurs a mask with a square of `2 * radius + 1` pixels. Pixels beyond the edges repeat the nearest pixel. */
function blurred(
  pixels: Readonly<Uint8Array>,
  width: number,
  height: number,
  radius: number,
): Uint8Array<ArrayBuffer> {
  const rows = new Uint8Array(pixels.length);
  const result = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y += 1) blurLine(pixels, rows, y * width, 1, width, radius);
  for (let x = 0; x < width; x += 1) blurLine(rows, result, x, width, height, radius);
  return result;
}

function blurLine(
  from: Readonly<Uint8Array>,
  to: Uint8Array,
  start: number,
  step: number,
  count: number,
  radius: number,
): void {
  const size = 2 * radius + 1;
  const last = start + (count - 1) * step;
  const [first, end] = [from[start] ?? 0, from[last] ?? 0];
  let sum = first * (radius + 1);
  for (let at = 0; at < radius; at += 1) sum += at < count ? (from[start + at * step] ?? 0) : end;
  for (let at = 0; at < count; at += 1) {
    const [enters, leaves] = [at + radius, at - radius - 1];
    sum += enters < count ? (from[start + enters * step] ?? 0) : end;
    if (at > 0) sum -= leaves < 0 ? first : (from[start + leaves * step] ?? 0);
    else sum -= first;
    to[start + at * step] = Math.round(sum / size);
  }
}
