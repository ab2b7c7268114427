import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Canvas, MaskedSource, Pixels, VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createSeeded } from '../../support/seeded.ts';
import { slices } from '../../support/slices.ts';
import { fromPixels, plain, textured, turned } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 16_384,
  max_pixels: 64 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const signal = new AbortController().signal;
const engine = createImageEngine({ limits, clock: systemClock, slices });

afterAll(() => engine.close());

async function verified(bytes: Buffer): Promise<VerifiedImage> {
  const inspection = await engine.inspect(bytes, signal);
  if (!inspection.ok) throw new Error(inspection.fault);
  return inspection.image;
}

const pngOf = async (pixels: Pixels) => verified(await fromPixels(pixels).png().toBuffer());
const rawOf = (image: VerifiedImage) => engine.decode(image, { channels: 4 }, signal);

function noise(seed: number, width: number, height: number, channels: 3 | 4): Pixels {
  const random = createSeeded(seed);
  const data = Buffer.from(
    Array.from({ length: width * height * channels }, () => random.next(256)),
  );
  return { data, width, height, channels };
}

/** Returns the stored position of a pixel of the displayed image (Exif 2.32, tag 274). */
function storedAt(orientation: number, { width, height }: Pixels, x: number, y: number): number {
  const [right, bottom] = [width - 1, height - 1];
  const places: readonly (readonly [number, number])[] = [
    [x, y],
    [right - x, y],
    [right - x, bottom - y],
    [x, bottom - y],
    [y, x],
    [y, bottom - x],
    [right - y, bottom - x],
    [right - y, x],
  ];
  const [column, row] = places[orientation - 1] ?? [x, y];
  return row * width + column;
}

/** Decodes an image to four samples for each pixel, in display order. */
function upright(orientation: number, pixels: Pixels) {
  const { data, channels } = pixels;
  const [width, height] =
    orientation < 5 ? [pixels.width, pixels.height] : [pixels.height, pixels.width];
  const samplesAt = (x: number, y: number) => {
    const at = storedAt(orientation, pixels, x, y) * channels;
    return [...data.subarray(at, at + 3), channels === 4 ? data[at + 3] : 255];
  };
  return { width, height, samplesAt };
}

const cases = fc.record({
  seed: fc.nat(),
  width: fc.integer({ min: 1, max: 40 }),
  height: fc.integer({ min: 1, max: 40 }),
  orientation: fc.integer({ min: 1, max: 8 }),
  maskOrientation: fc.integer({ min: 1, max: 8 }),
  channels: fc.constantFrom(3, 4),
  drawnChannels: fc.constantFrom(3, 4),
  left: fc.nat(9),
  top: fc.nat(9),
  scale: fc.constantFrom(0.5, 1, 1.7, 2),
  encoding: fc.constantFrom(
    { format: 'png' } as const,
    { format: 'webp', lossless: true } as const,
  ),
});

