/** Returns reproducible pseudo-random numbers (mulberry32). */
export interface Seeded {
  /** Returns a whole number from 0 to `below`, exclusive. */
  next(below: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
}

export function createSeeded(seed: number): Seeded {
  let state = seed;
  const next = (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return { next, pick: (values) => values[next(values.length)] ?? values[0] };
}
