import { describe, expect, it } from 'vitest';
import {
  labToRgb,
  lchToRgb,
  type Rgb,
  rgbToLab,
  toLch,
} from '../../../../../lib/providers/sandbox/drawing/oklch.ts';

describe('labToRgb', () => {
  it.each<[string, Rgb]>([
    ['black', [0, 0, 0]],
    ['white', [1, 1, 1]],
    ['red', [1, 0, 0]],
    ['a brown', [0.4, 0.25, 0.1]],
  ])('returns %s unchanged', (_, rgb) => {
    const back = labToRgb(rgbToLab(rgb));

    for (const [channel, value] of rgb.entries()) expect(back[channel]).toBeCloseTo(value, 2);
  });

  it('reduces chroma and keeps the hue of a colour that no screen shows', () => {
    const wanted = { lightness: 0.7, chroma: 0.4, hue: 150 };

    const shown = toLch(rgbToLab(lchToRgb(wanted)));

    expect(shown.chroma).toBeLessThan(0.3);
    expect(shown.hue).toBeCloseTo(wanted.hue, 0);
    expect(shown.lightness).toBeCloseTo(wanted.lightness, 1);
  });
});
