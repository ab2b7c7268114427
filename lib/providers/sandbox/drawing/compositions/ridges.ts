import type { Composition, Frame, RowShader, Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { fractalNoise, noise2 } from '../noise.ts';
import type { Rgb } from '../oklch.ts';
import type { Ramp } from '../ramp.ts';
import { type Ridge, raiseRidges } from './ridge-lines.ts';
import { createSky, type Sky } from './sky.ts';

/** Ranges of hills under a low sun or moon, each paler than the nearer one, and sometimes over still water. */
export const ridges: Composition = {
  phrase: 'ridges fading into the haze under a low sun',
  shader(scene) {
    const { frame, palette, random } = scene;
    const night = random.chance(0.3);
    const horizon = random.between(-0.12, 0.12) * frame.halfHeight * 2;
    const sky = createSky(scene, { night, horizon });
    const air: Air = {
      ramp: palette.ramp,
      far: night ? 0.42 : random.between(0.7, 0.8),
      near: night ? 0.02 : 0.1,
      mist: sky.horizonColor,
      seed: random.bits(),
      octaves: 2 + scene.detail,
    };
    const water = random.chance(0.45) ? horizon + frame.halfHeight * random.between(0.4, 0.6) : 9;
    const land = { frame, sky, air, ridges: raiseRidges(scene, horizon, water < 9) };
    return water < 9 ? overWater(land, water, scene) : overLand(land);
  },
};

interface Air {
  readonly ramp: Ramp;
  /** Positions of the farthest and the nearest ridge on the ramp. */
  readonly far: number;
  readonly near: number;
  readonly mist: Rgb;
  readonly seed: number;
  readonly octaves: number;
}

interface Land {
  readonly frame: Frame;
  readonly sky: Sky;
  readonly air: Air;
  /** Ordered from the farthest to the nearest. */
  readonly ridges: readonly Ridge[];
}

function overLand(land: Land): RowShader {
  const { frame } = land;
  return (y, row) => {
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    for (let x = 0; x < frame.width; x += 1) paint(land, x, v, row, x * 3);
  };
}

/** Mirrors the image below the waterline, slightly darker and broken by ripples that grow toward the viewer. */
function overWater(land: Land, line: number, scene: Scene): RowShader {
  const { frame, air } = land;
  const deep = scene.palette.swatches[1];
  return (y, row) => {
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    const depth = v - line;
    const near = clamp01(depth / (frame.halfHeight - line));
    for (let x = 0; x < frame.width; x += 1) {
      if (depth < 0) {
        paint(land, x, v, row, x * 3);
        continue;
      }
      const u = (x + 0.5) / frame.unit;
      const ripple = noise2(u * mix(9, 3, near), v * mix(150, 45, near), air.seed);
      const aside = Math.round(ripple * mix(0.004, 0.02, near) * frame.unit);
      const from = Math.min(Math.max(x + aside, 0), frame.width - 1);
      paint(land, from, line - depth * 0.9 + ripple * 0.02 * near, row, x * 3);
      const shade = 0.14 + 0.22 * near + ripple * 0.14 * (0.3 + near);
      const glint = 0.12 * smoothstep(0.03, 0, depth);
      for (let channel = 0; channel < 3; channel += 1) {
        const value = row[x * 3 + channel] ?? 0;
        row[x * 3 + channel] = mix(value, deep[channel] ?? 0, clamp01(shade)) + glint;
      }
    }
  };
}

/** Writes one point. Draws the front-most ridge first and stops when nothing behind is visible. */
function paint(land: Land, x: number, v: number, row: Float32Array, at: number): void {
  const { frame, air, ridges: ranges } = land;
  let red = 0;
  let green = 0;
  let blue = 0;
  let open = 1;
  for (let index = ranges.length - 1; index >= 0 && open > 0.004; index -= 1) {
    const ridge = ranges[index];
    if (ridge === undefined) break;
    const below = v - (ridge.top[x] ?? 0);
    const cover = clamp01(below * (ridge.crispness[x] ?? 1) + 0.5) * open;
    if (cover === 0) continue;
    const share = ranges.length > 1 ? index / (ranges.length - 1) : 1;
    const u = (x + 0.5) / frame.unit - frame.halfWidth;
    const relief = fractalNoise(u * ridge.grain, v * ridge.grain * 1.7, air.octaves, ridge.seed);
    const lit = relief * 0.16 + (ridge.slope[x] ?? 0) * 0.07 * Math.exp(-below * 9);
    const step = air.ramp.step(mix(air.far, air.near, share) + lit * mix(0.35, 1, share));
    const mist = clamp01(smoothstep(0, ridge.mistDepth, below) * mix(0.75, 0.18, share));
    red += cover * mix(air.ramp.red(step), air.mist[0], mist);
    green += cover * mix(air.ramp.green(step), air.mist[1], mist);
    blue += cover * mix(air.ramp.blue(step), air.mist[2], mist);
    open -= cover;
  }
  row[at] = red;
  row[at + 1] = green;
  row[at + 2] = blue;
  if (open > 0.004) land.sky.add(x, v, open, row, at);
}
