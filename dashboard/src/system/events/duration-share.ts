/** The duration of a full bar: 100 s. */
const LONGEST_MS = 100_000;

/** How far the bar of a duration reaches, from 0 to 1: a tenth as long is a fifth shorter. */
export function durationShare(milliseconds: number): number {
  const share = Math.log10(Math.max(1, milliseconds)) / Math.log10(LONGEST_MS);
  return Math.min(1, share);
}
