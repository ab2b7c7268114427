import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pixels, VerifiedImage } from '../../../../lib/images/image.ts';
import type { ProviderInput } from '../../../../lib/providers/provider-port.ts';
import { type PhotoName, readPhoto } from '../../images/photos.ts';
import { correlation, difference } from './pixel-sums.ts';
import { createSandboxRig, type RequestParts } from './sandbox-rig.ts';

const rig = createSandboxRig();
const { draw, engine, input, pixels } = rig;
const signal = new AbortController().signal;
const prompt = 'Turn it into a painting';

let coffee: ProviderInput;

beforeAll(async () => {
  coffee = await input(readPhoto('coffee.png'));
});
afterAll(() => rig.close());

async function sourceAt(name: PhotoName, { width, height }: VerifiedImage): Promise<Pixels> {
  const image = await rig.verified(readPhoto(name));
  return engine.decode(image, { channels: 3, resize: { width, height, fit: 'cover' } }, signal);
}

const edit = (parts: RequestParts = {}) =>
  draw({ prompt, images: [coffee], ...parts, parameters: { size: 'auto', ...parts.parameters } });

/** A mask with the size of the photograph: alpha is 0 in the left third, 128 in the middle, 255 in the right third. */
async function maskOf(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    data[pixel * 4 + 3] = [0, 128, 255][Math.floor(((pixel % width) * 3) / width)]!;
  }
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

describe('sandbox edit', () => {
  it.each(['coffee.png', 'rocket.jpg', 'chelsea.png', 'astronaut.png'] as const)(
    'is based on %s and changes it',
    async (name) => {
      const image = await edit({ images: [await input(readPhoto(name))] });

      const [drawn, source] = await Promise.all([pixels(image), sourceAt(name, image)]);
      expect(correlation(drawn, source)).toBeGreaterThan(0.75);
      expect(difference(drawn, source)).toBeGreaterThan(8);
    },
  );

  it('stays nearer to the source with a high input fidelity', async () => {
    const distances: number[] = [];

    for (const input_fidelity of ['high', null, 'low'] as const) {
      const image = await edit({ parameters: { input_fidelity } });
      distances.push(difference(await pixels(image), await sourceAt('coffee.png', image)));
    }

    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  });

  it.each<[string, RequestParts]>([
    ['prompt', { prompt: 'Turn it into a poster' }],
    ['index', { indices: [1] }],
  ])('produces another image for another %s', async (_, parts) => {
    const usual = await pixels(await edit());

    const other = await pixels(await edit(parts));

    expect(difference(usual, other)).toBeGreaterThan(2);
  });

  it('keeps the size of its source', async () => {
    const image = await edit();

    expect([image.width, image.height]).toEqual([600, 400]);
  });

  it('applies the EXIF orientation of a source first', async () => {
    const lying = await sharp(readPhoto('rocket.jpg')).withMetadata({ orientation: 6 }).toBuffer();

    const image = await edit({ images: [await input(lying)] });

    expect([image.width, image.height]).toEqual([427, 640]);
    expect(
      correlation(await pixels(image), await pixels(await rig.verified(lying))),
    ).toBeGreaterThan(0.6);
  });

  it('takes its colours from its references', async () => {
    const [cat, stars] = await Promise.all(
      (['chelsea.png', 'hubble_deep_field.jpg'] as const).map(async (name) =>
        input(readPhoto(name)),
      ),
    );

    const [plain, withCat, withStars, secondImage] = await Promise.all(
      [
        edit(),
        edit({ references: [cat!] }),
        edit({ references: [stars!] }),
        edit({ images: [coffee, cat!] }),
      ].map(async (image) => pixels(await image)),
    );

    expect(difference(plain!, withCat!)).toBeGreaterThan(2);
    expect(difference(withCat!, withStars!)).toBeGreaterThan(2);
    expect(difference(withCat!, secondImage!)).toBe(0);
  });

  it('uses the colours of the references when it generates', async () => {
    const stars = await input(readPhoto('hubble_deep_field.jpg'));

    const [usual, led] = await Promise.all([draw(), draw({ references: [stars] })]);

    expect(difference(await pixels(usual), await pixels(led))).toBeGreaterThan(10);
  });

  it('keeps the transparent pixels of a source by default', async () => {
    const holed = await sharp(await maskOf(90, 60))
      .png()
      .toBuffer();

    const image = await edit({ images: [await input(holed)] });

    expect(image.alpha).toBe('some');
  });

  it.each<[string, RequestParts]>([
    ['an opaque background', { parameters: { background: 'opaque' } }],
    ['a format without alpha', { parameters: { output_format: 'jpeg' } }],
  ])('fills the transparent pixels of a source for %s', async (_, parts) => {
    const image = await edit({ images: [await input(await maskOf(90, 60))], ...parts });

    expect(image.alpha).toBe('none');
  });

  it('cuts a photograph out on a transparent background', async () => {
    const image = await edit({ parameters: { background: 'transparent' } });

    expect(image.alpha).toBe('some');
  });
});

