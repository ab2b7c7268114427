import { BridgeError } from '../errors/bridge-error.ts';

/** Red, green and blue in 8-bit sRGB. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Parses `#RRGGBB`. Throws `internal` for any other text, because request validation accepts only this form. */
export function parseColor(color: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(color)) {
    throw new BridgeError('internal', 'colour is not in the form #RRGGBB');
  }
  const bits = Number.parseInt(color.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 0xff, bits & 0xff];
}

/** Returns the greatest absolute difference between the same channels of two colours. */
export function colorDistance(one: Rgb, other: Rgb): number {
  return Math.max(...one.map((value, channel) => Math.abs(value - (other[channel] ?? 0))));
}
