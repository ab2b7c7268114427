import type { Frame } from './composition.ts';
import { clamp01, mix } from './ease.ts';
import type { Prng } from './prng.ts';

/** A square in the image's plane, in units. */
export interface Position {
  readonly u: number;
  readonly v: number;
  readonly size: number;
}

/** The outline of a single object and the orientation of its surface. */
export interface Silhouette {
  /** Returns the approximate distance inside the outline in units. Negative outside. */
  inside(u: number, v: number): number;
  /** Returns the light from the upper left on the surface, 0 to 1. */
  light(u: number, v: number): number;
}

/** Returns the largest square in the middle of the image. */
export function middleOf(frame: Frame): Position {
  return { u: 0, v: 0, size: 2 * Math.min(frame.halfWidth, frame.halfHeight) };
}

export function createSilhouette(random: Prng, square: Position): Silhouette {
  const shape = random.pick([stone, vase, bloom])(random);
  const toLocal = 1 / square.size;
  return {
    inside: (u, v) =>
      shape.inside((u - square.u) * toLocal, (v - square.v) * toLocal) * square.size,
    light: (u, v) => shape.light((u - square.u) * toLocal, (v - square.v) * toLocal),
  };
}

/** A pebble with a slightly irregular rounded outline. */
function stone(random: Prng): Silhouette {
  const swell = random.between(0.03, 0.07);
  const phase = random.between(0, 6.283);
  const wide = random.between(0.36, 0.41);
  const tall = random.between(0.32, 0.38);
  const radius = (u: number, v: number) => {
    const angle = Math.atan2(v, u);
    return 1 + swell * Math.sin(angle * 2 + phase) + swell * 0.6 * Math.sin(angle * 3 - phase);
  };
  const far = (u: number, v: number) => Math.hypot(u / wide, v / tall) / radius(u, v);
  return {
    inside: (u, v) => (1 - far(u, v)) * tall,
    light: (u, v) => sphereLight(u / wide, v / tall),
  };
}

/** A turned vessel: foot, belly, neck and lip. */
function vase(random: Prng): Silhouette {
  const belly = random.between(0.26, 0.33);
  const neck = random.between(0.07, 0.12);
  const lip = neck + random.between(0.03, 0.07);
  const shoulder = random.between(-0.02, 0.12);
  const profile = (v: number) => {
    if (v < -0.34) return mix(neck, lip, clamp01((-0.34 - v) / 0.09) ** 2);
    if (v < shoulder) return mix(neck, belly, wave((v + 0.34) / (shoulder + 0.34)));
    return mix(belly, 0.17, wave((v - shoulder) / (0.43 - shoulder)));
  };
  return {
    inside: (u, v) => Math.min((profile(v) - Math.abs(u)) * 0.85, 0.43 - Math.abs(v)),
    light: (u, v) => sphereLight(u / Math.max(profile(v), 0.01), v * 0.9),
  };
}

/** A flower head with round petals. */
function bloom(random: Prng): Silhouette {
  const petals = 5 + random.below(4);
  const depth = random.between(0.16, 0.26);
  const turn = random.between(0, 6.283);
  const edge = (u: number, v: number) => {
    const wave = Math.abs(Math.sin((Math.atan2(v, u) * petals) / 2 + turn));
    return 0.4 * (1 - depth + depth * Math.sqrt(wave));
  };
  return {
    inside: (u, v) => edge(u, v) - Math.hypot(u, v),
    light: (u, v) => {
      const share = Math.hypot(u, v) / edge(u, v);
      const fold = Math.abs(Math.sin((Math.atan2(v, u) * petals) / 2 + turn));
      return clamp01(sphereLight(u / 0.5, v / 0.5) * (0.62 + 0.38 * fold) * (0.7 + 0.3 * share));
    },
  };
}

function wave(share: number): number {
  return (1 - Math.cos(Math.PI * clamp01(share))) / 2;
}

/** Returns Lambert's light on a ball of radius 1, from the upper left and the front. */
function sphereLight(x: number, y: number): number {
  const depth = Math.sqrt(Math.max(0, 1 - x * x - y * y));
  return clamp01(0.28 + 0.78 * (-0.42 * x - 0.5 * y + 0.76 * depth));
}
