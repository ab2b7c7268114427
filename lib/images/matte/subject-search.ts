import type { Rgb } from '../color.ts';
import type { Hue } from './hue.ts';
import { FAR, type Plate } from './matte-task.ts';

/** So far the subject's own colour is looked for: past the pixels on which the key may have spilled. */
export const LOOK_PX = 4;
/** By so much a neighbour must be farther from the key to be taken for the subject rather than for the same mixture. */
const MARGIN = 16;
/** What a neighbour loses for each step by which a pixel is no mixture of it and the key. */
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

/** What the last search has found; one object for all searches, of which there are millions. */
interface Found {
  /** The pixel whose colour is the subject's; undefined when none is better than the pixel itself. */
  place: number | undefined;
  /** How much of the key's hue the subject beside it has on average, where no key can have spilled on it; 0 at least. */
  excess: number;
}

/** Looks for the pixel which, mixed with the key, would give the one at `x`, `y`: of several the one that has least key. */
export function createSubjectSearch(plate: Plate, [red, green, blue]: Rgb, hue: Hue | undefined) {
  const { pixels, width, height, distances, steps } = plate;
  const found: Found = { place: undefined, excess: 0 };
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
    found.place = undefined;
    const isInside = x >= LOOK_PX && y >= LOOK_PX && x < width - LOOK_PX && y < height - LOOK_PX;
    for (let ray = 0; ray < offsets.length; ray += 1) {
      if (!isInside && !isOnPlate(x + (RAYS_X[ray] ?? 0), y + (RAYS_Y[ray] ?? 0))) continue;
      const place = own + (offsets[ray] ?? 0);
      const far = distances[place] ?? 0;
      const isSure = steps[place] === FAR;
      if (!isSure && far <= bestScore) continue;
      const subjectR = pixels[place * 4] ?? 0;
      const subjectG = pixels[place * 4 + 1] ?? 0;
      const subjectB = pixels[place * 4 + 2] ?? 0;
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
      found.place = place;
    }
    found.excess = excess > 0 ? Math.trunc(excess / sure) : 0;
    return found;
  };
}
