/** Coordinate system of an image: its centre is 0,0, and `unit` pixels make a length of 1. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly unit: number;
  /** Half the dimensions of the image in units. */
  readonly halfWidth: number;
  readonly halfHeight: number;
}

/** Red, green and blue, gamma-coded sRGB, each 0 to 1. Always a `Float32Array`, which keeps the inner loops fast. */
export type Rgb = Float32Array;

/** Writes the colour of one point. Values slightly outside 0 to 1 are clamped later. */
export type Painter = (u: number, v: number, color: Rgb) => void;

interface Scene {
  readonly frame: Frame;
  readonly palette: Palette;
  /**
   * Must be read in an order that does not depend on size or detail, because size and detail must not change the
   * layout.
   */
  readonly random: Random;
  /** Number of octaves of fine structure: 2 (little) to 4 (all). */
  readonly octaves: number;
}

/** One kind of image. `phrase` describes the image in the revised prompt. */
interface Composition {
  readonly phrase: string;
  painter(scene: Scene): Painter;
}

/** Returns the frame of an image. A wide image shows more of the same scene than a square image does. */
export function frameOf(width: number, height: number): Frame {
  const unit = Math.max(Math.min(width, height), Math.max(width, height) / 4);
  return { width, height, unit, halfWidth: width / unit / 2, halfHeight: height / unit / 2 };
}

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

/** Moves a colour toward another colour, which is multiplied by `tone` first. */
export function blend(color: Rgb, to: Rgb, share: number, tone = 1): void {
  color[0] = mix(color[0] ?? 0, (to[0] ?? 0) * tone, share);
  color[1] = mix(color[1] ?? 0, (to[1] ?? 0) * tone, share);
  color[2] = mix(color[2] ?? 0, (to[2] ?? 0) * tone, share);
}

/** Returns a well-mixed 32-bit hash of two integers. */
export function hash(x: number, y: number, seed: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ seed;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
}

/** Returns a number from 0 (included) to 1 (excluded) for two integers. */
function hashUnit(x: number, y: number, seed: number): number {
  return (hash(x, y, seed) >>> 0) / 2 ** 32;
}

export type Random = ReturnType<typeof createRandom>;

/** Creates pseudo-random numbers that depend only on the seed, on every machine. */
export function createRandom(seed: number) {
  let count = 0;
  const next = () => hashUnit(count++, 1, seed);
  return {
    next,
    between: (low: number, high: number) => mix(low, high, next()),
    pick: <T>(choices: readonly [T, ...T[]]): T =>
      choices[Math.floor(next() * choices.length)] ?? choices[0],
    /** Returns 32 bits, to seed noise. */
    bits: () => Math.floor(next() * 2 ** 32) | 0,
  };
}

// The two 16-bit halves of the hash are the gradient. Without a gradient table the hottest loop needs no bounds checks.
function corner(bits: number, dx: number, dy: number): number {
  return ((bits << 16) >> 16) * dx + (bits >> 16) * dy;
}

/** Returns smooth gradient noise: about -1 to 1, mostly within -0.6 and 0.6, with one bump in each unit of length. */
export function noise(x: number, y: number, seed: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const fx = x - ix;
  const fy = y - iy;
  const sx = fx * fx * fx * (fx * (fx * 6 - 15) + 10);
  const sy = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
  const top = mix(
    corner(hash(ix, iy, seed), fx, fy),
    corner(hash(ix + 1, iy, seed), fx - 1, fy),
    sx,
  );
  const bottom = mix(
    corner(hash(ix, iy + 1, seed), fx, fy - 1),
    corner(hash(ix + 1, iy + 1, seed), fx - 1, fy - 1),
    sx,
  );
  return mix(top, bottom, sy) / 26_000;
}

/** Returns the sum of noise of several sizes, each half as long and half as strong as the previous one. */
function fractal(x: number, y: number, octaves: number, seed: number): number {
  let sum = 0;
  let px = x;
  let py = y;
  for (let octave = 0; octave < octaves; octave += 1) {
    sum += noise(px, py, seed + octave * 0x3c6ef372) / 2 ** (octave + 1);
    // Rotating between octaves hides the lattice.
    const turned = px * 1.6 - py * 1.2;
    py = px * 1.2 + py * 1.6;
    px = turned;
  }
  return sum;
}

