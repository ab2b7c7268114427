/** Returns a well-mixed 32-bit hash of two integer coordinates. */
export function hash2(x: number, y: number, seed: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ seed;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}

/** Returns a number from 0 (included) to 1 (excluded) for two integer coordinates. */
export function unit2(x: number, y: number, seed: number): number {
  return (hash2(x, y, seed) >>> 0) / 2 ** 32;
}

// The two 16-bit halves of the hash are the gradient. Without a gradient table the hottest loop needs no bounds checks.
function corner(hash: number, dx: number, dy: number): number {
  return ((hash << 16) >> 16) * dx + (hash >> 16) * dy;
}

/** Returns smooth gradient noise: about -1 to 1, mostly within -0.6 and 0.6, with one bump in each unit of length. */
export function noise2(x: number, y: number, seed: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const fx = x - ix;
  const fy = y - iy;
  const sx = fx * fx * fx * (fx * (fx * 6 - 15) + 10);
  const sy = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
  const n00 = corner(hash2(ix, iy, seed), fx, fy);
  const n10 = corner(hash2(ix + 1, iy, seed), fx - 1, fy);
  const n01 = corner(hash2(ix, iy + 1, seed), fx, fy - 1);
  const n11 = corner(hash2(ix + 1, iy + 1, seed), fx - 1, fy - 1);
  const top = n00 + (n10 - n00) * sx;
  const bottom = n01 + (n11 - n01) * sx;
  return (top + (bottom - top) * sy) / 26_000;
}

/** Returns the sum of noise of several sizes, each half as long and half as strong as the previous one. */
export function fractalNoise(x: number, y: number, octaves: number, seed: number): number {
  let sum = 0;
  let strength = 0.5;
  let px = x;
  let py = y;
  for (let octave = 0; octave < octaves; octave += 1) {
    sum += strength * noise2(px, py, seed + octave * 0x3c6ef372);
    // Rotating between octaves hides the lattice.
    const turned = px * 1.6 - py * 1.2;
    py = px * 1.2 + py * 1.6;
    px = turned;
    strength *= 0.5;
  }
  return sum;
}

/** Returns fractal noise with sharp crests, 0 to 1, which looks like mountains instead of hills. */
export function ridgedNoise(x: number, y: number, octaves: number, seed: number): number {
  let sum = 0;
  let strength = 0.5;
  let carry = 1;
  let scale = 1;
  for (let octave = 0; octave < octaves; octave += 1) {
    const crest =
      1 - Math.min(Math.abs(noise2(x * scale, y * scale, seed + octave * 0x3c6ef372)) * 1.6, 1);
    const sharp = crest * crest * carry;
    sum += sharp * strength;
    carry = Math.min(sharp * 1.8, 1);
    strength *= 0.5;
    scale *= 2.03;
  }
  return sum;
}
