export function clamp01(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** 0 below `low`, 1 above `high`, a soft S between; `low` may be the greater one. */
export function smoothstep(low: number, high: number, value: number): number {
  const t = clamp01((value - low) / (high - low));
  return t * t * (3 - 2 * t);
}
