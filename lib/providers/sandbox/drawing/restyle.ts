import type { RowShader, Scene } from './composition.ts';
import type { SharedPixels } from './drawing-task.ts';
import { clamp01, mix, smoothstep } from './ease.ts';
import { createField } from './field.ts';
import { noise2, unit2 } from './noise.ts';
import { createSampler } from './sample.ts';

/** Number of points along a stroke that are averaged for one pixel. */
const TAPS = 9;

/**
 * Restyles a photograph: smears its pixels along brush strokes, moves its shades toward the palette, and blends
 * `overlay`, the image of the prompt alone, in from the edges. `strength` (0 to 1) scales all three effects.
 */
export function restyle(
  scene: Scene,
  source: SharedPixels,
  strength: number,
  overlay: RowShader,
): RowShader {
  const { frame, palette, random } = scene;
  const { ramp } = palette;
  const seed = random.bits();
  const sample = createSampler(source);
  const turn = random.between(0, Math.PI);
  const angle = createField(frame, 8, (u, v) => turn + noise2(u * 2.3, v * 2.3, seed) * 4.5);
  const step = strength * frame.unit * 0.0029;
  const hair = Math.max(frame.unit / 512, 1);
  const graded = 0.12 + 0.58 * strength;
  const overlaid = new Float32Array(frame.width * 3);
  const color = new Float32Array(3);
  return (y, row) => {
    overlay(y, overlaid);
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    for (let x = 0; x < frame.width; x += 1) {
      const u = (x + 0.5) / frame.unit - frame.halfWidth;
      const direction = angle(u, v);
      const stepX = Math.cos(direction) * step;
      const stepY = Math.sin(direction) * step;
      color.fill(0);
      let grain = 0;
      for (let tap = 0; tap < TAPS; tap += 1) {
        const away = tap - (TAPS - 1) / 2;
        const px = x + 0.5 + stepX * away;
        const py = y + 0.5 + stepY * away;
        sample(px, py, 1 / TAPS, color);
        grain += unit2(Math.floor(px / hair), Math.floor(py / hair), seed) - 0.5;
      }
      grain *= (0.34 * strength) / TAPS;
      const [red = 0, green = 0, blue = 0] = color;
      const shade = ramp.step(0.04 + 0.92 * luma(red, green, blue));
      const edge = Math.max(Math.abs(u) / frame.halfWidth, Math.abs(v) / frame.halfHeight);
      const grown = edge + noise2(u * 2.6, v * 2.6, seed ^ 0x33) * 0.42;
      const over = clamp01(strength * (0.08 + 1.05 * smoothstep(0.62, 1.02, grown)));
      const at = x * 3;
      row[at] = mix(red, ramp.red(shade), graded) + grain;
      row[at + 1] = mix(green, ramp.green(shade), graded) + grain;
      row[at + 2] = mix(blue, ramp.blue(shade), graded) + grain;
      blendOver(row, overlaid, at, over);
    }
  };
}

/**
 * Blends the overlay's pixel into the row. Mainly its colour is used, and the lightness stays closer to the
 * photograph's.
 */
function blendOver(row: Float32Array, overlaid: Float32Array, at: number, share: number): void {
  const under = luma(row[at] ?? 0, row[at + 1] ?? 0, row[at + 2] ?? 0);
  const over = luma(overlaid[at] ?? 0, overlaid[at + 1] ?? 0, overlaid[at + 2] ?? 0);
  const scale = mix(under, over, 0.35) / Math.max(over, 0.02);
  for (let channel = at; channel < at + 3; channel += 1) {
    row[channel] = mix(row[channel] ?? 0, clamp01((overlaid[channel] ?? 0) * scale), share);
  }
}

function luma(red: number, green: number, blue: number): number {
  return 0.3 * red + 0.59 * green + 0.11 * blue;
}
