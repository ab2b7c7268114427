import type { Rgb } from '../color.ts';

/** The strong channels of the key, which make its hue. */
export interface Hue {
  /** By how much a colour's strong channels exceed the others; above 0 for a colour of the key's hue. */
  excess(red: number, green: number, blue: number): number;
  readonly isStrong: readonly [red: boolean, green: boolean, blue: boolean];
}

/** Between the channels of a key that is a colour rather than a grey. */
const LEAST_CONTRAST = 64;

/** Undefined for a grey key, which has no hue. */
export function hueOf(key: Rgb): Hue | undefined {
  const [least, greatest] = [Math.min(...key), Math.max(...key)];
  if (greatest - least < LEAST_CONTRAST) return undefined;
  const isAbove = (value: number) => 2 * value > least + greatest;
  const isStrong = [isAbove(key[0]), isAbove(key[1]), isAbove(key[2])] as const;
  // Masks, because it runs for millions of pixels: all bits for a weak channel, none for a strong one.
  const [r, g, b] = isStrong.map((strong) => (strong ? 0 : 255));
  const [weakR, weakG, weakB] = [r ?? 0, g ?? 0, b ?? 0];
  return {
    isStrong,
    excess: (red, green, blue) =>
      Math.min(red | weakR, green | weakG, blue | weakB) -
      Math.max(red & weakR, green & weakG, blue & weakB),
  };
}
