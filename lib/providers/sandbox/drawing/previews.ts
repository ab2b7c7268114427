import type { RawImage } from './drawing-task.ts';

const SMALLEST_EDGE = 16;

/**
 * Returns `count` smaller versions of an image, each twice as fine as the previous one: an eighth, a quarter, a half.
 */
export function previewsOf(image: RawImage, count: number): readonly RawImage[] {
  return Array.from({ length: count }, (_, stage) => shrink(image, 2 ** (count - stage)));
}

/** Shrinks an image. Every pixel is the mean of the pixels that it replaces, weighted by their alpha. */
function shrink(image: RawImage, divisor: number): RawImage {
  const { channels } = image;
  const width = Math.max(Math.round(image.width / divisor), SMALLEST_EDGE);
  const height = Math.max(Math.round(image.height / divisor), SMALLEST_EDGE);
  const from = new Uint8Array(image.data);
  const to = new Uint8Array(width * height * channels);
  const sums = new Float64Array(4);
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor((y * image.height) / height);
    const bottom = Math.floor(((y + 1) * image.height) / height);
    for (let x = 0; x < width; x += 1) {
      const left = Math.floor((x * image.width) / width);
      const right = Math.floor(((x + 1) * image.width) / width);
      sums.fill(0);
      for (let line = top; line < bottom; line += 1) {
        addRun(from, (line * image.width + left) * channels, right - left, channels, sums);
      }
      const [red = 0, green = 0, blue = 0, alpha = 0] = sums;
      const at = (y * width + x) * channels;
      const weight = alpha || 1;
      to[at] = Math.round(red / weight);
      to[at + 1] = Math.round(green / weight);
      to[at + 2] = Math.round(blue / weight);
      if (channels === 4) to[at + 3] = Math.round(alpha / ((bottom - top) * (right - left)));
    }
  }
  return { data: to.buffer, width, height, channels };
}

function addRun(
  from: Uint8Array,
  start: number,
  pixels: number,
  channels: 3 | 4,
  sums: Float64Array,
): void {
  for (let at = start; at < start + pixels * channels; at += channels) {
    const weight = channels === 4 ? (from[at + 3] ?? 0) : 255;
    sums[0] = (sums[0] ?? 0) + (from[at] ?? 0) * weight;
    sums[1] = (sums[1] ?? 0) + (from[at + 1] ?? 0) * weight;
    sums[2] = (sums[2] ?? 0) + (from[at + 2] ?? 0) * weight;
    sums[3] = (sums[3] ?? 0) + weight;
  }
}
