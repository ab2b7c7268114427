import { createCipheriv, createHash } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { padPng } from './png-chunks.ts';

export interface ImageOrder {
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  /** Flat colour around the subject, as `#rrggbb`. */
  readonly ground?: string | undefined;
  /** Quality of JPEG and WebP, 0 to 100. */
  readonly quality?: number | undefined;
  readonly bytes: number;
  /** Variant. Orders that differ only in the variant get different images. */
  readonly variant: string;
}

export interface Image {
  readonly bytes: Buffer;
  /** Bytes in base64, as ASCII. */
  readonly base64: Buffer;
}

export type Images = ReturnType<typeof createImages>;

type Rgb = readonly [number, number, number];

const MAX_CACHED_BYTES = 256 * 1024 * 1024;
const SAMPLE_EDGE = 256;
const SEARCH_STEPS = 7;
const GROUND_EDGE = 5;

/** Generates images of soft colours with the grain that the requested size needs. Equal orders get equal images. */
export function createImages() {
  const cached = new Map<string, Image>();
  let cachedBytes = 0;
  const grains = new Map<string, number>();
  // One encoder at a time, because several would take all threads of the pool from the file system.
  let turn: Promise<unknown> = Promise.resolve();

  return {
    generate(order: ImageOrder): Promise<Image> {
      const generated = turn.then(() => cachedOrNew(order));
      turn = generated.catch(() => undefined);
      return generated;
    },
  };

  async function cachedOrNew(order: ImageOrder): Promise<Image> {
    const key = JSON.stringify(order);
    const known = cached.get(key);
    if (known) return known;
    const bytes = await generate(order);
    const image = { bytes, base64: Buffer.from(bytes.toString('base64'), 'latin1') };
    cached.set(key, image);
    cachedBytes += image.base64.length;
    forgetOldest();
    return image;
  }

  function forgetOldest(): void {
    for (const [key, { base64 }] of cached) {
      if (cachedBytes <= MAX_CACHED_BYTES || cached.size === 1) return;
      cached.delete(key);
      cachedBytes -= base64.length;
    }
  }

  async function generate(order: ImageOrder): Promise<Buffer> {
    const grain = await grainOf(order);
    const soft = await encode(order, grain);
    const isTooLarge = grain === 0 && soft.length > order.bytes;
    const encoded = isTooLarge ? await encode(order, 'blocks') : soft;
    return order.format === 'png' ? padPng(encoded, order.bytes) : encoded;
  }

  /** Finds the opacity of the grain by a search with small images. */
  async function grainOf(order: ImageOrder): Promise<number> {
    const { width, height, bytes, variant: _, ...rest } = order;
    const sampleBytes = (bytes * SAMPLE_EDGE ** 2) / (width * height);
    const key = JSON.stringify([rest, sampleBytes]);
    const known = grains.get(key);
    if (known !== undefined) return known;
    const sample = { ...order, width: SAMPLE_EDGE, height: SAMPLE_EDGE };
    let [low, high] = [0, 1];
    for (let step = 0; step < SEARCH_STEPS; step += 1) {
      const middle = (low + high) / 2;
      const encoded = await encode(sample, middle);
      if (encoded.length > sampleBytes) high = middle;
      else low = middle;
    }
    grains.set(key, low);
    return low;
  }
}

/** Encodes an image with grain of this opacity, or in plain blocks, which need the fewest bytes. */
async function encode(order: ImageOrder, grain: number | 'blocks'): Promise<Buffer> {
  const { width, height, format, quality = 100, ground } = order;
  const channels = order.hasAlpha || ground ? 4 : 3;
  const colours = colourField(order, channels, grain === 'blocks' ? 'nearest' : 'linear');
  const layers = typeof grain === 'number' && grain > 0 ? [await layer(order, grain)] : [];
  const pixels = await colours
    .composite(layers)
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width, height, channels: pixels.info.channels };
  const image = sharp(pixels.data, { raw });
  const finished = ground ? image.flatten({ background: ground }) : image;
  const even = channels === 3 ? finished.removeAlpha() : finished;
  if (format === 'png')
    return even.png({ compressionLevel: 3, adaptiveFiltering: grain === 0 }).toBuffer();
  if (format === 'webp') return even.webp({ quality: Math.max(1, quality), effort: 1 }).toBuffer();
  return even.jpeg({ quality: Math.max(1, quality), chromaSubsampling: '4:4:4' }).toBuffer();
}

/** Returns a few colours with gradients between them. With alpha the border is transparent. */
function colourField(order: ImageOrder, channels: 3 | 4, kernel: 'linear' | 'nearest'): Sharp {
  const colours = coloursOf(order.variant);
  const data = Buffer.alloc(GROUND_EDGE ** 2 * channels);
  for (let at = 0; at < GROUND_EDGE ** 2; at += 1) {
    const x = at % GROUND_EDGE;
    const y = Math.floor(at / GROUND_EDGE);
    const isEdge = x % (GROUND_EDGE - 1) === 0 || y % (GROUND_EDGE - 1) === 0;
    data.set(colours[(x + y) % colours.length] ?? [0, 0, 0], at * channels);
    if (channels === 4) data[at * channels + 3] = isEdge ? 0 : 255;
  }
  const { width, height } = order;
  const raw = { width: GROUND_EDGE, height: GROUND_EDGE, channels };
  return sharp(data, { raw }).resize(width, height, { fit: 'fill', kernel });
}

async function layer({ width, height, variant }: ImageOrder, opacity: number) {
  const noise = noiseOf(variant, width * height * 3);
  const input = await sharp(noise, { raw: { width, height, channels: 3 } })
    .ensureAlpha(opacity)
    .raw()
    .toBuffer();
  return { input, raw: { width, height, channels: 4 as const }, blend: 'atop' as const };
}

/** Returns pseudo-random bytes that are equal for equal variants. */
function noiseOf(variant: string, length: number): Buffer {
  const digest = createHash('sha256').update(variant).digest();
  const cipher = createCipheriv('aes-128-ctr', digest.subarray(0, 16), digest.subarray(16));
  return cipher.update(Buffer.alloc(length));
}

/** Returns three colours derived from the letters of the variant. */
function coloursOf(variant: string): readonly Rgb[] {
  let state = [...variant].reduce((hash, letter) => {
    return (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  }, 7);
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 40 + (state >>> 24) * 0.7;
  };
  return [0, 1, 2].map((): Rgb => [next(), next(), next()]);
}