describe('sandbox edit with a mask', () => {
  /** Returns the greatest difference from the source in each third of the image, from the left. */
  async function changes(image: VerifiedImage, source: Pixels): Promise<readonly number[]> {
    const { data } = await pixels(image);
    const greatest = [0, 0, 0];
    for (const [at, value] of data.entries()) {
      const x = Math.floor(at / 3) % image.width;
      // Pixels at a border between two parts of a scaled mask belong to neither part.
      const third = (x * 3) / image.width;
      if (Math.abs(third - Math.round(third)) * image.width < 9) continue;
      const part = Math.floor(third);
      greatest[part] = Math.max(greatest[part]!, Math.abs(value - source.data[at]!));
    }
    return greatest;
  }

  it('keeps every byte where alpha is 255, changes pixels where it is 0, and blends between', async () => {
    const mask = await input(await maskOf(600, 400));

    const image = await edit({ mask });

    const [open, blended, kept] = await changes(image, await sourceAt('coffee.png', image));
    expect(kept).toBe(0);
    expect(open).toBeGreaterThan(40);
    expect(blended).toBeGreaterThan(10);
    expect(blended).toBeLessThan(open!);
  });

  it('scales the mask with the image', async () => {
    const mask = await input(await maskOf(600, 400));

    const image = await edit({ mask, parameters: { size: '300x200' } });

    const [open, , kept] = await changes(image, await sourceAt('coffee.png', image));
    expect(kept).toBe(0);
    expect(open).toBeGreaterThan(40);
  });

  it('fills the hole of a source that is its own mask', async () => {
    const photo = await sharp(readPhoto('coffee.png')).ensureAlpha().raw().toBuffer();
    for (let at = 3; at < photo.length; at += 4) photo[at] = (at / 4) % 600 < 200 ? 0 : 255;
    const holed = await sharp(photo, { raw: { width: 600, height: 400, channels: 4 } })
      .png()
      .toBuffer();
    const source = await input(holed);

    const image = await edit({ images: [source], mask: source });

    expect(image.alpha).not.toBe('some');
  });

  it.each(['png', 'webp'] as const)(
    'keeps the alpha of a source where the mask keeps its pixels, in %s',
    async (output_format) => {
      const photo = await sharp(readPhoto('coffee.png')).ensureAlpha().raw().toBuffer();
      for (let at = 3; at < photo.length; at += 4) photo[at] = ((at >> 2) % 600) % 256;
      const source = await sharp(photo, { raw: { width: 600, height: 400, channels: 4 } })
        .png()
        .toBuffer();
      const mask = await input(await maskOf(600, 400));

      const image = await edit({
        images: [await input(source)],
        mask,
        parameters: { output_format, output_compression: output_format === 'png' ? null : 100 },
      });

      const { data } = await pixels(image, 4);
      const alphas = { open: new Set<number>(), kept: 0 };
      for (let at = 3; at < data.length; at += 4) {
        const x = (at >> 2) % 600;
        if (x < 190) alphas.open.add(data[at]!);
        if (x >= 410) alphas.kept = Math.max(alphas.kept, Math.abs(data[at]! - photo[at]!));
      }
      expect(alphas).toEqual({ open: new Set([255]), kept: 0 });
      if (output_format === 'png') {
        const row = (bytes: Buffer) => bytes.subarray(410 * 4, 600 * 4);
        expect(row(data)).toEqual(row(photo));
      }
    },
  );

  it('draws transparent pixels inside the mask on a transparent background', async () => {
    const mask = await input(await maskOf(600, 400));

    const image = await edit({ mask, parameters: { background: 'transparent' } });

    const { data } = await pixels(image, 4);
    const rightEdge = Array.from({ length: 400 }, (_, y) => data[(y * 600 + 599) * 4 + 3]);
    expect(image.alpha).toBe('some');
    expect(new Set(rightEdge)).toEqual(new Set([255]));
  });
});
