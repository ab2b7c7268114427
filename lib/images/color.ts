import { BridgeError } from '../errors/bridge-error.ts';

/** Red, green and blue in 8-bit sRGB. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Throws `internal` for anything but `#RRGGBB`: the contract accepts no other form. */
export function parseColor(color: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(color)) {
    throw new BridgeError('internal', 'a colour is not of the form #RRGGBB');
  }
  const bits = Number.parseInt(color.slice(1), 16);
  return [bits >> 16, (bits >> 8) & 0xff, bits & 0xff];
}

/** The greatest absolute difference of one channel. */
export function colorDistance(one: Rgb, other: Rgb): number {
  return Math.max(...one.map((value, channel) => Math.abs(value - (other[channel] ?? 0))));
}
