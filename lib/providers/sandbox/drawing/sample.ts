import type { SharedPixels } from './drawing-task.ts';

/**
 * Adds `weight` of the interpolated colour at a position to `color` (three numbers). Positions outside the image use
 * the pixels at its edge.
 */
export type Sampler = (x: number, y: number, weight: number, color: Float32Array) => void;

/**
 * Creates a sampler that interpolates between pixels. Positions are in pixels; the centre of the first pixel is 0.5,
 * 0.5. Alpha is ignored.
 */
export function createSampler(pixels: SharedPixels): Sampler {
  const { width, height, channels } = pixels;
  const bytes = new Uint8Array(pixels.data);
  const add = (at: number, weight: number, color: Float32Array) => {
    color[0] = (color[0] ?? 0) + (bytes[at] ?? 0) * weight;
    color[1] = (color[1] ?? 0) + (bytes[at + 1] ?? 0) * weight;
    color[2] = (color[2] ?? 0) + (bytes[at + 2] ?? 0) * weight;
  };
  return (x, y, weight, color) => {
    const left = Math.min(Math.max(x - 0.5, 0), width - 1);
    const top = Math.min(Math.max(y - 0.5, 0), height - 1);
    const ix = Math.floor(left);
    const iy = Math.floor(top);
    const fx = left - ix;
    const fy = top - iy;
    const right = ix + 1 < width ? channels : 0;
    const below = iy + 1 < height ? width * channels : 0;
    const at = (iy * width + ix) * channels;
    const scaled = weight / 255;
    add(at, (1 - fx) * (1 - fy) * scaled, color);
    add(at + right, fx * (1 - fy) * scaled, color);
    add(at + below, (1 - fx) * fy * scaled, color);
    add(at + below + right, fx * fy * scaled, color);
  };
}
