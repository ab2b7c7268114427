/** Pixels in 8-bit sRGB, alpha not premultiplied. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly channels: 3 | 4;
}

/**
 * Blends one pixel of `target` with the same pixel of `other`. With `weight` 255 it becomes exactly the pixel of `other`, with 0
 * it stays unchanged.
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
    // Colours are weighted by their alpha because invisible colours must not become visible. With weight 255 they are copied.
    bytes[to + channel] =
      weight === 255 || both === 0
        ? becomes
        : Math.round((is * own + becomes * otherAlpha * weight) / both);
  }
  if (channels === 4) bytes[to + 3] = Math.round(both / 255);
}
