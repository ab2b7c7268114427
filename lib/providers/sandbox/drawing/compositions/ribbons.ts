import type { Composition, RowShader, Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { noise2, unit2 } from '../noise.ts';
import type { Rgb } from '../oklch.ts';

/** Broad bands that run over and under each other like a loosely woven cloth. */
export const ribbons: Composition = {
  phrase: 'woven ribbons crossing over and under',
  shader(scene) {
    const { random, palette } = scene;
    const turn =
      random.pick([0, Math.PI / 4, Math.PI / 6, -Math.PI / 5]) + random.between(-0.12, 0.12);
    const pitch = random.between(0.105, 0.2);
    const [, deep, middle, light, paper] = palette.swatches;
    const sets = random.pick<readonly [readonly Rgb[], readonly Rgb[]]>([
      [
        [deep, middle, light],
        [paper, light, palette.accent],
      ],
      [
        [deep, middle, deep, palette.accent],
        [light, paper, middle],
      ],
      [
        [middle, light, paper],
        [middle, deep, paper, palette.accent],
      ],
    ]);
    return shade(scene, {
      cos: Math.cos(turn),
      sin: Math.sin(turn),
      pitch,
      bend: random.between(0.25, 1.1) * pitch,
      warp: { colors: sets[0], seed: random.bits(), fullness: random.between(0.7, 0.86) },
      weft: { colors: sets[1], seed: random.bits(), fullness: random.between(0.6, 0.86) },
      floor: palette.ink,
      seed: random.bits(),
    });
  },
};

/** All bands of one direction. */
interface Strands {
  readonly colors: readonly Rgb[];
  readonly seed: number;
  /** Mean width of a band as a share of the pitch. */
  readonly fullness: number;
}

interface Weave {
  readonly cos: number;
  readonly sin: number;
  /** Distance between two bands. */
  readonly pitch: number;
  readonly bend: number;
  readonly warp: Strands;
  readonly weft: Strands;
  readonly floor: Rgb;
  readonly seed: number;
}

function shade({ frame }: Scene, weave: Weave): RowShader {
  const { cos, sin, pitch, bend, seed, warp, weft } = weave;
  const pixels = pitch * frame.unit;
  return (y, row) => {
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    for (let x = 0; x < frame.width; x += 1) {
      const u = (x + 0.5) / frame.unit - frame.halfWidth;
      const p = u * cos - v * sin;
      const q = u * sin + v * cos;
      const across = (p + bend * noise2(p * 1.3, q * 2.1, seed)) / pitch;
      const along = (q + bend * noise2(p * 2.1 + 7, q * 1.3, seed ^ 77)) / pitch;
      const i = Math.floor(across);
      const j = Math.floor(along);
      const a = across - i - 0.5;
      const b = along - j - 0.5;
      const warpOnTop = ((i + j) & 1) === 0;
      const at = x * 3;
      row[at] = weave.floor[0];
      row[at + 1] = weave.floor[1];
      row[at + 2] = weave.floor[2];
      if (warpOnTop) {
        drawBand(weft, j, b, a, -1, pixels, row, at);
        drawBand(warp, i, a, b, 1, pixels, row, at);
      } else {
        drawBand(warp, i, a, b, -1, pixels, row, at);
        drawBand(weft, j, b, a, 1, pixels, row, at);
      }
    }
  };
}

/**
 * Draws a band on the pixel. `across` and `along` are positions in the crossing, -0.5 to 0.5. `side` is 1 for the upper
 * band, which is lighter near the middle of the crossing, and -1 for the lower band, which is darker there.
 */
function drawBand(
  strands: Strands,
  index: number,
  across: number,
  along: number,
  side: 1 | -1,
  pixels: number,
  row: Float32Array,
  at: number,
): void {
  const wide = strands.fullness + 0.16 * (unit2(index, 3, strands.seed) - 0.5);
  const inside = wide / 2 - Math.abs(across);
  const shadow = side === 1 ? 0.5 * smoothstep(-0.16, 0, inside) : 0;
  const cover = clamp01(inside * pixels + 0.5);
  const color = strands.colors[Math.floor(unit2(index, 11, strands.seed) * strands.colors.length)];
  if (color === undefined || (cover === 0 && shadow === 0)) return;
  const position = across / wide;
  const thread = noise2(position * 17, index * 5 + along * 0.35, strands.seed ^ 0x99) * 0.09;
  const stripe =
    0.07 * smoothstep(0.38, 0.42, Math.abs(position)) * smoothstep(0.47, 0.43, Math.abs(position));
  const round = 0.95 - 0.42 * position * position - 0.05 * position;
  const rise = side * Math.cos(Math.PI * along) * 0.09;
  const tone = (round + rise + thread - stripe) * (side === -1 ? 0.92 : 1);
  for (let channel = 0; channel < 3; channel += 1) {
    const under = (row[at + channel] ?? 0) * (1 - shadow);
    row[at + channel] = mix(under, (color[channel] ?? 0) * tone, cover);
  }
}
