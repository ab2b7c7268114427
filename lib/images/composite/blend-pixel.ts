/** 8-bit sRGB, alpha not premultiplied. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly channels: 3 | 4;
}

/**
 * Changes one pixel of `target` towards the same pixel of `other`: with `weight` 255 it becomes exactly that, with 0 it stays
 * as it is.
 */
export function blendPixel(target: Plane, other: Plane, pixel: number, weight: number): void {
  const { bytes, channels } = target;
  const to = pixel * channels;
  const from = pixel * other.channels;
  const ownAlpha = channels === 4 ? (bytes[to + 3] ?? 255) : 255;
  const otherAlpha = other.channels === 4 ? (other.bytes[from + 3] ?? 255) : 255;
  const own = ownAlpha * (255 - weight);
  const both = own + otherAlpha * weight;
  for (let channel = 0; channel < 3; channel += 1) {
    const is = bytes[to + channel] ?? 0;
    const becomes = other.bytes[from + channel] ?? 0;
    // Colours are weighted by their alpha: invisible colours must not become visible. With 255 they stay as they are.
    bytes[to + channel] =
      weight === 255 || both === 0
        ? becomes
        : Math.round((is * own + becomes * otherAlpha * weight) / both);
  }
  if (channels === 4) bytes[to + 3] = Math.round(both / 255);
}