describe('createImageEngine: composite', () => {
  it('keeps the samples of the source exactly where the mask is closed', async () => {
    const property = fc.asyncProperty(cases, async (it) => {
      const { seed, width, height, orientation, left, top } = it;
      const pixels = noise(seed, width, height, it.channels === 4 ? 4 : 3);
      const shown = upright(orientation, pixels);
      const stored = it.maskOrientation < 5 ? shown : { width: shown.height, height: shown.width };
      const maskPixels = maskNoise(seed + 1, stored);
      const mask = upright(it.maskOrientation, maskPixels);
      const area = { left, top, width: shown.width, height: shown.height };
      const canvas = { width: shown.width + left + 5, height: shown.height + top + 3, area };
      const drawnPixels = noise(
        seed + 2,
        Math.round(canvas.width * it.scale),
        Math.round(canvas.height * it.scale),
        it.drawnChannels === 4 ? 4 : 3,
      );
      const masked = {
        source: await verified(
          turned(await fromPixels(pixels).png().toBuffer(), 'png', orientation),
        ),
        mask: await verified(
          turned(await fromPixels(maskPixels).png().toBuffer(), 'png', it.maskOrientation),
        ),
        canvas,
      };

      const bytes = await engine.composite(await pngOf(drawnPixels), masked, it.encoding, signal);

      const result = await rawOf(await verified(bytes));
      expect([result.width, result.height]).toEqual([shown.width, shown.height]);
      const drawn = upright(1, drawnPixels);
      for (let y = 0; y < shown.height; y += 1) {
        for (let x = 0; x < shown.width; x += 1) {
          const at = (y * shown.width + x) * 4;
          const samples = [...result.data.subarray(at, at + 4)];
          const alpha = mask.samplesAt(x, y)[3];
          if (alpha === 255) expect(samples).toEqual(shown.samplesAt(x, y));
          else if (alpha === 0 && it.scale === 1) {
            expect(samples).toEqual(drawn.samplesAt(left + x, top + y));
          }
        }
      }
    });

    await fc.assert(property, { numRuns: 60 });
  });

  it('blends by the alpha of the mask', async () => {
    const masked = {
      source: await pngOf(plain(3, 1, [0, 100, 200])),
      mask: await pngOf({
        data: Buffer.from([0, 0, 0, 51, 0, 0, 0, 127, 0, 0, 0, 204]),
        width: 3,
        height: 1,
        channels: 4,
      }),
      canvas: { width: 3, height: 1, area: { left: 0, top: 0, width: 3, height: 1 } },
    };

    const bytes = await composed(masked, await pngOf(plain(3, 1, [255, 0, 200])));

    const { data } = await engine.decode(await verified(bytes), { channels: 3 }, signal);
    expect([...data]).toEqual([204, 20, 200, 128, 50, 200, 51, 80, 200]);
  });

  it('uses the same area of an image that shows the canvas in another size', async () => {
    const [red, blue] = [plain(30, 60, [200, 0, 0]), plain(30, 60, [0, 0, 200])];
    const halves = await fromPixels({ ...plain(60, 60, [0, 0, 0]) })
      .composite([
        { input: await fromPixels(red).png().toBuffer(), left: 0, top: 0 },
        { input: await fromPixels(blue).png().toBuffer(), left: 30, top: 0 },
      ])
      .png()
      .toBuffer();
    const masked = {
      source: await pngOf(plain(20, 20, [9, 9, 9])),
      mask: await pngOf(plain(20, 20, [0, 0, 0, 0])),
      canvas: { width: 30, height: 30, area: { left: 5, top: 5, width: 20, height: 20 } },
    };

    const bytes = await composed(masked, await verified(halves));

    const { data } = await rawOf(await verified(bytes));
    const at = (x: number) => [...data.subarray((10 * 20 + x) * 4, (10 * 20 + x) * 4 + 4)];
    expect([at(2), at(17)]).toEqual([
      [200, 0, 0, 255],
      [0, 0, 200, 255],
    ]);
  });

  it('rotates a drawn image by its orientation before it extracts the area', async () => {
    const stored = noise(5, 12, 20, 3);
    const drawn = await fromPixels(stored).png().toBuffer();
    const masked = {
      source: await pngOf(plain(10, 6, [9, 9, 9])),
      mask: await pngOf(plain(10, 6, [0, 0, 0, 0])),
      canvas: { width: 20, height: 12, area: { left: 4, top: 2, width: 10, height: 6 } },
    };

    for (const orientation of [5, 6, 7, 8]) {
      const image = await verified(turned(drawn, 'png', orientation));
      const { data } = await rawOf(await verified(await composed(masked, image)));

      const shown = upright(orientation, stored);
      expect([...data.subarray(0, 4)]).toEqual(shown.samplesAt(4, 2));
      expect([...data.subarray(-4)]).toEqual(shown.samplesAt(13, 7));
    }
  });

  it('keeps the samples that a JPEG source decodes to', async () => {
    const source = await verified(await fromPixels(textured(64, 48)).jpeg().toBuffer());
    const masked = {
      source,
      mask: await pngOf(halfMask(64, 48)),
      canvas: { width: 64, height: 48, area: { left: 0, top: 0, width: 64, height: 48 } },
    };

    const bytes = await composed(masked, await pngOf(noise(3, 64, 48, 3)));

    const [was, is] = [await rawOf(source), await rawOf(await verified(bytes))];
    const half = was.data.length / 2;
    expect(is.data.subarray(0, half).equals(was.data.subarray(0, half))).toBe(true);
    expect(is.data.subarray(half).equals(was.data.subarray(half))).toBe(false);
  });

  it('rejects with the reason of the abort', async () => {
    const reason = new Error('aborted by the test');
    const image = await pngOf(plain(4, 4, [1, 2, 3, 4]));
    const masked = {
      source: image,
      mask: image,
      canvas: { width: 4, height: 4, area: { left: 0, top: 0, width: 4, height: 4 } },
    };

    const ended = engine.composite(image, masked, { format: 'png' }, AbortSignal.abort(reason));

    await expect(ended).rejects.toBe(reason);
  });
});

