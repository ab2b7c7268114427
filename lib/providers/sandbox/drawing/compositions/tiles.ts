import type { Composition, RowShader, Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { noise2, unit2 } from '../noise.ts';
import type { Rgb } from '../oklch.ts';
import { arcs, dot, half, leaf, type Motif, quarter } from './tile-motifs.ts';

/** Square tiles with arcs, quarters and leaves. */
export const tiles: Composition = {
  phrase: 'a wall of printed tiles with arcs and quarter circles',
  shader(scene) {
    const { palette, random } = scene;
    const [ink, deep, middle, light, paper] = palette.swatches;
    const wall: Wall = {
      size: 1 / (4 + random.below(4)),
      shiftU: random.next(),
      shiftV: random.next(),
      grounds: [paper, light, paper, middle],
      figures: [deep, ink, palette.accent, deep],
      motifs: random.pick<Motifs>([
        [arcs, quarter, leaf, quarter],
        [arcs, arcs, half, quarter],
        [leaf, quarter, dot, half],
        [quarter, leaf, dot, arcs],
      ]),
      seed: random.bits(),
      order: random.pick(['free', 'circles', 'waves']),
    };
    return shade(scene, wall);
  },
};

type Motifs = readonly [Motif, Motif, Motif, Motif];
type Colors = readonly [Rgb, Rgb, Rgb, Rgb];

interface Wall {
  readonly size: number;
  readonly shiftU: number;
  readonly shiftV: number;
  readonly grounds: Colors;
  readonly figures: Colors;
  readonly motifs: Motifs;
  readonly seed: number;
  /** Rotation of the tiles: at random, four around a point, or in diagonals. */
  readonly order: 'free' | 'circles' | 'waves';
}

function shade({ frame }: Scene, wall: Wall): RowShader {
  const { size, seed } = wall;
  const pixels = frame.unit * size;
  return (y, row) => {
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    const down = v / size + wall.shiftV;
    const line = Math.floor(down);
    for (let x = 0; x < frame.width; x += 1) {
      const u = (x + 0.5) / frame.unit - frame.halfWidth;
      const across = u / size + wall.shiftU;
      const column = Math.floor(across);
      const turn = turnOf(wall, column, line);
      const s = turn & 1 ? 1 - (across - column) : across - column;
      const t = turn & 2 ? 1 - (down - line) : down - line;
      const tile = Math.floor(unit2(column, line, seed) * 16);
      const motif = wall.motifs[tile & 3] ?? wall.motifs[0];
      const swap = unit2(column, line, seed ^ 21) > 0.62;
      const ground =
        wall.grounds[Math.floor(unit2(column, line, seed ^ 31) * 4)] ?? wall.grounds[0];
      const figure = wall.figures[tile >> 2] ?? wall.figures[0];
      const cover = motif(s, t, pixels);
      const share = swap ? 1 - cover : cover;
      const worn = noise2(u * 38, v * 38, seed) * 0.03 + noise2(u * 130, v * 130, seed ^ 3) * 0.02;
      const soft = noise2(u * 2.2, v * 2.2, seed ^ 7) * 0.06;
      const edge = Math.min(Math.min(s, 1 - s), Math.min(t, 1 - t));
      const joint = 1 - 0.22 * smoothstep(0.014, 0.002, edge) - 0.05 * smoothstep(0.07, 0, edge);
      const tone = clamp01(joint + soft);
      for (let channel = 0; channel < 3; channel += 1) {
        row[x * 3 + channel] = mix(ground[channel] ?? 0, figure[channel] ?? 0, share) * tone + worn;
      }
    }
  };
}

/** Returns the corner from which a motif starts. Bit 1 mirrors the motif left to right, bit 2 top to bottom. */
function turnOf({ order, seed }: Wall, column: number, line: number): number {
  if (order === 'circles') return (column & 1) | ((line & 1) << 1);
  if (order === 'waves') return (column + line) & 1 ? 3 : 0;
  return Math.floor(unit2(column, line, seed ^ 11) * 4);
}
