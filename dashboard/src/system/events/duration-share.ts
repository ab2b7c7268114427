/** The duration of a full bar, in milliseconds. */
const LONGEST_MS = 100_000;

/**
 * Returns the length of the bar for a duration, from 0 to 1, on a logarithmic scale: a tenth of the duration is a fifth
 * shorter.
 */
export function durationShare(milliseconds: number): number {
  const share = Math.log10(Math.max(1, milliseconds)) / Math.log10(LONGEST_MS);
  return Math.min(1, share);
}