/** Returns the slight unevenness of paper. */
function fibre(u: number, v: number, seed: number): number {
  return (noise(u * 60, v * 190, seed) + noise(u * 210, v * 70, seed ^ 9)) * 0.017;
}

type Field = (u: number, v: number) => number;

/** Smallest length between two computed values of a field. */
const CELL = 1 / 256;

/**
 * Returns a smooth function of a point in the image. The function is computed once on a grid and interpolated between
 * the points of the grid. The grid is never finer than the pixels.
 */
export function createField({ unit, halfWidth, halfHeight }: Frame, value: Field): Field {
  const cell = Math.max(CELL, 1 / unit);
  const margin = Math.ceil((10 * CELL) / cell);
  const columns = Math.ceil((2 * halfWidth) / cell) + 2 * margin + 2;
  const lines = Math.ceil((2 * halfHeight) / cell) + 2 * margin + 2;
  const left = -halfWidth - margin * cell;
  const top = -halfHeight - margin * cell;
  const grid = Float32Array.from({ length: columns * lines }, (_, at) =>
    value(left + (at % columns) * cell, top + Math.floor(at / columns) * cell),
  );
  return (u, v) => {
    const x = Math.min(Math.max((u - left) / cell, 0), columns - 1.001);
    const y = Math.min(Math.max((v - top) / cell, 0), lines - 1.001);
    const column = x | 0;
    const line = y | 0;
    const at = line * columns + column;
    const upper = mix(grid[at] ?? 0, grid[at + 1] ?? 0, x - column);
    const lower = mix(grid[at + columns] ?? 0, grid[at + columns + 1] ?? 0, x - column);
    return mix(upper, lower, y - line);
  };
}

/** The colours of one image: five shades from the darkest to the lightest, and one colour that differs from them. */
export interface Palette {
  readonly shades: readonly Rgb[];
  readonly accent: Rgb;
}

/** Hues of the shadows, the lights and the accent in degrees. */
interface Mood {
  readonly name: string;
  readonly shadow: number;
  readonly light: number;
  readonly accent: number;
  readonly chroma: number;
}

const MOODS: readonly [Mood, ...Mood[]] = [
  { name: 'teal and peach', shadow: 215, light: 58, accent: 35, chroma: 0.1 },
  { name: 'indigo and rose', shadow: 282, light: 15, accent: 72, chroma: 0.12 },
  { name: 'pine and sand', shadow: 168, light: 86, accent: 42, chroma: 0.085 },
  { name: 'navy and gold', shadow: 262, light: 82, accent: 68, chroma: 0.1 },
  { name: 'plum and apricot', shadow: 335, light: 62, accent: 192, chroma: 0.115 },
  { name: 'slate and lilac', shadow: 250, light: 308, accent: 55, chroma: 0.08 },
  { name: 'burgundy and blush', shadow: 8, light: 32, accent: 205, chroma: 0.12 },
  { name: 'midnight and turquoise', shadow: 272, light: 190, accent: 350, chroma: 0.11 },
  { name: 'terracotta and sky', shadow: 38, light: 225, accent: 25, chroma: 0.1 },
  { name: 'ocean and coral', shadow: 238, light: 38, accent: 24, chroma: 0.115 },
];

/** Returns the composition and the mood of a prompt. The mood of the negative prompt, if any, is avoided. */
export function lookOf(promptSeed: number, negativeSeed: number | undefined) {
  const composition = createRandom(promptSeed).pick(COMPOSITIONS);
  const mood = moodOf(promptSeed);
  const isAvoided = negativeSeed !== undefined && moodOf(negativeSeed) === mood;
  return { composition, mood: isAvoided ? moodOf(promptSeed, 1) : mood };
}

function moodOf(seed: number, shift = 0): Mood {
  // A separate generator lets every composition occur with every mood.
  const at = Math.floor(createRandom(seed + 1).next() * MOODS.length);
  return MOODS[(at + shift) % MOODS.length] ?? MOODS[0];
}

/** Returns the colours of a mood, slightly varied by `random`. */
export function paletteOf(mood: Mood, random: Random): Palette {
  const turn = random.between(-14, 14);
  const spread = ((mood.light - mood.shadow + 540) % 360) - 180;
  const shade = (lightness: number, chroma: number, towardLight: number) =>
    toRgb(lightness, mood.chroma * chroma, mood.shadow + turn + spread * towardLight);
  return {
    shades: [
      shade(0.25, 0.75, 0),
      shade(0.42, 1, 0.12),
      shade(0.6, 1.1, 0.4),
      shade(0.78, 0.9, 0.8),
      shade(0.945, 0.32, 1),
    ],
    accent: toRgb(random.between(0.64, 0.74), 0.16, mood.accent + random.between(-10, 10)),
  };
}

