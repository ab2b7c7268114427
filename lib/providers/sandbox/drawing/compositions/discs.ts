import type { Composition, Frame, Scene } from '../composition.ts';
import { clamp01, mix, smoothstep } from '../ease.ts';
import { fractalNoise, noise2 } from '../noise.ts';
import type { Rgb } from '../oklch.ts';

/** Large translucent washes of colour that overlap on paper, each slightly uneven. */
export const discs: Composition = {
  phrase: 'overlapping translucent discs on grained paper',
  shader(scene) {
    const { frame, palette, random } = scene;
    const seed = random.bits();
    const shapes = arrange(scene);
    const [, , , light, paper] = palette.swatches;
    const lean = random.between(-1, 1);
    return (y, row) => {
      const v = (y + 0.5) / frame.unit - frame.halfHeight;
      const near = shapes.filter((shape) => Math.abs(v - shape.v) < shape.radius * 1.1);
      for (let x = 0; x < frame.width; x += 1) {
        const u = (x + 0.5) / frame.unit - frame.halfWidth;
        const fade = clamp01(0.35 + 0.3 * v + 0.25 * lean * u) * 0.55;
        const fibre =
          noise2(u * 60, v * 190, seed) * 0.018 + noise2(u * 210, v * 70, seed ^ 9) * 0.018;
        const at = x * 3;
        for (let channel = 0; channel < 3; channel += 1) {
          row[at + channel] = mix(paper[channel] ?? 0, light[channel] ?? 0, fade) + fibre;
        }
        for (const shape of near) drawWash(shape, u, v, frame, row, at);
      }
    };
  },
};

interface Shape {
  readonly u: number;
  readonly v: number;
  readonly radius: number;
  /** Start of the hole in a ring, as a share of the radius. 0 for a full disc. */
  readonly hole: number;
  readonly color: Rgb;
  readonly strength: number;
  /** Direction of a half disc, which has points on one side only. Undefined for a whole disc. */
  readonly cut: { readonly u: number; readonly v: number } | undefined;
  readonly leanU: number;
  readonly leanV: number;
  readonly seed: number;
}

/**
 * Returns one great disc, companions on a spiral around it, and small accents, so that every image has large, middle
 * and small shapes.
 */
function arrange({ frame, palette, random }: Scene): readonly Shape[] {
  const [ink, deep, middle, light] = palette.swatches;
  const count = 9 + random.below(5);
  const start = random.between(0, Math.PI * 2);
  const bend = random.between(0.6, 1.1);
  return Array.from({ length: count }, (_, index) => {
    const share = index / count;
    const angle = start + index * 2.39996 * bend;
    const away = index === 0 ? random.between(0.05, 0.2) : random.between(0.2, 0.44) + share * 0.12;
    const radius =
      index === 0
        ? random.between(0.3, 0.38)
        : mix(0.3, 0.045, share ** 0.7) * random.between(0.75, 1.2);
    const direction = random.between(0, Math.PI * 2);
    const kind = random.next();
    return {
      u: Math.cos(angle) * away * Math.min(frame.halfWidth * 2, 1.8),
      v: Math.sin(angle) * away * Math.min(frame.halfHeight * 2, 1.8),
      radius,
      hole: index > 1 && kind > 0.72 ? random.between(0.68, 0.9) : 0,
      color:
        index % 4 === 1
          ? palette.accent
          : random.pick([middle, deep, light, middle, palette.accent, ink]),
      strength: random.between(0.55, 0.86),
      cut: kind < 0.2 ? { u: Math.cos(direction), v: Math.sin(direction) } : undefined,
      leanU: Math.cos(direction),
      leanV: Math.sin(direction),
      seed: random.bits(),
    };
  });
}

/** Multiplies one wash onto the pixel. The wash is darker at its rim and fades in one direction. */
function drawWash(
  shape: Shape,
  u: number,
  v: number,
  frame: Frame,
  row: Float32Array,
  at: number,
): void {
  const du = u - shape.u;
  const dv = v - shape.v;
  const far = Math.hypot(du, dv);
  if (far > shape.radius * 1.1) return;
  const wobble = noise2(u * 3.1, v * 3.1, shape.seed) * 0.014;
  const inside = shape.radius * (1 + wobble) - far;
  let cover = clamp01(inside * frame.unit + 0.5);
  if (shape.hole > 0) cover *= clamp01((far - shape.radius * shape.hole) * frame.unit + 0.5);
  if (shape.cut) cover *= clamp01((du * shape.cut.u + dv * shape.cut.v) * frame.unit + 0.5);
  if (cover === 0) return;
  const lean = 0.5 + (0.5 * (du * shape.leanU + dv * shape.leanV)) / shape.radius;
  const pigment = fractalNoise(u * 5, v * 5, 3, shape.seed) * 0.22;
  const rim = 0.12 * smoothstep(0.016, 0, inside);
  const wash = clamp01(cover * (shape.strength * mix(0.45, 1.05, lean) + pigment + rim));
  for (let channel = 0; channel < 3; channel += 1) {
    const under = row[at + channel] ?? 0;
    const ink = shape.color[channel] ?? 0;
    // Half multiplied and half covered, so that three overlapping washes stay light enough.
    const glaze = mix(under * ink, ink, 0.42);
    row[at + channel] = mix(under, glaze, wash);
  }
}