describe('createImageEngine: drawOnCanvas', () => {
  const canvas: Canvas = { width: 9, height: 8, area: { left: 3, top: 1, width: 4, height: 5 } };

  it.each([3, 4] as const)(
    'repeats the outermost pixels around an image of %i channels',
    async (channels) => {
      const pixels = noise(7, 4, 5, channels);

      const drawn = await verified(await engine.drawOnCanvas(await pngOf(pixels), canvas, signal));

      expect(drawn).toMatchObject({ format: 'png', width: 9, height: 8, orientation: 1 });
      const { data } = await rawOf(drawn);
      const shown = upright(1, pixels);
      const clamp = (at: number, last: number) => Math.min(Math.max(at, 0), last);
      for (let y = 0; y < 8; y += 1) {
        for (let x = 0; x < 9; x += 1) {
          const at = (y * 9 + x) * 4;
          const expected = shown.samplesAt(clamp(x - 3, 3), clamp(y - 1, 4));
          expect([...data.subarray(at, at + 4)]).toEqual(expected);
        }
      }
    },
  );

  it('rotates a source by its orientation', async () => {
    const pixels = noise(8, 5, 4, 3);
    const source = await fromPixels(pixels).png().toBuffer();

    for (const orientation of [5, 6, 7, 8]) {
      const image = await verified(turned(source, 'png', orientation));
      const { data } = await rawOf(
        await verified(await engine.drawOnCanvas(image, canvas, signal)),
      );

      const corner = (1 * 9 + 3) * 4;
      expect([...data.subarray(corner, corner + 4)]).toEqual(
        upright(orientation, pixels).samplesAt(0, 0),
      );
    }
  });

  it('scales a source to the area', async () => {
    const image = await pngOf(plain(40, 50, [10, 20, 30]));

    const drawn = await verified(await engine.drawOnCanvas(image, canvas, signal));

    const { data } = await engine.decode(drawn, { channels: 3 }, signal);
    expect(data.equals(plain(9, 8, [10, 20, 30]).data)).toBe(true);
  });
});

describe('createImageEngine: cropOrExtend', () => {
  const clamp = (at: number, last: number) => Math.min(Math.max(at, 0), last);

  it.each([
    [3, { x: 2, y: 1, width: 3, height: 2 }],
    [4, { x: -2, y: 1, width: 12, height: 9 }],
    [3, { x: 5, y: -3, width: 4, height: 4 }],
  ] as const)('keeps the pixels of an image of %i channels in %j', async (channels, area) => {
    const pixels = noise(11, 7, 6, channels);

    const placed = await verified(await engine.cropOrExtend(await pngOf(pixels), area, signal));

    const { width, height } = area;
    expect(placed).toMatchObject({ format: 'png', width, height, orientation: 1 });
    const { data } = await rawOf(placed);
    const shown = upright(1, pixels);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = (y * width + x) * 4;
        const expected = shown.samplesAt(clamp(x + area.x, 6), clamp(y + area.y, 5));
        expect([...data.subarray(at, at + 4)]).toEqual(expected);
      }
    }
  });

  it('counts the pixels of an image after its rotation', async () => {
    const pixels = noise(8, 5, 4, 3);
    const source = await fromPixels(pixels).png().toBuffer();

    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const image = await verified(turned(source, 'png', orientation));
      const area = { x: 1, y: 2, width: 1, height: 1 };
      const { data } = await rawOf(await verified(await engine.cropOrExtend(image, area, signal)));

      expect([...data]).toEqual(upright(orientation, pixels).samplesAt(1, 2));
    }
  });
});