/** Converts a colour in Oklch (Ottosson, 2020; hue in degrees) to sRGB. Colours outside sRGB are clipped. */
function toRgb(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const encode = (linear: number) =>
    linear <= 0.0031308 ? clamp01(linear * 12.92) : clamp01(1.055 * linear ** (1 / 2.4) - 0.055);
  return Float32Array.of(
    encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  );
}

const RAMP_STEPS = 1024;

/** Creates a gradient through the shades of a palette. A position is 0 (darkest) to 1 (lightest). */
export function createRamp({ shades }: Palette): (position: number) => Rgb {
  const steps = Array.from({ length: RAMP_STEPS }, (_, step) => {
    const position = (step / RAMP_STEPS) * (shades.length - 1);
    const color = Float32Array.from(shades[Math.floor(position)] ?? WHITE);
    blend(color, shades[Math.floor(position) + 1] ?? WHITE, position % 1);
    return color;
  });
  return (position) => steps[(clamp01(position) * (RAMP_STEPS - 1)) | 0] ?? WHITE;
}

/** Ranges of hills under a low sun or moon, each paler than the nearer one, and sometimes over still water. */
const ridges: Composition = {
  phrase: 'ridges fading into the haze under a low sun',
  painter({ frame, palette, random, octaves }) {
    const { unit, halfWidth, halfHeight } = frame;
    const ramp = createRamp(palette);
    const seed = random.bits();
    const isNight = random.next() < 0.3;
    const horizon = random.between(-0.24, 0.24) * halfHeight;
    const sunU = random.between(-0.55, 0.55) * halfWidth;
    const sunV = mix(-halfHeight, horizon, random.between(0.4, 0.82));
    const radius = random.between(0.055, isNight ? 0.1 : 0.15);
    const zenith = isNight ? 0.05 : random.between(0.5, 0.66);
    const haze = isNight ? 0.5 : 0.92;
    const far = isNight ? 0.42 : random.between(0.7, 0.8);
    const near = isNight ? 0.02 : 0.1;
    const isLake = random.next() < 0.45;
    const shore = isLake ? horizon + halfHeight * random.between(0.4, 0.6) : halfHeight;
    const crest = random.pick(CRESTS);
    const boldness = random.between(0.8, 1.25);
    const lastRange = isLake ? 3 : 5;
    // From the farthest range to the nearest: the height of its crest at each column.
    const ranges = Array.from({ length: lastRange + 1 }, (_, index) => {
      const share = index / lastRange;
      const base = horizon + halfHeight * (isLake ? 0.3 : 0.8) * share ** 1.25;
      const height = mix(0.16, isLake ? 0.16 : 0.3, share) * boldness;
      return Float32Array.from({ length: frame.width + 1 }, (__, x) => {
        const u = ((x + 0.5) / unit - halfWidth) * mix(2.3, 1.1, share);
        return base - height * crest(u, seed + index);
      });
    });
    const wisps = createField(frame, (u, v) => fractal(u * 1.1 + 3, v * 5.5, octaves, seed));
    const relief = createField(frame, (u, v) => fractal(u * 10, v * 17, octaves, seed ^ 5) * 0.12);

    function paintSky(u: number, v: number, color: Rgb): void {
      const height = clamp01((v + halfHeight) / (horizon + halfHeight + 0.12));
      const cloud = smoothstep(-0.06, 0.34, wisps(u, v)) * smoothstep(0, 0.55, height) * 0.08;
      blend(color, ramp(mix(zenith, haze, height ** 1.35) + cloud), 1);
      const distance = Math.sqrt((u - sunU) ** 2 + (v - sunV) ** 2);
      const halo = isNight ? 0.42 * Math.exp(distance * -6) : 0.55 * Math.exp(distance * -3.4);
      blend(color, ramp(isNight ? 0.75 : 0.9), halo);
      if (isNight) blend(color, WHITE, starAt(u, v, seed) * (1 - height * 0.75));
      blend(color, ramp(1), clamp01((radius - distance) * unit + 0.5) * 0.92);
    }

    function paintLand(u: number, v: number, color: Rgb): void {
      const x = Math.min(Math.max(Math.round((u + halfWidth) * unit - 0.5), 0), frame.width - 1);
      // Nothing is visible behind the nearest range that covers the point completely.
      let index = lastRange;
      while (index >= 0 && (v - (ranges[index]?.[x] ?? 0)) * unit < 2) index -= 1;
      if (index < 0) paintSky(u, v, color);
      for (index = Math.max(index, 0); index <= lastRange; index += 1) {
        const top = ranges[index]?.[x] ?? 0;
        const slope = ((ranges[index]?.[x + 1] ?? 0) - top) * unit;
        const cover = clamp01(((v - top) * unit) / Math.sqrt(1 + slope * slope) + 0.5);
        if (cover === 0) continue;
        const share = index / lastRange;
        const mist = smoothstep(0, mix(0.14, 0.5, share), v - top) * mix(0.75, 0.18, share);
        const ground = mix(far, near, share) + relief(u, v) * mix(0.35, 1, share);
        blend(color, ramp(mix(ground, haze, mist)), cover);
      }
    }

    return (u, v, color) => {
      const depth = v - shore;
      if (depth < 0) return paintLand(u, v, color);
      // The lake mirrors the land slightly darker, broken by ripples that grow toward the viewer.
      const nearness = depth / (halfHeight - shore);
      const ripple = noise(u * mix(9, 3, nearness), v * mix(150, 45, nearness), seed);
      const mirroredU = u + ripple * mix(0.004, 0.02, nearness);
      paintLand(mirroredU, shore - depth * 0.9 + ripple * 0.02 * nearness, color);
      blend(color, ramp(0.25), clamp01(0.14 + 0.22 * nearness + ripple * 0.14 * (0.3 + nearness)));
      blend(color, WHITE, 0.12 * smoothstep(0.03, 0, depth));
    };
  },
};

