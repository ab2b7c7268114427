import type { Rgb } from '../color.ts';

/** An image, and two values for each pixel that the matte has computed. */
export interface Plate {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Distance between each pixel and the key colour: the greatest difference in a single channel. */
  readonly distances: Uint8Array;
  /**
   * Steps from each pixel to the nearest pixel that is not fully opaque, along rows and columns. `FAR` if there is no such
   * pixel within `SPILL_REACH`.
   */
  readonly steps: Uint8Array;
}

/**
 * The number of steps from a pixel that is not fully opaque within which the key colour may have spilled onto the subject
 * (docs/transparency.md).
 */
const SPILL_REACH = 2;
export const FAR = SPILL_REACH + 1;

/**
 * The lowest alpha used to undo a mixture. The colour of nearly transparent pixels is mostly noise, which must not be
 * amplified.
 */
const MIN_ALPHA = 64;

/**
 * Removes the key colour from the pixels along the edge of the subject. Such a pixel is a mixture of the key and the subject.
 * The share of the key is replaced with the colour of the subject, which is taken from a neighbour farther inside. Without such
 * a neighbour, the share of the key is computed from the alpha of the pixel and removed, but only until the hue of the key is
 * gone. A result that still has more of this hue than the subject nearby is made greyer. Returns a function that processes one
 * row. The function must be called for each row from the top down. The image is complete after the last row.
 */
export function createDespill(plate: Plate, key: Rgb, alphas: Uint8Array): (y: number) => void {
  const { pixels, width, height, distances, steps } = plate;
  const hue = hueOf(key);
  const findSubject = createSubjectSearch(plate, key, hue);
  // New colours are kept here until no other pixel needs the old colours.
  const pending = new Uint8Array((LOOK_PX + 1) * width * 3);
  const color = new Int32Array(3);
  const target = new Int32Array(3);

  function read(pixel: number, into: Int32Array): void {
    for (let channel = 0; channel < 3; channel += 1) {
      into[channel] = pixels[pixel * 4 + channel] ?? 0;
    }
  }

  function alphaOf(pixel: number): number {
    return Math.max(alphas[distances[pixel] ?? 0] ?? 0, MIN_ALPHA);
  }

  function isSpilled(pixel: number): boolean {
    return (steps[pixel] ?? FAR) <= SPILL_REACH && (pixels[pixel * 4 + 3] ?? 0) > 0;
  }

  /** Computes the colour of a pixel without the key and writes the colour to `color`. */
  function correct(x: number, y: number): void {
    const pixel = y * width + x;
    const near = distances[pixel] ?? 0;
    const { pixel: subject, excess } = findSubject(x, y);
    read(pixel, color);
    if (subject === undefined) unmix(color, key, alphaOf(pixel), hue);
    else {
      // The neighbour may also be a mixture of the key and the subject.
      read(subject, target);
      unmix(target, key, alphaOf(subject), hue);
      fill(color, target, key, near);
    }
    if (hue) grey(color, hue, excess);
  }

  /** Copies the pending colours of one row into the image. */
  function apply(y: number): void {
    const row = (y % (LOOK_PX + 1)) * width;
    for (let x = 0; x < width; x += 1) {
      const pixel = y * width + x;
      if (!isSpilled(pixel)) continue;
      const from = (row + x) * 3;
      for (let channel = 0; channel < 3; channel += 1) {
        pixels[pixel * 4 + channel] = pending[from + channel] ?? 0;
      }
    }
  }

  return (y) => {
    const row = (y % (LOOK_PX + 1)) * width;
    for (let x = 0; x < width; x += 1) {
      if (!isSpilled(y * width + x)) continue;
      correct(x, y);
      const to = (row + x) * 3;
      for (let channel = 0; channel < 3; channel += 1) pending[to + channel] = color[channel] ?? 0;
    }
    if (y >= LOOK_PX) apply(y - LOOK_PX);
    if (y < height - 1) return;
    for (let last = Math.max(0, height - LOOK_PX); last < height; last += 1) apply(last);
  };
}

