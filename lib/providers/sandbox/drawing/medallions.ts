import type { Frame, RowShader } from './composition.ts';
import type { SharedPixels } from './drawing-task.ts';
import { clamp01, mix, smoothstep } from './ease.ts';
import type { Palette } from './palette.ts';
import { createSampler, type Sampler } from './sample.ts';

/** Diameter of a medallion in units. References are decoded at this size. */
export const MEDALLION_SIZE = 0.24;
const MOST = 4;
const MARGIN = 0.045;
const RIM = 0.012;

/** Adds up to four references as round, framed medallions at the lower edge, starting from the right. */
export function withMedallions(
  under: RowShader,
  frame: Frame,
  palette: Palette,
  references: readonly SharedPixels[],
): RowShader {
  const scale = Math.min(1, frame.halfWidth * 1.6, frame.halfHeight * 1.6);
  const size = MEDALLION_SIZE * scale;
  const medallions = references.slice(0, MOST).map((pixels, index) => ({
    u: frame.halfWidth - (MARGIN + MEDALLION_SIZE / 2 + index * (MEDALLION_SIZE + 0.03)) * scale,
    v: frame.halfHeight - (MARGIN + MEDALLION_SIZE / 2) * scale,
    pixels,
    sample: createSampler(pixels),
  }));
  const color = new Float32Array(3);
  return (y, row) => {
    under(y, row);
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    for (const medallion of medallions) {
      if (Math.abs(v - medallion.v) > size) continue;
      const from = Math.max(0, Math.floor((medallion.u - size + frame.halfWidth) * frame.unit));
      const to = Math.min(
        frame.width,
        Math.ceil((medallion.u + size + frame.halfWidth) * frame.unit),
      );
      for (let x = from; x < to; x += 1) {
        const u = (x + 0.5) / frame.unit - frame.halfWidth;
        const far = Math.hypot(u - medallion.u, v - medallion.v);
        const shadow =
          0.4 *
          smoothstep(
            size * 0.62,
            size * 0.48,
            Math.hypot(u - medallion.u - 0.006, v - medallion.v - 0.01),
          );
        const disc = clamp01((size / 2 - far) * frame.unit + 0.5);
        const inner = clamp01((size / 2 - RIM * scale - far) * frame.unit + 0.5);
        readAt(medallion, (u - medallion.u) / size + 0.5, (v - medallion.v) / size + 0.5, color);
        for (let channel = 0; channel < 3; channel += 1) {
          const at = x * 3 + channel;
          const shaded = (row[at] ?? 0) * (1 - shadow);
          const framed = mix(palette.paper[channel] ?? 0, color[channel] ?? 0, inner);
          row[at] = mix(shaded, framed, disc);
        }
      }
    }
  };
}

function readAt(
  { pixels, sample }: { readonly pixels: SharedPixels; readonly sample: Sampler },
  s: number,
  t: number,
  color: Float32Array,
): void {
  color.fill(0);
  sample(s * pixels.width, t * pixels.height, 1, color);
}
