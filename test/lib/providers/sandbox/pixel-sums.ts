import type { Pixels } from '../../../../lib/images/image.ts';

/** Returns the brightness of each pixel, 0 to 255. */
export function brightness({ data, channels }: Pixels): number[] {
  return Array.from({ length: data.length / channels }, (_, pixel) => {
    const at = pixel * channels;
    return 0.3 * data[at]! + 0.59 * data[at + 1]! + 0.11 * data[at + 2]!;
  });
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns Pearson's correlation of the brightness of two images: 1 for the same image, about 0 for unrelated images.
 */
export function correlation(one: Pixels, other: Pixels): number {
  const a = brightness(one);
  const b = brightness(other);
  const meanA = mean(a);
  const meanB = mean(b);
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (const [at, value] of a.entries()) {
    both += (value - meanA) * (b[at]! - meanB);
    squaresA += (value - meanA) ** 2;
    squaresB += (b[at]! - meanB) ** 2;
  }
  return both / Math.sqrt(squaresA * squaresB);
}

/** Returns the mean difference of a channel, 0 to 255. */
export function difference(one: Pixels, other: Pixels): number {
  return mean([...one.data].map((value, at) => Math.abs(value - other.data[at]!)));
}

export function alphas({ data }: Pixels): number[] {
  return [...data].filter((_, at) => at % 4 === 3);
}
