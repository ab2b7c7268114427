import type { Scene } from '../composition.ts';
import { mix } from '../ease.ts';
import { fractalNoise, noise2, ridgedNoise, unit2 } from '../noise.ts';

/** One range of hills, with the values of each column that are needed to draw the points below its crest. */
export interface Ridge {
  /** Height of the crest in units, measured from the image's centre. */
  readonly top: Float32Array;
  /** Pixels in a unit across the crest, so that steep crests are as sharp as level ones. */
  readonly crispness: Float32Array;
  /** Slope of the crest from left to right, -1 to 1. One side is lit. */
  readonly slope: Float32Array;
  readonly seed: number;
  readonly grain: number;
  readonly mistDepth: number;
}

type Profile = (u: number, seed: number) => number;

/** Heights of a crest, about -0.5 to 0.5, along a line through the noise. */
const PROFILES: readonly [Profile, ...Profile[]] = [
  (u, seed) => ridgedNoise(u * 0.9, 0.5, 6, seed) * 1.5 - 0.55,
  (u, seed) => fractalNoise(u * 0.8, 0.5, 2, seed) * 1.3 + fractalNoise(u * 9, 7, 2, seed) * 0.03,
  (u, seed) => dune(u, seed),
  (u, seed) => fractalNoise(u * 1.1, 0.5, 6, seed) * 1.2 + treeTops(u, seed),
];

/** Returns ranges from the farthest, just above the horizon, to the nearest. Over water the ranges stay low. */
export function raiseRidges(scene: Scene, horizon: number, overWater: boolean): readonly Ridge[] {
  const { frame, random } = scene;
  const profile = random.pick(PROFILES);
  const count = overWater ? 4 : 5 + random.below(3);
  const lowest = overWater ? horizon + frame.halfHeight * 0.3 : frame.halfHeight * 0.8;
  const boldness = random.between(0.8, 1.25);
  return Array.from({ length: count }, (_, index) => {
    const share = index / (count - 1);
    const seed = random.bits();
    const base = mix(horizon, lowest, share ** 1.25);
    const height = mix(0.16, overWater ? 0.16 : 0.3, share) * boldness;
    const stretch = mix(2.3, 1.1, share);
    const crest = (x: number) =>
      base - height * profile(((x + 0.5) / frame.unit - frame.halfWidth) * stretch, seed);
    return {
      ...traceCrest(frame.width, frame.unit, crest),
      seed,
      grain: mix(16, 6, share),
      mistDepth: mix(0.14, 0.5, share),
    };
  });
}

function traceCrest(width: number, unit: number, crest: (x: number) => number) {
  const top = new Float32Array(width);
  const crispness = new Float32Array(width);
  const slope = new Float32Array(width);
  // The slope is measured over a distance because the hill is lit as a whole, and not each tree.
  const reach = unit * 0.03;
  for (let x = 0; x < width; x += 1) {
    const step = (crest(x + 0.5) - crest(x - 0.5)) * unit;
    const fall = ((crest(x + reach) - crest(x - reach)) * unit) / (2 * reach);
    top[x] = crest(x);
    crispness[x] = unit / Math.hypot(1, step);
    slope[x] = fall / Math.hypot(1, fall);
  }
  return { top, crispness, slope };
}

/** A long windward side and a short lee side, like a dune. */
function dune(u: number, seed: number): number {
  const along = u * 0.7 + noise2(u * 0.6, 3, seed) * 0.6 + ((seed >>> 8) % 64) / 64;
  const position = along - Math.floor(along);
  const crest = position < 0.68 ? (position / 0.68) ** 1.6 : ((1 - position) / 0.32) ** 1.3;
  const strength = 0.55 + noise2(Math.floor(along) * 7.3, 11, seed) * 0.5;
  return crest * strength + fractalNoise(u * 0.5, 5, 2, seed) * 0.7 - 0.3;
}

/** Two rows of pointed tree tops of random widths and heights. */
function treeTops(u: number, seed: number): number {
  return Math.max(crown(u * 31, seed) * 0.075, crown(u * 52 + 0.37, seed ^ 0x5a) * 0.055);
}

function crown(position: number, seed: number): number {
  const tree = Math.floor(position);
  const middle = tree + 0.5 + (unit2(tree, 1, seed) - 0.5) * 0.5;
  const size = unit2(tree, 2, seed);
  const width = 0.34 + 0.3 * size;
  return Math.max(0, 1 - Math.abs(position - middle) / width) * (0.25 + 0.75 * size);
}
