import type { Frame } from './composition.ts';
import { clamp01 } from './ease.ts';
import type { Silhouette } from './silhouette.ts';

/** Cuts one object out of an image. */
export interface Subject {
  /** Writes the share of each pixel in row `y` that the object covers (0 to 1), and shades the row's colours. */
  row(y: number, colors: Float32Array, cover: Float32Array): void;
}

/**
 * Creates a subject. `brightness` is the light on the object, or undefined for a photograph, which has its own light.
 */
export function createSubject(
  frame: Frame,
  silhouette: Silhouette,
  brightness: number | undefined,
): Subject {
  return {
    row(y, colors, cover) {
      const v = (y + 0.5) / frame.unit - frame.halfHeight;
      for (let x = 0; x < frame.width; x += 1) {
        const u = (x + 0.5) / frame.unit - frame.halfWidth;
        cover[x] = clamp01(silhouette.inside(u, v) * frame.unit + 0.5);
        if (brightness === undefined || cover[x] === 0) continue;
        const light = silhouette.light(u, v);
        const gleam = 0.12 * brightness * clamp01((light - 0.86) / 0.14) ** 2;
        const tone = (0.3 + 0.76 * light) * brightness;
        for (let at = x * 3; at < x * 3 + 3; at += 1) {
          colors[at] = (colors[at] ?? 0) * tone + gleam;
        }
      }
    },
  };
}

/** Converts coverage to alpha. Uncovered pixels become transparent black. */
export function writeAlpha(cover: Float32Array, bytes: Uint8Array, at: number): void {
  for (let x = 0; x < cover.length; x += 1) {
    const to = at + x * 4;
    const alpha = Math.round((cover[x] ?? 0) * 255);
    bytes[to + 3] = alpha;
    if (alpha === 0) bytes.fill(0, to, to + 3);
  }
}

/**
 * Puts the object on a flat colour: exactly that colour where there is no object, and never a similar colour inside the
 * object.
 */
export function writeOnKey(
  cover: Float32Array,
  key: readonly [number, number, number],
  bytes: Uint8Array,
  at: number,
): void {
  for (let x = 0; x < cover.length; x += 1) {
    const to = at + x * 3;
    const share = cover[x] ?? 0;
    const away = share === 0 ? 0 : turnAway(key, bytes, to);
    for (let channel = 0; channel < 3; channel += 1) {
      const ground = key[channel] ?? 0;
      const own = bytes[to + channel] ?? 0;
      const color = own + ((ground < 128 ? 255 : 0) - own) * away;
      bytes[to + channel] = Math.round(ground + (color - ground) * share);
    }
  }
}

// A matte removes colours near the key colour, by default up to a distance of 96.
const NEAREST_TO_KEY = 128;

/**
 * Returns the share by which a colour must move toward the opposite of the key, so that its greatest channel difference
 * from the key is large enough.
 */
function turnAway(key: readonly [number, number, number], bytes: Uint8Array, at: number): number {
  let greatest = 0;
  let share = 1;
  for (let channel = 0; channel < 3; channel += 1) {
    const ground = key[channel] ?? 0;
    const opposite = ground < 128 ? 255 : 0;
    const room = Math.abs(opposite - ground);
    const own = (bytes[at + channel] ?? 0) - ground;
    greatest = Math.max(greatest, Math.abs(own));
    const reached = own * Math.sign(opposite - ground);
    share = Math.min(share, (NEAREST_TO_KEY - reached) / (room - reached));
  }
  return greatest >= NEAREST_TO_KEY ? 0 : clamp01(share);
}
