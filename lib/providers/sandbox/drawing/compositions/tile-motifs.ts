import { clamp01 } from '../ease.ts';

/**
 * Returns the share of a point that the figure of a tile covers, 0 to 1. `s` and `t` are the position from one corner,
 * 0 to 1. `pixels` is the tile's edge; the figure's edges are smoothed over one pixel.
 */
export type Motif = (s: number, t: number, pixels: number) => number;

export const quarter: Motif = (s, t, pixels) => within(1 - Math.hypot(s, t), pixels);

export const half: Motif = (s, t, pixels) => within(0.5 - Math.hypot(s - 0.5, t), pixels);

export const leaf: Motif = (s, t, pixels) =>
  within(Math.min(1 - Math.hypot(s, 1 - t), 1 - Math.hypot(1 - s, t)), pixels);

/** A disc with a ring around it. */
export const dot: Motif = (s, t, pixels) => {
  const far = Math.hypot(s - 0.5, t - 0.5);
  return within(Math.max(0.22 - far, 0.055 - Math.abs(far - 0.36)), pixels);
};

/** Four bands around the corner, of which every other one is covered. */
export const arcs: Motif = (s, t, pixels) => {
  const far = Math.hypot(s, t);
  return within(
    Math.max(0.25 - far, 0.125 - Math.abs(far - 0.625), 0.09 - Math.abs(far - 1.04)),
    pixels,
  );
};

function within(inside: number, pixels: number): number {
  return clamp01(inside * pixels + 0.5);
}
