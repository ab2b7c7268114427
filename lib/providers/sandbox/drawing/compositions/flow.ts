import type { Composition, RowShader, Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { fractalNoise, noise2 } from '../noise.ts';

/** Noise distorted twice by other noise and lit from the side: folded silk, ink in water, polished stone. */
export const flow: Composition = {
  phrase: 'silk folds drifting through slow light',
  shader(scene) {
    const { random } = scene;
    const shape: Shape = {
      scale: random.between(0.75, 1.35),
      stretch: random.between(0.55, 1),
      turn: random.between(0, Math.PI * 2),
      warp: random.between(1.2, 2.4),
      contrast: random.between(1.15, 1.5),
      relief: random.between(0.5, 1.1),
      threads: random.chance(0.4) ? random.between(14, 26) : 0,
      seed: random.bits(),
      octaves: 2 + scene.detail,
    };
    return shade(scene, shape);
  },
};

interface Shape {
  readonly scale: number;
  readonly stretch: number;
  readonly turn: number;
  readonly warp: number;
  readonly contrast: number;
  readonly relief: number;
  /** Number of fine lines in each unit of height. 0 for none. */
  readonly threads: number;
  readonly seed: number;
  readonly octaves: number;
}

interface Point {
  /** Position on the ramp, 0 to 1. */
  height: number;
  /** Share of the accent, 0 to 1. */
  tint: number;
}

function shade({ frame, palette }: Scene, shape: Shape): RowShader {
  const { ramp, accent } = palette;
  const here: Point = { height: 0, tint: 0 };
  const pixel = 1 / frame.unit;
  const above = new Float32Array(frame.width);
  let drawnRow = -1;
  const uAt = (x: number) => (x + 0.5) / frame.unit - frame.halfWidth;
  return (y, row) => {
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    if (drawnRow !== y - 1 || y === 0) {
      for (let x = 0; x < frame.width; x += 1) {
        measure(shape, uAt(x), v - pixel, here);
        above[x] = here.height;
      }
    }
    drawnRow = y;
    measure(shape, uAt(-1), v, here);
    let left = here.height;
    for (let x = 0; x < frame.width; x += 1) {
      measure(shape, uAt(x), v, here);
      const { height, tint } = here;
      // The slope toward the light in height for each unit of length, so that every image size is lit alike.
      const slope = (height - left + (height - (above[x] ?? height)) * 0.8) * frame.unit;
      left = height;
      above[x] = height;
      const thread =
        shape.threads === 0
          ? 0
          : threadLine(height * shape.threads, Math.abs(slope) * shape.threads * pixel);
      const lit = Math.tanh(slope * 0.22) * 0.17 * shape.relief;
      const step = ramp.step(height + lit);
      const gleam = 0.16 * smoothstep(0.5, 1, lit * 6) + thread * 0.08;
      row[x * 3] = mix(ramp.red(step), accent[0], tint) + gleam;
      row[x * 3 + 1] = mix(ramp.green(step), accent[1], tint) + gleam;
      row[x * 3 + 2] = mix(ramp.blue(step), accent[2], tint) + gleam;
    }
  };
}

function measure(shape: Shape, u: number, v: number, point: Point): void {
  const { seed, warp } = shape;
  const cos = Math.cos(shape.turn) * shape.scale;
  const sin = Math.sin(shape.turn) * shape.scale;
  const x = u * cos - v * sin;
  const y = (u * sin + v * cos) * shape.stretch;
  const bendX = fractalNoise(x, y, 2, seed);
  const bendY = fractalNoise(x + 5.2, y + 1.3, 2, seed ^ 0x51ab);
  const foldX = noise2(x + bendX * warp * 1.6 + 1.7, y + bendY * warp * 1.6 + 9.2, seed ^ 0x7331);
  const foldY = noise2(x + bendX * warp * 1.6 + 8.3, y + bendY * warp * 1.6 + 2.8, seed ^ 0x1d07);
  const last = fractalNoise(x + foldX * warp, y + foldY * warp, shape.octaves, seed ^ 0x2f2f);
  point.height = clamp01(0.5 + last * shape.contrast + bendX * 0.25);
  point.tint = 0.62 * smoothstep(0.12, 0.6, foldX * 0.9 + bendY * 0.6);
}

/**
 * Returns a line at each whole number. The line is about one pixel wide and fades where lines are dense; `spread` is
 * the number of lines in a pixel.
 */
function threadLine(position: number, spread: number): number {
  const distance = Math.abs(position - Math.round(position));
  return smoothstep(spread * 1.4 + 0.04, 0.02, distance) * smoothstep(0.5, 0.12, spread);
}
