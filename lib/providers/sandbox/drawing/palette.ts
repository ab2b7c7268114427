import { type Lab, type Lch, labToRgb, lchToRgb, mixLab, type Rgb, toLab } from './oklch.ts';
import type { Prng } from './prng.ts';
import { createRamp, type Ramp } from './ramp.ts';

/** The colours of one image. */
export interface Palette {
  /** Five colours, from the darkest to the lightest. */
  readonly swatches: Swatches;
  /** The accent: one colour that differs from the others. */
  readonly accent: Rgb;
  /** The colour of suns and lamps, which matches the lightest shades. */
  readonly glow: Rgb;
  readonly paper: Rgb;
  readonly ink: Rgb;
  /** All shades from the darkest to the lightest. */
  readonly ramp: Ramp;
}

export type Swatches = readonly [Rgb, Rgb, Rgb, Rgb, Rgb];

/** Hues of the shadows, the lights and the accent, in degrees. */
export interface Mood {
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
  { name: 'moss and honey', shadow: 140, light: 85, accent: 40, chroma: 0.09 },
  { name: 'burgundy and blush', shadow: 8, light: 32, accent: 205, chroma: 0.12 },
  { name: 'midnight and turquoise', shadow: 272, light: 190, accent: 350, chroma: 0.11 },
  { name: 'terracotta and sky', shadow: 38, light: 225, accent: 25, chroma: 0.1 },
  { name: 'ocean and coral', shadow: 238, light: 38, accent: 24, chroma: 0.115 },
  { name: 'violet and lemon', shadow: 300, light: 102, accent: 330, chroma: 0.11 },
];

const SHADES = [
  { lightness: 0.25, chroma: 0.75, towardLight: 0 },
  { lightness: 0.42, chroma: 1, towardLight: 0.12 },
  { lightness: 0.6, chroma: 1.1, towardLight: 0.4 },
  { lightness: 0.78, chroma: 0.9, towardLight: 0.8 },
  { lightness: 0.945, chroma: 0.32, towardLight: 1 },
] as const;

/** Chooses the mood of a prompt. `away` is the generator of the negative prompt, whose mood is avoided. */
export function chooseMood(random: Prng, away?: Prng): Mood {
  const mood = random.pick(MOODS);
  if (away === undefined) return mood;
  const shunned = away.pick(MOODS);
  return {
    ...mood,
    name: `${mood.name}, shifted`,
    ...shiftedFrom(mood, shunned, away.chance(0.5)),
  };
}

/** Returns the colours of a mood, slightly varied by `random`. */
export function paletteOf(mood: Mood, random: Prng): Palette {
  const turn = random.between(-14, 14);
  const chroma = mood.chroma * random.between(0.85, 1.15);
  const shadow = mood.shadow + turn;
  const spread = shortestTurn(shadow, mood.light + turn);
  const shades = SHADES.map((shade) => ({
    lightness: shade.lightness + random.between(-0.02, 0.02),
    chroma: chroma * shade.chroma,
    hue: shadow + spread * shade.towardLight,
  }));
  return paletteFrom(shades, {
    lightness: random.between(0.64, 0.74),
    chroma: 0.16,
    hue: mood.accent + random.between(-10, 10),
  });
}

/**
 * Creates a palette from shades ordered from the darkest to the lightest. If there are fewer than five, the last shade
 * repeats.
 */
export function paletteFrom(shades: readonly Lch[], accent: Lch): Palette {
  const labs: readonly Lab[] = shades.map(toLab);
  const black: Lab = [0.2, 0, 0];
  const at = (index: number) => labs[Math.min(index, labs.length - 1)] ?? black;
  const rgb = (index: number) => labToRgb(at(index));
  return {
    swatches: [rgb(0), rgb(1), rgb(2), rgb(3), rgb(4)],
    accent: lchToRgb(accent),
    glow: lchToRgb(glowOf(shades, accent)),
    ink: labToRgb(mixLab(at(0), black, 0.25)),
    paper: rgb(4),
    ramp: createRamp([at(0), at(1), at(2), at(3), at(4)]),
  };
}

function shiftedFrom(mood: Mood, shunned: Mood, clockwise: boolean) {
  const distance = Math.abs(shortestTurn(shunned.shadow, mood.shadow));
  // The shift grows as the avoided hue gets nearer, so that it is always visible.
  const turn = (clockwise ? 1 : -1) * (35 + 70 * (1 - distance / 180));
  return {
    shadow: mood.shadow + turn,
    light: mood.light + turn,
    accent: mood.accent + turn,
  };
}

/**
 * Returns the accent if it is near the light shades, else a more saturated light shade, because a sun must not contrast
 * with its sky.
 */
function glowOf(shades: readonly Lch[], accent: Lch): Lch {
  const light = shades[3] ?? accent;
  const isNear = Math.abs(shortestTurn(light.hue, accent.hue)) < 75;
  return { lightness: 0.86, chroma: 0.12, hue: isNear ? accent.hue : light.hue };
}

/** Returns the shorter rotation from one hue to another in degrees, -180 to 180. */
function shortestTurn(from: number, to: number): number {
  return ((((to - from) % 360) + 540) % 360) - 180;
}
