import type { Rgb } from '../color.ts';

/** What makes the key's hue: its strong channels. */
export interface Hue {
  /** How far a colour's strong channels stand above the others; above 0 for what is of the key's hue. */
  excess(red: number, green: number, blue: number): number;
  readonly isStrong: readonly [red: boolean, green: boolean, blue: boolean];
}

/** Between the channels of a key that is a colour rather than a grey. */
const LEAST_CONTRAST = 64;

/** Undefined for a key without a hue, which nothing can be tinted with. */
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
