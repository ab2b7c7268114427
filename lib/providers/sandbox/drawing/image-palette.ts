import type { SharedPixels } from './drawing-task.ts';
import { type Lab, type Lch, rgbToLab, toLch } from './oklch.ts';
import { type Palette, paletteFrom } from './palette.ts';

const COLORS = 6;
const ROUNDS = 8;
/** A sample of this many pixels has the same main colours as the whole image. */
const SAMPLES = 1600;

/** Returns the palette of images: their main colours from dark to light, with the most saturated colour as accent. */
export function paletteOfImages(images: readonly SharedPixels[]): Palette {
  const colors = mainColors(images.flatMap(samples)).map(toLch);
  const strongest = colors.reduce((most, color) => (color.chroma > most.chroma ? color : most));
  const shades = colors.toSorted((a, b) => a.lightness - b.lightness).slice(0, 5);
  return paletteFrom(shades.map(toShade), {
    lightness: Math.min(Math.max(strongest.lightness, 0.55), 0.75),
    chroma: Math.max(strongest.chroma, 0.09),
    hue: strongest.hue,
  });
}

/**
 * Moves a shade half-way to an even scale of lightness, so that a low-contrast image also has dark and light shades.
 */
function toShade({ lightness, chroma, hue }: Lch, index: number): Lch {
  return { lightness: (lightness + 0.26 + index * 0.17) / 2, chroma: Math.min(chroma, 0.18), hue };
}

function samples({ data, width, height, channels }: SharedPixels): Lab[] {
  const bytes = new Uint8Array(data);
  const step = Math.max(1, Math.floor((width * height) / SAMPLES));
  const labs: Lab[] = [];
  for (let pixel = 0; pixel < width * height; pixel += step) {
    const at = pixel * channels;
    labs.push(
      rgbToLab([(bytes[at] ?? 0) / 255, (bytes[at + 1] ?? 0) / 255, (bytes[at + 2] ?? 0) / 255]),
    );
  }
  return labs;
}

/**
 * Clusters colours with Lloyd's algorithm. It starts from evenly spaced lightnesses, so the result is always the same.
 */
function mainColors(labs: readonly Lab[]): Lab[] {
  const byLightness = labs.toSorted((a, b) => a[0] - b[0]);
  let centers = Array.from(
    { length: COLORS },
    (_, index): Lab =>
      byLightness[Math.floor(((index + 0.5) / COLORS) * labs.length)] ?? [0.5, 0, 0],
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const sums = centers.map(() => ({ lightness: 0, a: 0, b: 0, count: 0 }));
    for (const lab of labs) {
      const sum = sums[nearest(centers, lab)];
      if (sum === undefined) continue;
      sum.lightness += lab[0];
      sum.a += lab[1];
      sum.b += lab[2];
      sum.count += 1;
    }
    centers = centers.map((center, index): Lab => {
      const sum = sums[index];
      return sum === undefined || sum.count === 0
        ? center
        : [sum.lightness / sum.count, sum.a / sum.count, sum.b / sum.count];
    });
  }
  return centers;
}

function nearest(centers: readonly Lab[], lab: Lab): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  centers.forEach((center, index) => {
    // Hue counts more than lightness, so that a red is never grouped with greys.
    const distance =
      (center[0] - lab[0]) ** 2 + 3 * ((center[1] - lab[1]) ** 2 + (center[2] - lab[2]) ** 2);
    if (distance < least) {
      least = distance;
      best = index;
    }
  });
  return best;
}