/** Limits `value` to the range between two numbers, which can be in any order. */
function between(one: number, other: number, value: number): number {
  return Math.min(Math.max(value, Math.min(one, other)), Math.max(one, other));
}

/**
 * Replaces the share of the key in `color` with the colour of the subject. The share is computed from `near`, the distance
 * between the pixel and the key. The result never goes beyond the colour of the subject.
 */
function fill(color: Int32Array, subject: Int32Array, key: Rgb, near: number): void {
  const far = Math.max(
    Math.abs((subject[0] ?? 0) - key[0]),
    Math.abs((subject[1] ?? 0) - key[1]),
    Math.abs((subject[2] ?? 0) - key[2]),
  );
  if (far <= near) return;
  for (let channel = 0; channel < 3; channel += 1) {
    const own = color[channel] ?? 0;
    const target = subject[channel] ?? 0;
    const share = (far - near) * (target - (key[channel] ?? 0));
    color[channel] = between(own, target, own + Math.trunc(share / far));
  }
}

/**
 * Removes the share of the key from a colour. The share is computed from `alpha`. Stops earlier if the colour has lost the hue
 * of the key.
 */
function unmix(color: Int32Array, key: Rgb, alpha: number, hue: Hue | undefined): void {
  // On the line from the key through `color`, the excess of the hue falls linearly. The excess is `most` at the key, and 0 at
  // the fraction `most / lost` of the way to `color`.
  const most = hue?.excess(key[0], key[1], key[2]) ?? 0;
  const lost = hue ? most - excessOf(color, hue) : 0;
  const isGreyFirst = most * alpha < lost * 255;
  const times = isGreyFirst ? Math.max(most, lost) : 255;
  const parts = isGreyFirst ? lost : alpha;
  for (let channel = 0; channel < 3; channel += 1) {
    const ground = key[channel] ?? 0;
    const moved = ground + Math.trunc((((color[channel] ?? 0) - ground) * times) / parts);
    color[channel] = between(0, 255, moved);
  }
}

/** Reduces the strong channels until the excess of the hue is at most `excess`. */
function grey(color: Int32Array, hue: Hue, excess: number): void {
  const surplus = excessOf(color, hue) - excess;
  if (surplus <= 0) return;
  for (let channel = 0; channel < 3; channel += 1) {
    if (hue.isStrong[channel]) color[channel] = (color[channel] ?? 0) - surplus;
  }
}

function excessOf(color: Int32Array, hue: Hue): number {
  return hue.excess(color[0] ?? 0, color[1] ?? 0, color[2] ?? 0);
}

/** The distance in pixels within which the colour of the subject is searched. Must be greater than `SPILL_REACH`. */
const LOOK_PX = 4;
/**
 * A neighbour counts as the subject only if its distance from the key exceeds the distance of the pixel by more than this
 * margin. A smaller difference means that the neighbour is the same mixture.
 */
const MARGIN = 16;
/** The penalty for a neighbour, per unit by which the pixel differs from a mixture of this neighbour and the key. */
const MISFIT_COST = 2;

// The offsets to search, nearest first. All eight directions are searched, because the subject may be on any side of the edge.
const RAYS = Array.from({ length: LOOK_PX }, (_, nth) => nth + 1).flatMap((far) =>
  [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1],
    [-1, 1],
    [1, -1],
    [-1, -1],
  ].map(([x = 0, y = 0]) => [x * far, y * far] as const),
);
const RAYS_X = Int8Array.from(RAYS, ([x]) => x);
const RAYS_Y = Int8Array.from(RAYS, ([, y]) => y);

/** The result of the last search. All searches share one object because there are millions of searches. */
interface Found {
  /** Index of the pixel that has the colour of the subject. Undefined if no neighbour qualifies. */
  pixel: number | undefined;
  /** Average excess of the key's hue in the neighbours that the spill cannot reach. At least 0. */
  excess: number;
}

