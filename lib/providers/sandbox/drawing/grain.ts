import type { Frame } from './composition.ts';
import { clamp01 } from './ease.ts';
import { hash2 } from './noise.ts';

/** Converts a row of colours to bytes. */
export interface Finish {
  /** Writes `width` pixels of `channels` bytes, starting at `at`. Does not change a fourth channel. */
  row(y: number, colors: Float32Array, bytes: Uint8Array, at: number, channels: 3 | 4): void;
}

/**
 * Adds a slight vignette and film grain, so that flat areas look natural. The grain is scaled with the image, which
 * keeps the file of a large image small enough for the limits.
 */
export function createFinish(frame: Frame, seed: number, strength: number): Finish {
  const { width, unit } = frame;
  const amplitude = (strength * 7) / 255;
  const cell = 1 / Math.max(1, Math.round(unit / 1024));
  const radius = Math.hypot(frame.halfWidth, frame.halfHeight);
  return {
    row(y, colors, bytes, at, channels) {
      const v = (y + 0.5) / unit - frame.halfHeight;
      const line = Math.floor(y * cell);
      let to = at;
      for (let x = 0; x < width; x += 1) {
        const u = (x + 0.5) / unit - frame.halfWidth;
        const far = (u * u + v * v) / (radius * radius);
        const shade = 1 - 0.13 * far * far;
        const bits = hash2((x * cell) | 0, line, seed);
        // The sum of two uniform distributions is triangular, which looks like film grain.
        const grain = (((bits & 0xff) + ((bits >>> 8) & 0xff)) / 255 - 1) * amplitude;
        const tint = (((bits >>> 16) & 0xff) / 255 - 0.5) * amplitude * 0.35;
        const from = x * 3;
        bytes[to] = toByte((colors[from] ?? 0) * shade + grain + tint);
        bytes[to + 1] = toByte((colors[from + 1] ?? 0) * shade + grain);
        bytes[to + 2] = toByte((colors[from + 2] ?? 0) * shade + grain - tint);
        to += channels;
      }
    },
  };
}

function toByte(value: number): number {
  return (clamp01(value) * 255 + 0.5) | 0;
}