const WHITE: Rgb = Float32Array.of(1, 1, 1);

/** Heights of a crest, about -0.5 to 0.5: rolling hills, sharp mountains, a forest. */
const CRESTS: readonly [Crest, ...Crest[]] = [
  (u, seed) => fractal(u * 0.8, 0.5, 2, seed) * 1.3 + fractal(u * 9, 7, 2, seed) * 0.03,
  (u, seed) => {
    let crest = -0.55;
    for (let octave = 0; octave < 6; octave += 1) {
      crest +=
        (1 - Math.abs(noise(u * 2 ** octave, 0.5, seed + octave)) * 1.6) ** 2 / 2 ** (octave + 0.7);
    }
    return crest;
  },
  (u, seed) => fractal(u * 1.1, 0.5, 6, seed) * 1.2 + treeTop(u * 31, seed) * 0.075,
];

type Crest = (u: number, seed: number) => number;

/** Returns the outline of a row of pointed trees of random widths and heights, 0 to 1. */
function treeTop(position: number, seed: number): number {
  const tree = Math.floor(position);
  const size = hashUnit(tree, 2, seed);
  const away = Math.abs(position - tree - 0.25 - hashUnit(tree, 1, seed) / 2);
  return Math.max(0, 1 - away / (0.34 + 0.3 * size)) * (0.25 + 0.75 * size);
}

/** Returns the light of a star at a point of the sky, 0 to 1. */
function starAt(u: number, v: number, seed: number): number {
  const column = Math.floor(u * 34);
  const line = Math.floor(v * 34);
  if (hashUnit(column, line, seed) > 0.3) return 0;
  const du = u * 34 - column - 0.15 - 0.7 * hashUnit(column, line, seed + 1);
  const dv = v * 34 - line - 0.15 - 0.7 * hashUnit(column, line, seed + 2);
  const size = 0.03 + 0.06 * hashUnit(column, line, seed + 3) ** 3;
  return smoothstep(size, size * 0.3, Math.hypot(du, dv)) * hashUnit(column, line, seed + 4);
}

