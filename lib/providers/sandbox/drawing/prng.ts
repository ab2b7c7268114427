/** Pseudo-random numbers that depend only on the seed, on every machine. */
export interface Prng {
  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number;
  between(low: number, high: number): number;
  /** Returns an integer from 0 (included) to `end` (excluded). */
  below(end: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  chance(probability: number): boolean;
  /** Returns 32 bits, to seed noise or another generator. */
  bits(): number;
}

/**
 * Creates a xoshiro128** generator (Blackman and Vigna, 2018) whose state is filled from a hexadecimal text by
 * splitmix32.
 */
export function createPrng(seedHex: string): Prng {
  let [a, b, c, d] = initialState(seedHex);

  function bits(): number {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result | 0;
  }

  const next = () => (bits() >>> 0) / 2 ** 32;
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    bits,
    between: (low, high) => low + (high - low) * next(),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
  };
}

function initialState(seedHex: string): [number, number, number, number] {
  let state = 0;
  const mix = (more: number) => {
    state = (state + more + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return z ^ (z >>> 15);
  };
  for (let at = 0; at < seedHex.length; at += 7) {
    state ^= mix(Number.parseInt(seedHex.slice(at, at + 7), 16));
  }
  // A state of zeros would stay zero for ever.
  return [mix(1), mix(2), mix(3), mix(4) | 1];
}
