import { blendPixel } from '../../images/composite/composite-pixels.ts';
import { transferResult } from '../../platform/thread-work.ts';
import {
  blend,
  clamp01,
  createField,
  createRamp,
  createRandom,
  type Frame,
  frameOf,
  hash,
  lookOf,
  mix,
  noise,
  type Painter,
  type Palette,
  paletteOf,
  type Random,
  type Rgb,
  smoothstep,
} from './scenes.ts';

/** Decoded pixels in memory that threads share, so that several drawings can use the same image. */
export interface SharedPixels {
  readonly data: SharedArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

/** The area behind the subject: a whole image, nothing, or one flat colour (three bytes). */
export type Ground = 'image' | 'transparent' | { readonly key: readonly [number, number, number] };

/** One image to draw. The same task produces the same pixels. */
export interface DrawingTask {
  readonly width: number;
  readonly height: number;
  /** Seed of the composition and the mood. */
  readonly promptSeed: number;
  /** Seed of the layout and of the differences between images of one prompt. */
  readonly outputSeed: number;
  /** Seed of the negative prompt, whose mood is avoided. */
  readonly negativeSeed?: number;
  /** Amount of fine structure: 0 (little) to 2 (all). */
  readonly detail: number;
  readonly ground: Ground;
  /** The source, which has the size of the drawing. `strength` (0 to 1) is the maximum difference from the source. */
  readonly source?: { readonly pixels: SharedPixels; readonly strength: number };
  /** The mask, which has the size of the drawing: pixels with alpha 0 may change, pixels with alpha 255 must not. */
  readonly mask?: SharedPixels;
  /** Images from which the drawing takes its colours. */
  readonly references: readonly SharedPixels[];
  /** Number of requested smaller previews. */
  readonly previews: number;
  /** One 32-bit integer. Any value except 0 ends the drawing early. */
  readonly stop: SharedArrayBuffer;
}

/** Raw 8-bit sRGB, rows from the top, alpha not premultiplied. */
export interface RawImage {
  readonly data: ArrayBuffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

export interface Drawing {
  readonly image: RawImage;
  /** The previews from the coarsest to the finest. Each preview has twice the resolution of the previous preview. */
  readonly previews: readonly RawImage[];
}

/** Runs one drawing task in a drawing thread. Returns undefined if the task was stopped. */
export function draw(task: DrawingTask) {
  const image = drawImage(task);
  if (image === undefined) return undefined;
  const previews = Array.from({ length: task.previews }, (_, stage) =>
    shrink(image, 2 ** (task.previews - stage)),
  );
  const drawing: Drawing = { image, previews };
  return transferResult(
    drawing,
    [image, ...previews].map(({ data }) => data),
  );
}

/** Number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

function drawImage(task: DrawingTask): RawImage | undefined {
  const { width, height, ground, source, mask } = task;
  const stop = new Int32Array(task.stop);
  if (Atomics.load(stop, 0) !== 0) return undefined;
  const frame = frameOf(width, height);
  const { paint, cover } = createPainter(task, frame);
  const finish = createFinish(frame, task);
  const isHoled = source !== undefined && hasHoles(source.pixels);
  const channels = ground === 'transparent' || (ground === 'image' && isHoled) ? 4 : 3;
  const bytes = new Uint8Array(width * height * channels);
  const color = new Float32Array(3);
  const drawn = { bytes, channels } as const;
  const kept = source && {
    bytes: new Uint8Array(source.pixels.data),
    channels: source.pixels.channels,
  };
  const alphas = mask && new Uint8Array(mask.data);
  for (let y = 0; y < height; y += 1) {
    if (y % ROWS_AT_ONCE === 0 && Atomics.load(stop, 0) !== 0) return undefined;
    const v = (y + 0.5) / frame.unit - frame.halfHeight;
    for (let x = 0; x < width; x += 1) {
      const u = (x + 0.5) / frame.unit - frame.halfWidth;
      const pixel = y * width + x;
      const at = pixel * channels;
      // With a mask, holes of the source are filled where the mask allows changes. Elsewhere the source is kept anyway.
      const share =
        isHoled && !mask ? (kept?.bytes[pixel * 4 + 3] ?? 255) / 255 : cover ? cover(u, v) : 1;
      if (share > 0) {
        paint(u, v, color);
        finish(u, v, color, bytes, at);
      }
      if (channels === 4) bytes[at + 3] = Math.round(share * 255);
      else if (typeof ground === 'object') putOnKey(ground.key, share, bytes, at);
      const keep = alphas?.[pixel * 4 + 3] ?? 0;
      if (kept && keep > 0) blendPixel(drawn, kept, pixel, keep);
    }
  }
  return { data: bytes.buffer, width, height, channels };
}

interface Painted {
  readonly paint: Painter;
  /** Returns the share of a point that the subject covers, 0 to 1. Undefined if the drawing fills the image. */
  readonly cover?: (u: number, v: number) => number;
}

function createPainter(task: DrawingTask, frame: Frame): Painted {
  const { promptSeed, outputSeed, negativeSeed, detail, ground, source, references } = task;
  const { composition, mood } = lookOf(promptSeed, negativeSeed);
  const random = createRandom(outputSeed);
  const palette =
    references.length > 0
      ? paletteOfImages(references)
      : paletteOf(mood, createRandom(~outputSeed));
  const scene = composition.painter({ frame, palette, random, octaves: 2 + detail });
  const paint = source ? restyled(source, scene, frame, palette, random) : scene;
  if (ground === 'image') return { paint };
  const subject = createSubject(createRandom(~promptSeed), frame);
  if (source) return { paint, cover: subject.cover };
  // On a light key colour the subject is darker because it must differ from its background.
  const brightness = typeof ground === 'object' && Math.min(...ground.key) > 110 ? 0.56 : 1;
  return {
    cover: subject.cover,
    paint(u, v, color) {
      paint(u, v, color);
      const light = subject.light(u, v);
      const gleam = 0.12 * clamp01((light - 0.86) / 0.14) ** 2;
      for (let channel = 0; channel < 3; channel += 1) {
        color[channel] = ((color[channel] ?? 0) * (0.3 + 0.76 * light) + gleam) * brightness;
      }
    },
  };
}

/**
 * Adds a slight vignette and film grain, so that flat areas look natural, and writes the bytes. The grain is scaled with
 * the image, which keeps the file of a large image small enough for the limits.
 */
function createFinish({ unit, halfWidth, halfHeight }: Frame, { outputSeed, detail }: DrawingTask) {
  const amplitude = ((0.7 + 0.3 * detail) * 7) / 255;
  const grains = unit / Math.max(1, Math.round(unit / 1024));
  const corner = halfWidth ** 2 + halfHeight ** 2;
  return (u: number, v: number, color: Float32Array, bytes: Uint8Array, at: number) => {
    const shade = 1 - 0.13 * ((u * u + v * v) / corner) ** 2;
    const bits = hash(Math.floor(u * grains), Math.floor(v * grains), outputSeed);
    // The sum of two uniform distributions is triangular, which looks like film grain.
    const grain = (((bits & 0xff) + ((bits >>> 8) & 0xff)) / 255 - 1) * amplitude;
    bytes[at] = clamp01((color[0] ?? 0) * shade + grain) * 255 + 0.5;
    bytes[at + 1] = clamp01((color[1] ?? 0) * shade + grain) * 255 + 0.5;
    bytes[at + 2] = clamp01((color[2] ?? 0) * shade + grain) * 255 + 0.5;
  };
}

/** Number of points along a brush stroke that are averaged for one pixel. */
const TAPS = 9;

/**
 * Restyles a photograph: smears its pixels along brush strokes, moves its shades toward the palette, and blends the
 * scene of the prompt in from the edges. `strength` (0 to 1) scales all three effects.
 */
function restyled(
  { pixels, strength }: NonNullable<DrawingTask['source']>,
  scene: Painter,
  frame: Frame,
  palette: Palette,
  random: Random,
): Painter {
  const { width, height, channels } = pixels;
  const bytes = new Uint8Array(pixels.data);
  const ramp = createRamp(palette);
  const seed = random.bits();
  const turn = random.between(0, Math.PI);
  const angle = createField(frame, (u, v) => turn + noise(u * 2.3, v * 2.3, seed) * 4.5);
  const step = strength * frame.unit * 0.0029;
  const over = new Float32Array(3);
  return (u, v, color) => {
    const stepX = Math.cos(angle(u, v)) * step;
    const stepY = Math.sin(angle(u, v)) * step;
    color.fill(0);
    let bristle = 0;
    for (let tap = (1 - TAPS) / 2; tap <= TAPS / 2; tap += 1) {
      const x = (u + frame.halfWidth) * frame.unit + stepX * tap;
      const y = (v + frame.halfHeight) * frame.unit + stepY * tap;
      const column = Math.min(Math.max(Math.floor(x), 0), width - 1);
      const line = Math.min(Math.max(Math.floor(y), 0), height - 1);
      const at = (line * width + column) * channels;
      for (let channel = 0; channel < 3; channel += 1) {
        color[channel] = (color[channel] ?? 0) + (bytes[at + channel] ?? 0) / 255 / TAPS;
      }
      bristle += (hash(column, line, seed) >>> 0) / 2 ** 32 - 0.5;
    }
    blend(color, ramp(0.04 + 0.92 * luma(color)), 0.12 + 0.58 * strength);
    const edge = Math.max(Math.abs(u) / frame.halfWidth, Math.abs(v) / frame.halfHeight);
    const grown = edge + noise(u * 2.6, v * 2.6, seed ^ 0x33) * 0.42;
    scene(u, v, over);
    // The lightness stays near that of the photograph.
    const tone = mix(luma(color), luma(over), 0.35) / Math.max(luma(over), 0.02);
    blend(color, over, clamp01(strength * (0.08 + 1.05 * smoothstep(0.62, 1.02, grown))), tone);
    const grain = (bristle * 0.34 * strength) / TAPS;
    for (let channel = 0; channel < 3; channel += 1) color[channel] = (color[channel] ?? 0) + grain;
  };
}

function luma(color: Rgb): number {
  return 0.3 * (color[0] ?? 0) + 0.59 * (color[1] ?? 0) + 0.11 * (color[2] ?? 0);
}

/** Returns the palette of images: the means of five equal parts of their pixels, ordered by lightness. */
function paletteOfImages(images: readonly SharedPixels[]): Palette {
  const colors = images.flatMap(({ data }) =>
    Array.from({ length: data.byteLength / 3 }, (_, pixel) =>
      Float32Array.from(new Uint8Array(data, pixel * 3, 3), (value) => value / 255),
    ),
  );
  const byLightness = colors.toSorted((a, b) => luma(a) - luma(b));
  const shades = [0.12, 0.3, 0.5, 0.7, 0.92].map((lightness, index) => {
    const part = byLightness.slice((index * colors.length) / 5, ((index + 1) * colors.length) / 5);
    const mean = new Float32Array(3);
    for (const [at, color] of part.entries()) blend(mean, color, 1 / (at + 1));
    // Half-way to an even scale of lightness, so that an image of low contrast also has dark and light shades.
    const tone = mix(1, lightness / Math.max(luma(mean), 0.02), 0.5);
    return mean.map((value) => clamp01(value * tone));
  });
  const vividness = (color: Rgb) => Math.max(...color) - Math.min(...color);
  const byVividness = colors.toSorted((a, b) => vividness(b) - vividness(a));
  return {
    shades,
    accent: byVividness[Math.floor(colors.length / 50)] ?? Float32Array.of(1, 1, 1),
  };
}

/** Creates the outline and the light of one object in the middle of the image: a pebble, a flower head or a vase. */
function createSubject(random: Random, frame: Frame) {
  const size = 2 * Math.min(frame.halfWidth, frame.halfHeight);
  const petals = random.pick([0, 0, 5, 7, 8]);
  const depth = petals === 0 ? 0 : random.between(0.16, 0.26);
  const swell = petals === 0 ? random.between(0.03, 0.07) : 0;
  const phase = random.between(0, 6.283);
  const belly = random.between(0.26, 0.33);
  const neck = random.between(0.07, 0.12);
  const isVase = random.next() < 0.3;
  /** Returns half the width of the vase at a height. */
  const profile = (v: number) =>
    v < -0.3
      ? neck + 0.06 * ((-0.3 - v) / 0.13) ** 2
      : mix(neck, belly, Math.sin(Math.PI * clamp01((v + 0.3) / 0.9)) ** 2);
  const radius = (u: number, v: number) => {
    const angle = Math.atan2(v, u);
    const wave = Math.sqrt(Math.abs(Math.sin((angle * petals) / 2 + phase)));
    const uneven = Math.sin(angle * 2 + phase) + 0.6 * Math.sin(angle * 3 - phase);
    return 0.4 * (1 - depth + depth * wave) * (1 + swell * uneven);
  };
  return {
    cover(u: number, v: number): number {
      const x = u / size;
      const y = v / size;
      const inside = isVase
        ? Math.min((profile(y) - Math.abs(x)) * 0.85, 0.43 - Math.abs(y))
        : radius(x, y) - Math.hypot(x, y);
      return clamp01(inside * size * frame.unit + 0.5);
    },
    /** Returns the light from the upper left on the surface, 0 to 1. */
    light(u: number, v: number): number {
      const x = u / size / (isVase ? Math.max(profile(v / size), 0.01) : 0.44);
      const y = v / size / (isVase ? 1.2 : 0.44);
      const front = Math.sqrt(Math.max(0, 1 - x * x - y * y));
      return clamp01(0.28 + 0.78 * (-0.42 * x - 0.5 * y + 0.76 * front));
    },
  };
}

/** Smallest distance between a colour of the subject and the key colour. A matte removes colours up to 96, by default. */
const NEAREST_TO_KEY = 128;

/** Puts a pixel of the subject on the key colour. Colours near the key move away from it, toward its opposite. */
function putOnKey(key: readonly number[], cover: number, bytes: Uint8Array, at: number): void {
  if (cover === 0) {
    bytes.set(key, at);
    return;
  }
  let greatest = 0;
  let away = 1;
  for (const [channel, ground] of key.entries()) {
    const opposite = ground < 128 ? 255 : 0;
    const own = bytes[at + channel] ?? 0;
    greatest = Math.max(greatest, Math.abs(own - ground));
    const reached = (own - ground) * Math.sign(opposite - ground);
    away = Math.min(away, (NEAREST_TO_KEY - reached) / (Math.abs(opposite - ground) - reached));
  }
  if (greatest >= NEAREST_TO_KEY) away = 0;
  for (const [channel, ground] of key.entries()) {
    const color = mix(bytes[at + channel] ?? 0, ground < 128 ? 255 : 0, clamp01(away));
    bytes[at + channel] = Math.round(mix(ground, color, cover));
  }
}

function hasHoles({ data, channels }: SharedPixels): boolean {
  return channels === 4 && new Uint8Array(data).some((value, at) => at % 4 === 3 && value !== 255);
}

const SMALLEST_EDGE = 16;

/** Shrinks an image. Every pixel is the mean of the pixels that it replaces, weighted by their alpha. */
function shrink(image: RawImage, divisor: number): RawImage {
  const { channels } = image;
  const width = Math.max(Math.round(image.width / divisor), SMALLEST_EDGE);
  const height = Math.max(Math.round(image.height / divisor), SMALLEST_EDGE);
  const from = new Uint8Array(image.data);
  const to = new Uint8Array(width * height * channels);
  const sums = new Float64Array(5);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const left = Math.floor(((pixel % width) * image.width) / width);
    const right = Math.floor((((pixel % width) + 1) * image.width) / width);
    const top = Math.floor((Math.floor(pixel / width) * image.height) / height);
    const bottom = Math.floor(((Math.floor(pixel / width) + 1) * image.height) / height);
    sums.fill(0);
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        const at = (y * image.width + x) * channels;
        const alpha = channels === 4 ? (from[at + 3] ?? 0) : 255;
        sums[3] = (sums[3] ?? 0) + alpha;
        for (let channel = 0; channel < 3; channel += 1) {
          sums[channel] = (sums[channel] ?? 0) + (from[at + channel] ?? 0) * alpha;
        }
      }
    }
    const alpha = sums[3] || 1;
    for (let channel = 0; channel < 3; channel += 1) {
      to[pixel * channels + channel] = Math.round((sums[channel] ?? 0) / alpha);
    }
    if (channels === 4) to[pixel * 4 + 3] = Math.round(alpha / ((bottom - top) * (right - left)));
  }
  return { data: to.buffer, width, height, channels };
}
