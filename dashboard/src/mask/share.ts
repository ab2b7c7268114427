/** A share in per cent as it is shown: 0 and 100 only where they hold exactly, tenths below 10. */
export function toPercent(share: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return 100;
  const percent = share * 100;
  if (percent < 10) return Math.max(0.1, Math.round(percent * 10) / 10);
  return Math.min(99, Math.round(percent));
}
