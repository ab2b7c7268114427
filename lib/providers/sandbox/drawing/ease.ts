export function clamp01(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** Returns 0 below `low`, 1 above `high`, and a smooth S-curve between. `low` may be greater than `high`. */
export function smoothstep(low: number, high: number, value: number): number {
  const t = clamp01((value - low) / (high - low));
  return t * t * (3 - 2 * t);
}