/**
 * Creates a search for the neighbour whose colour, mixed with the key, gives the colour of the pixel at `x`, `y`. Among several
 * such neighbours, the search prefers the neighbour with the smallest share of the key.
 */
function createSubjectSearch(plate: Plate, [red, green, blue]: Rgb, hue: Hue | undefined) {
  const { pixels, width, height, distances, steps } = plate;
  const found: Found = { pixel: undefined, excess: 0 };
  const offsets = Int32Array.from(RAYS, ([x, y]) => y * width + x);
  const isOnPlate = (x: number, y: number) => x >= 0 && y >= 0 && x < width && y < height;
  return (x: number, y: number): Found => {
    const own = y * width + x;
    const near = distances[own] ?? 0;
    const r = (pixels[own * 4] ?? 0) - red;
    const g = (pixels[own * 4 + 1] ?? 0) - green;
    const b = (pixels[own * 4 + 2] ?? 0) - blue;
    let bestScore = near + MARGIN;
    let sure = 0;
    let excess = 0;
    found.pixel = undefined;
    const isInside = x >= LOOK_PX && y >= LOOK_PX && x < width - LOOK_PX && y < height - LOOK_PX;
    for (let ray = 0; ray < offsets.length; ray += 1) {
      if (!isInside && !isOnPlate(x + (RAYS_X[ray] ?? 0), y + (RAYS_Y[ray] ?? 0))) continue;
      const pixel = own + (offsets[ray] ?? 0);
      const far = distances[pixel] ?? 0;
      const isSure = steps[pixel] === FAR;
      if (!isSure && far <= bestScore) continue;
      const subjectR = pixels[pixel * 4] ?? 0;
      const subjectG = pixels[pixel * 4 + 1] ?? 0;
      const subjectB = pixels[pixel * 4 + 2] ?? 0;
      if (isSure && hue) {
        sure += 1;
        excess += hue.excess(subjectR, subjectG, subjectB);
      }
      if (far <= bestScore) continue;
      const misfit = Math.max(
        Math.abs(r * far - (subjectR - red) * near),
        Math.abs(g * far - (subjectG - green) * near),
        Math.abs(b * far - (subjectB - blue) * near),
      );
      const score = far - Math.trunc((MISFIT_COST * misfit) / far);
      if (score <= bestScore) continue;
      bestScore = score;
      found.pixel = pixel;
    }
    found.excess = excess > 0 ? Math.trunc(excess / sure) : 0;
    return found;
  };
}

/** The hue of the key, given by its strong channels. */
interface Hue {
  /**
   * Returns the amount by which the strong channels of a colour exceed its weak channels. The amount is above 0 for a colour of
   * this hue.
   */
  excess(red: number, green: number, blue: number): number;
  readonly isStrong: readonly [red: boolean, green: boolean, blue: boolean];
}

/** The minimum difference between the greatest and the least channel of a key that has a hue. */
const MIN_CONTRAST = 64;

/** Returns the hue of the key. Returns undefined for a grey key, which has no hue. */
function hueOf(key: Rgb): Hue | undefined {
  const [least, greatest] = [Math.min(...key), Math.max(...key)];
  if (greatest - least < MIN_CONTRAST) return undefined;
  const isAbove = (value: number) => 2 * value > least + greatest;
  const isStrong = [isAbove(key[0]), isAbove(key[1]), isAbove(key[2])] as const;
  // Bit masks: all bits are set for a weak channel, none for a strong channel. Masks are used for speed, because `excess` runs
  // for millions of pixels.
  const [r, g, b] = isStrong.map((strong) => (strong ? 0 : 255));
  const [weakR, weakG, weakB] = [r ?? 0, g ?? 0, b ?? 0];
  return {
    isStrong,
    excess: (red, green, blue) =>
      Math.min(red | weakR, green | weakG, blue | weakB) -
      Math.max(red & weakR, green & weakG, blue & weakB),
  };
}
