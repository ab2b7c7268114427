import type { Pixels } from '../image.ts';

/** The most frequent colour along the border of an image. */
interface FlatBackground {
  /** `#rrggbb`. */
  readonly color: string;
  /** Fraction of the border pixels that have nearly this colour, 0 to 1. */
  readonly share: number;
}

const BORDER_PX = 2;
/** The greatest difference in a channel at which two colours count as equal. Noise and compression cause such differences. */
const NEAR = 24;
/** The number of bins of the histogram: one bin for each colour with 4 bits per channel. */
const BINS = 16 ** 3;

/**
 * Finds the flat background of an image from the colours of the border, because the subject seldom touches the border. Counts
 * only opaque pixels. `pixels` must have four channels.
 */
export function findFlatBackground(pixels: Pixels): FlatBackground {
  const { data } = pixels;
  const all = borderOffsets(pixels);
  const border = all.filter((at) => data[at + 3] === 255);
  if (border.length === 0) return { color: '#000000', share: 0 };
  const binOf = (at: number) =>
    ((data[at] ?? 0) >> 4) * 256 + ((data[at + 1] ?? 0) >> 4) * 16 + ((data[at + 2] ?? 0) >> 4);
  const counts = new Uint32Array(BINS);
  for (const at of border) counts[binOf(at)] = (counts[binOf(at)] ?? 0) + 1;
  const fullest = counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
  // A flat colour may lie on the edge of its bin. The mean of the pixels in the bin is still near this colour.
  const inBin = border.filter((at) => binOf(at) === fullest);
  const color = [0, 1, 2].map((channel) => {
    const total = inBin.reduce((sum, at) => sum + (data[at + channel] ?? 0), 0);
    return Math.round(total / inBin.length);
  });
  const isNear = (at: number) =>
    color.every((value, channel) => Math.abs((data[at + channel] ?? 0) - value) <= NEAR);
  const hex = color.map((value) => value.toString(16).padStart(2, '0')).join('');
  return { color: `#${hex}`, share: border.filter(isNear).length / all.length };
}

/** Returns the positions of the border pixels in the buffer. */
function borderOffsets({ width, height }: Pixels): readonly number[] {
  const offsets: number[] = [];
  for (let y = 0; y < height; y += 1) {
    const isRow = y < BORDER_PX || y >= height - BORDER_PX;
    for (let x = 0; x < width; x += 1) {
      if (isRow || x < BORDER_PX || x >= width - BORDER_PX) offsets.push((y * width + x) * 4);
    }
  }
  return offsets;
}
