import { clamp01 } from './ease.ts';
import { type Lab, labToRgb, mixLab, type Rgb } from './oklch.ts';

const STEPS = 1024;

/** A smooth gradient through several colours, stored as a lookup table. */
export interface Ramp {
  /** Returns the step for a position from 0 (the first colour) to 1 (the last colour). */
  step(position: number): number;
  red(step: number): number;
  green(step: number): number;
  blue(step: number): number;
  color(position: number): Rgb;
}

/** Creates a gradient mixed in Oklab, so that the steps between two colours are even and do not turn grey. */
export function createRamp(stops: readonly [Lab, ...Lab[]]): Ramp {
  const reds = new Float32Array(STEPS);
  const greens = new Float32Array(STEPS);
  const blues = new Float32Array(STEPS);
  for (let step = 0; step < STEPS; step += 1) {
    const position = (step / (STEPS - 1)) * (stops.length - 1);
    const from = stops[Math.floor(position)] ?? stops[0];
    const to = stops[Math.min(Math.floor(position) + 1, stops.length - 1)] ?? stops[0];
    const [red, green, blue] = labToRgb(mixLab(from, to, position - Math.floor(position)));
    reds[step] = red;
    greens[step] = green;
    blues[step] = blue;
  }
  const step = (position: number) => (clamp01(position) * (STEPS - 1) + 0.5) | 0;
  const red = (at: number) => reds[at] ?? 0;
  const green = (at: number) => greens[at] ?? 0;
  const blue = (at: number) => blues[at] ?? 0;
  return {
    step,
    red,
    green,
    blue,
    color: (position) => [red(step(position)), green(step(position)), blue(step(position))],
  };
}