describe('createImageEngine: drawAreaMask', () => {
  it('is closed over the image and open beyond its edges', async () => {
    const area = { x: -1, y: 1, width: 4, height: 3 };

    const mask = await verified(await engine.drawAreaMask({ width: 2, height: 3 }, area, signal));

    expect(mask).toMatchObject({ format: 'png', width: 4, height: 3, alpha: 'some' });
    const { data } = await rawOf(mask);
    const alpha = [...data].filter((_, at) => at % 4 === 3);
    expect(alpha).toEqual([0, 255, 255, 0, 0, 255, 255, 0, 0, 0, 0, 0]);
  });
});

describe('createImageEngine: drawMask', () => {
  const canvas: Canvas = { width: 8, height: 3, area: { left: 2, top: 1, width: 4, height: 1 } };
  const mask: Pixels = {
    data: Buffer.from([9, 9, 9, 0, 9, 9, 9, 128, 9, 9, 9, 254, 9, 9, 9, 255]),
    width: 4,
    height: 1,
    channels: 4,
  };
  const closed = Array.from({ length: 8 }, () => 255);
  const planes = [...closed, 255, 255, 0, 0, 0, 255, 255, 255, ...closed];

  it('opens every pixel with alpha below 255, and closes the canvas outside the area', async () => {
    const drawn = await verified(await engine.drawMask(await pngOf(mask), canvas, 'alpha', signal));

    expect(drawn).toMatchObject({ format: 'png', width: 8, height: 3, alpha: 'some' });
    const { data } = await rawOf(drawn);
    expect([...data].filter((_, at) => at % 4 === 3)).toEqual(planes);
  });

  it('draws the mask as a grey image that is white where the mask is open', async () => {
    const drawn = await verified(await engine.drawMask(await pngOf(mask), canvas, 'white', signal));

    expect(drawn).toMatchObject({ format: 'png', width: 8, height: 3, alpha: 'none' });
    const { data } = await engine.decode(drawn, { channels: 3 }, signal);
    expect([...data].filter((_, at) => at % 3 === 0)).toEqual(planes.map((alpha) => 255 - alpha));
  });

  it('keeps the open pixels of a scaled mask open', async () => {
    const large = {
      data: Buffer.alloc(40 * 10 * 4, 255),
      width: 40,
      height: 10,
      channels: 4,
    } as const;
    large.data[(5 * 40 + 15) * 4 + 3] = 0;

    const drawn = await verified(
      await engine.drawMask(await pngOf(large), canvas, 'white', signal),
    );

    const { data } = await engine.decode(drawn, { channels: 3 }, signal);
    expect(data[(1 * 8 + 3) * 3]).toBe(255);
    expect(data[0]).toBe(0);
  });
});

function composed(masked: MaskedSource, drawn: VerifiedImage): Promise<Buffer> {
  return engine.composite(drawn, masked, { format: 'png' }, signal);
}

/** An alpha that is mostly closed or open and sometimes between. */
function maskNoise(seed: number, { width, height }: Pick<Pixels, 'width' | 'height'>): Pixels {
  const random = createSeeded(seed);
  const data = Buffer.alloc(width * height * 4);
  for (let at = 3; at < data.length; at += 4) {
    data[at] = random.pick([0, 255, 255, random.next(256)]);
  }
  return { data, width, height, channels: 4 };
}

/** A mask that is closed in the upper half and open in the lower half. */
function halfMask(width: number, height: number): Pixels {
  const data = Buffer.alloc(width * height * 4);
  data.fill(255, 0, data.length / 2);
  return { data, width, height, channels: 4 };
}
