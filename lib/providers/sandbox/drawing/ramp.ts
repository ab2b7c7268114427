import { clamp01 } from './ease.ts';
import { type Lab, labToRgb, mixLab, type Rgb } from './oklch.ts';

const STEPS = 1024;

/** A smooth way through several colours, looked up rather than computed. */
export interface Ramp {
  /** The step for a place from 0 (the first colour) to 1 (the last). */
  step(place: number): number;
  red(step: number): number;
  green(step: number): number;
  blue(step: number): number;
  color(place: number): Rgb;
}

/** Mixed in Oklab, so that the way through two colours is even and never grey. */
export function createRamp(stops: readonly [Lab, ...Lab[]]): Ramp {
  const reds = new Float32Array(STEPS);
  const greens = new Float32Array(STEPS);
  const blues = new Float32Array(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const place = (step / (STEPS - 1)) * (stops.length - 1);
    const from = stops[Math.floor(place)] ?? stops[0];
    const to = stops[Math.min(Math.floor(place) + 1, stops.length - 1)] ?? stops[0];
    const [red, green, blue] = labToRgb(mixLab(from, to, place - Math.floor(place)));
    reds[step] = red;
    greens[step] = green;
    blues[step] = blue;
  }
  const step = (place: number) => (clamp01(place) * (STEPS - 1) + 0.5) | 0;
  const red = (at: number) => reds[at] ?? 0;
  const green = (at: number) => greens[at] ?? 0;
  const blue = (at: number) => blues[at] ?? 0;
  return {
    step,
    red,
    green,
    blue,
    color: (place) => [red(step(place)), green(step(place)), blue(step(place))],
  };
}