/** Noise distorted twice by other noise and lit from the side: folded silk, ink in water, polished stone. */
const flow: Composition = {
  phrase: 'silk folds drifting through slow light',
  painter({ frame, palette, random, octaves }) {
    const ramp = createRamp(palette);
    const seed = random.bits();
    const turn = random.between(0, Math.PI * 2);
    const scale = random.between(0.75, 1.35);
    const stretch = random.between(0.55, 1);
    const warp = random.between(1.2, 2.4);
    const contrast = random.between(1.15, 1.5);
    const relief = random.between(0.5, 1.1);
    const cos = Math.cos(turn) * scale;
    const sin = Math.sin(turn) * scale;
    const silk = (u: number, v: number) => {
      const x = u * cos - v * sin;
      const y = (u * sin + v * cos) * stretch;
      const bendX = fractal(x, y, 2, seed);
      const bendY = fractal(x + 5.2, y + 1.3, 2, seed ^ 0x51ab);
      const px = x + bendX * warp * 1.6;
      const py = y + bendY * warp * 1.6;
      const foldX = noise(px + 1.7, py + 9.2, seed ^ 0x7331);
      const foldY = noise(px + 8.3, py + 2.8, seed ^ 0x1d07);
      const last = fractal(x + foldX * warp, y + foldY * warp, octaves, seed ^ 0x2f2f);
      return {
        height: clamp01(0.5 + last * contrast + bendX * 0.25),
        tint: 0.62 * smoothstep(0.12, 0.6, foldX * 0.9 + bendY * 0.6),
      };
    };
    const height = createField(frame, (u, v) => silk(u, v).height);
    const tint = createField(frame, (u, v) => silk(u, v).tint);
    return (u, v, color) => {
      const here = height(u, v);
      const slope = (here - height(u - CELL, v) + (here - height(u, v - CELL)) * 0.8) / CELL;
      const lit = Math.tanh(slope * 0.22) * 0.17 * relief;
      blend(color, ramp(here + lit), 1);
      blend(color, palette.accent, tint(u, v));
      blend(color, WHITE, 0.2 * smoothstep(0.5, 1, lit * 6));
    };
  },
};

/** A stack of cut paper, in which each sheet casts a soft shadow on the sheet below. */
const papercut: Composition = {
  phrase: 'stacked sheets of cut paper with soft shadows',
  painter({ frame, palette, random }) {
    const ramp = createRamp(palette);
    const seed = random.bits();
    const scale = random.between(0.7, 1.05);
    const turn = random.between(0, Math.PI * 2);
    const bowl = random.pick([-0.7, 0.7, 0]);
    const levels = random.pick([6, 7, 8, 9]);
    const centerU = random.between(-0.3, 0.3) * frame.halfWidth;
    const centerV = random.between(-0.3, 0.3) * frame.halfHeight;
    const isInverted = random.next() < 0.5;
    const sheets = Array.from({ length: levels + 1 }, (_, level) => {
      const share = level / (levels - 1);
      return level === 2 ? palette.accent : ramp(mix(0.06, 0.97, isInverted ? 1 - share : share));
    });
    const height = createField(frame, (u, v) => {
      const wave = fractal(u * scale, v * scale, 3, seed) * 0.95;
      const tilt = (u * Math.cos(turn) + v * Math.sin(turn)) * (bowl === 0 ? 0.75 : 0.22);
      const hollow = bowl * (Math.hypot(u - centerU, v - centerV) - 0.45);
      // Heights outside the stack are reflected back into it.
      const share = Math.abs((0.5 + wave + tilt + hollow) % 2);
      return Math.min(share, 2 - share) * levels;
    });
    const shadow = (u: number, v: number, level: number) =>
      0.26 * smoothstep(-0.02, 0.1, height(u - 0.0066, v - 0.01) - level - 1) +
      0.24 * smoothstep(-0.12, 0.3, height(u - 0.019, v - 0.029) - level - 1);
    return (u, v, color) => {
      const here = height(u, v);
      const level = Math.min(Math.floor(here), levels - 1);
      const steepU = (height(u + CELL, v) - here) / CELL;
      const steepV = (height(u, v + CELL) - here) / CELL;
      const inside = (here - level) / Math.sqrt(steepU * steepU + steepV * steepV + 1e-9);
      const cover = level === 0 ? 1 : clamp01(inside * frame.unit + 0.5);
      const paper = fibre(u, v, seed) + (level > 0 ? 0.07 * smoothstep(0.0031, 0, inside) : 0);
      color.fill(0);
      if (cover < 1) blend(color, sheets[level - 1] ?? WHITE, 1, 1 - shadow(u, v, level - 1));
      blend(color, sheets[level] ?? WHITE, cover, 1 - shadow(u, v, level) + paper);
    };
  },
};

// Landscapes are listed twice because they are the most pleasant.
const COMPOSITIONS: readonly [Composition, ...Composition[]] = [ridges, flow, papercut, ridges];
