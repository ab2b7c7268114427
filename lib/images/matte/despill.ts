import type { Rgb } from '../color.ts';
import { type Hue, hueOf } from './hue.ts';
import { FAR, type Plate, SPILL_REACH } from './matte-task.ts';
import { createSubjectSearch, LOOK_PX } from './subject-search.ts';

/** The colour of nearly transparent pixels is mostly noise, which must not be amplified. */
const LEAST_ALPHA = 64;

/**
 * Removes the key colour from the pixels along the edge of the subject. Such a pixel is a mixture of key and subject. The
 * share of the key is replaced with the subject's colour, taken from a neighbour farther inside. Without such a neighbour the
 * mixture is undone as far as the pixel's alpha says, but not beyond grey. If the result still has more of the key's hue than
 * the subject beside it, it is greyed. Returns a function for one row. Rows must come from the top; the image is complete
 * after the last one.
 */
export function createDespill(plate: Plate, key: Rgb, alphas: Uint8Array): (y: number) => void {
  const { pixels, width, height, distances, steps } = plate;
  const hue = hueOf(key);
  const findSubject = createSubjectSearch(plate, key, hue);
  // New colours are held back here until no other pixel reads the old ones any more.
  const pending = new Uint8Array((LOOK_PX + 1) * width * 3);
  const color = new Int32Array(3);
  const target = new Int32Array(3);

  function read(pixel: number, into: Int32Array): void {
    for (let channel = 0; channel < 3; channel += 1) {
      into[channel] = pixels[pixel * 4 + channel] ?? 0;
    }
  }

  function alphaOf(pixel: number): number {
    return Math.max(alphas[distances[pixel] ?? 0] ?? 0, LEAST_ALPHA);
  }

  function isSpilled(pixel: number): boolean {
    return (steps[pixel] ?? FAR) <= SPILL_REACH && (pixels[pixel * 4 + 3] ?? 0) > 0;
  }

  /** Writes the pixel's colour without the key into `color`. */
  function correct(x: number, y: number): void {
    const pixel = y * width + x;
    const near = distances[pixel] ?? 0;
    const { pixel: subject, excess } = findSubject(x, y);
    read(pixel, color);
    if (subject === undefined) unmix(color, key, alphaOf(pixel), hue);
    else {
      // The neighbour may be a mixture too.
      read(subject, target);
      unmix(target, key, alphaOf(subject), hue);
      fill(color, target, key, near);
    }
    if (hue) grey(color, hue, excess);
  }

  function settle(y: number): void {
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
    if (y >= LOOK_PX) settle(y - LOOK_PX);
    if (y < height - 1) return;
    for (let last = Math.max(0, height - LOOK_PX); last < height; last += 1) settle(last);
  };
}

function between(one: number, other: number, value: number): number {
  return Math.min(Math.max(value, Math.min(one, other)), Math.max(one, other));
}

/** Replaces the share of the key, known from the distance to it, with the subject's colour. Never goes beyond that colour. */
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

/** Moves a colour away from the key until `alpha` of it were subject, or it has lost the key's hue. */
function unmix(color: Int32Array, key: Rgb, alpha: number, hue: Hue | undefined): void {
  // Along the way the hue falls evenly from the key's to the colour's and on; at `most` of `lost` none of it is left.
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

/** Lowers the strong channels until no more than `excess` is left of the hue. */
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
