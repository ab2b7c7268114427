import type { Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { fractalNoise, unit2 } from '../noise.ts';
import type { Rgb } from '../oklch.ts';

/** The sky: a gradient, a sun or moon, thin clouds, and stars at night. */
export interface Sky {
  readonly horizonColor: Rgb;
  /** Adds a `share` of the sky's colour at one point to the row. */
  add(x: number, v: number, share: number, row: Float32Array, at: number): void;
}

interface SkyOptions {
  readonly night: boolean;
  /** Height in units from the image's centre. */
  readonly horizon: number;
}

export function createSky(scene: Scene, { night, horizon }: SkyOptions): Sky {
  const { frame, palette, random } = scene;
  const { ramp } = palette;
  const sunU = random.between(-0.55, 0.55) * frame.halfWidth;
  const sunV = mix(-frame.halfHeight, horizon, random.between(0.4, 0.82));
  const radius = random.between(0.055, night ? 0.1 : 0.15);
  const sun: Rgb = night
    ? palette.paper
    : mixRgb(palette.paper, palette.glow, random.between(0.2, 0.9));
  const glow: Rgb = night ? ramp.color(0.75) : mixRgb(palette.glow, palette.paper, 0.35);
  const zenith = night ? 0.05 : random.between(0.5, 0.66);
  const low = night ? 0.5 : 0.93;
  const cloud = random.between(0.1, 0.45);
  const seed = random.bits();
  const cell = 1 / 34;

  function starlight(u: number, v: number): number {
    const column = Math.floor(u / cell);
    const line = Math.floor(v / cell);
    if (unit2(column, line, seed) > 0.3) return 0;
    const du = u / cell - column - 0.15 - 0.7 * unit2(column, line, seed + 1);
    const dv = v / cell - line - 0.15 - 0.7 * unit2(column, line, seed + 2);
    const size = 0.03 + 0.06 * unit2(column, line, seed + 3) ** 3;
    return (
      smoothstep(size, size * 0.3, Math.hypot(du, dv)) *
      (0.35 + 0.65 * unit2(column, line, seed + 4))
    );
  }

  return {
    horizonColor: ramp.color(night ? 0.52 : 0.9),
    add(x, v, share, row, at) {
      const u = (x + 0.5) / frame.unit - frame.halfWidth;
      const height = clamp01((v + frame.halfHeight) / (horizon + frame.halfHeight + 0.12));
      const wisp = fractalNoise(u * 1.1 + 3, v * 5.5, 2 + scene.detail, seed);
      const band = smoothstep(-0.06, 0.34, wisp) * cloud * smoothstep(0, 0.55, height);
      const step = ramp.step(mix(zenith, low, height ** 1.35) + band * (night ? 0.3 : 0.22));
      const distance = Math.hypot(u - sunU, v - sunV);
      const halo = Math.exp(-distance * (night ? 6 : 3.4)) * (night ? 0.42 : 0.62);
      const disc = clamp01((radius - distance) * frame.unit + 0.5) * (night ? 0.96 : 0.92);
      const star = night ? starlight(u, v) * (1 - height * 0.75) * (1 - disc) * 0.85 : 0;
      row[at] = (row[at] ?? 0) + share * lit(ramp.red(step), glow[0], halo, sun[0], disc, star);
      row[at + 1] =
        (row[at + 1] ?? 0) + share * lit(ramp.green(step), glow[1], halo, sun[1], disc, star);
      row[at + 2] =
        (row[at + 2] ?? 0) + share * lit(ramp.blue(step), glow[2], halo, sun[2], disc, star);
    },
  };
}

function lit(
  base: number,
  glow: number,
  halo: number,
  sun: number,
  disc: number,
  star: number,
): number {
  return mix(mix(mix(base, glow, halo), sun, disc), 1, star);
}

function mixRgb(from: Rgb, to: Rgb, share: number): Rgb {
  return [mix(from[0], to[0], share), mix(from[1], to[1], share), mix(from[2], to[2], share)];
}
