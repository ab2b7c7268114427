import type { Rgb } from '../color.ts';
import type { Hue } from './hue.ts';
import { FAR, type Plate } from './matte-task.ts';

/** How far the subject's own colour is searched: beyond the pixels on which the key may have spilled. */
export const LOOK_PX = 4;
/** By how much farther from the key a neighbour must be, to be the subject rather than the same mixture. */
const MARGIN = 16;
/** The penalty of a neighbour for each step by which a pixel is not a mixture of it and the key. */
const MISFIT_COST = 2;

// Nearest first, straight and diagonal: a subject lies to some side of its edge.
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

/** The result of the last search; one object for all searches, because there are millions. */
interface Found {
  /** The pixel whose colour is the subject's; undefined when none is better than the pixel itself. */
  pixel: number | undefined;
  /** How much of the key's hue the subject beside it has on average, where no key can have spilled on it; at least 0. */
  excess: number;
}

/** Finds the pixel that, mixed with the key, would give the one at `x`, `y`; of several the one with the least key. */
export function createSubjectSearch(plate: Plate, [red, green, blue]: Rgb, hue: Hue | undefined) {
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
