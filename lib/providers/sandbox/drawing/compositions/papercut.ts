import type { Composition, RowShader, Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { createField } from '../field.ts';
import { fractalNoise, noise2 } from '../noise.ts';
import type { Rgb } from '../oklch.ts';

/** A stack of cut paper, in which each sheet casts a soft shadow on the sheet below. */
export const papercut: Composition = {
  phrase: 'stacked sheets of cut paper with soft shadows',
  shader(scene) {
    const { frame, palette, random } = scene;
    const seed = random.bits();
    const scale = random.between(0.7, 1.05);
    const turn = random.between(0, Math.PI * 2);
    const bowl = random.pick([-0.9, 0.9, 0]);
    const levels = 6 + random.below(4);
    const centerU = random.between(-0.3, 0.3) * frame.halfWidth;
    const centerV = random.between(-0.3, 0.3) * frame.halfHeight;
    const inverted = random.chance(0.5);
    const field = createField(frame, 4, (u, v) => {
      const wave = fractalNoise(u * scale, v * scale, 3, seed) * 1.25;
      const tilt = (u * Math.cos(turn) + v * Math.sin(turn)) * (bowl === 0 ? 0.75 : 0.22);
      const hollow = bowl * (Math.hypot(u - centerU, v - centerV) - 0.45);
      return folded((0.5 + wave * 0.75 + tilt + hollow * 0.8) * levels, levels);
    });
    return shade(scene, {
      field,
      sheets: Array.from({ length: levels }, (_, level) => {
        const share = level / (levels - 1);
        const color = palette.ramp.color(mix(0.06, 0.97, inverted ? 1 - share : share));
        return level === 2 ? palette.accent : color;
      }),
      seed,
      light: { u: 0.55, v: 0.83 },
    });
  },
};

interface Stack {
  /** Returns the number of sheets that are stacked at a point. */
  readonly field: (u: number, v: number) => number;
  /** Ordered from the lowest to the highest. */
  readonly sheets: readonly Rgb[];
  readonly seed: number;
  readonly light: { readonly u: number; readonly v: number };
}

function shade({ frame }: Scene, { field, sheets, seed, light }: Stack): RowShader {
  const pixel = 1 / frame.unit;
  const top = sheets.length - 1;
  const black: Rgb = [0, 0, 0];
  return (y, row) => {
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    for (let x = 0; x < frame.width; x += 1) {
      const u = (x + 0.5) / frame.unit - frame.halfWidth;
      const height = field(u, v);
      const steepness = Math.hypot(field(u + pixel, v) - height, field(u, v + pixel) - height);
      const level = Math.min(Math.floor(height), top);
      // Number of pixels between the point and the edge of its sheet.
      const inside = (height - level) / (steepness + 1e-6);
      // The lower sheet is still visible in the pixel that the edge crosses.
      const cover = clamp01(inside + 0.5);
      const sheet = sheets[level] ?? black;
      const under = level > 0 && cover < 1 ? (sheets[level - 1] ?? sheet) : sheet;
      const tone = level === top ? 1 : 1 - shadowAt(field, u, v, level, light);
      const underTone = under === sheet ? 1 : 1 - shadowAt(field, u, v, level - 1, light);
      const fibre =
        noise2(u * 90, v * 90, seed) * 0.014 + noise2(u * 24, v * 150, seed ^ 5) * 0.014;
      const edge = level > 0 ? 0.07 * smoothstep(0.0031, 0, inside * pixel) : 0;
      for (let channel = 0; channel < 3; channel += 1) {
        const below = (under[channel] ?? 0) * underTone;
        row[x * 3 + channel] = mix(below, (sheet[channel] ?? 0) * tone, cover) + fibre + edge;
      }
    }
  };
}

/** Reflects a height above the highest or below the lowest sheet back into the range. */
function folded(height: number, levels: number): number {
  const period = 2 * levels;
  const folded = height - Math.floor(height / period) * period;
  return folded > levels ? period - folded : folded;
}

/** Returns how much the sheets above darken a point: a sharp shadow nearby and a wide faint one. */
function shadowAt(
  field: Stack['field'],
  u: number,
  v: number,
  level: number,
  light: Stack['light'],
): number {
  const close = field(u - light.u * 0.012, v - light.v * 0.012) - level - 1;
  const wide = field(u - light.u * 0.035, v - light.v * 0.035) - level - 1;
  return 0.26 * smoothstep(-0.02, 0.1, close) + 0.24 * smoothstep(-0.12, 0.3, wide);
}
