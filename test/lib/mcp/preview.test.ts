import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { ApiFailure, type BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { readPreview } from '../../../lib/mcp/preview.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { readPhoto } from '../images/photos.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 2048,
  max_pixels: 2048 * 2048,
  max_decode_ms: 30_000,
};
const { signal } = new AbortController();
const engine = createImageEngine({ limits, clock: systemClock, slices });
const images = async () => engine;

afterAll(() => engine.close());

/** An API with one image, which counts the thumbnails that it is asked for. */
function apiOf(image: Buffer) {
  const asked: unknown[] = [];
  const api = {
    async bytes(_operation: string, { query }: { query: { edge: number } }) {
      asked.push(query.edge);
      const thumbnail = await engine.thumbnail(image, query.edge, signal);
      if (!thumbnail.ok) throw new Error(thumbnail.fault);
      return { bytes: thumbnail.image.bytes, mediaType: 'image/png' };
    },
  } as unknown as BridgeApi;
  return { api, asked };
}

async function previewOf(image: Buffer) {
  const { api, asked } = apiOf(image);
  const preview = await readPreview('id', { api, signal, images });
  if (preview?.type !== 'image') throw new Error('there is no preview');
  const bytes = Buffer.from(preview.data, 'base64');
  const { format, width, height } = await sharp(bytes).metadata();
  return { asked, size: bytes.length, mimeType: preview.mimeType, format, width, height };
}

const noise = (edge: number, channels: 3 | 4) => ({
  data: randomBytes(edge * edge * channels),
  options: { raw: { width: edge, height: edge, channels } } as const,
});

/** A photograph of 2048 by 2048 pixels with the grain of a dark room. */
async function noisyPhoto(): Promise<Buffer> {
  const { data, options } = noise(2048, 3);
  const grain = await sharp(data, options).png({ compressionLevel: 1 }).toBuffer();
  return sharp(readPhoto('astronaut.png'))
    .resize(2048, 2048)
    .composite([{ input: grain, blend: 'overlay' }])
    .png({ compressionLevel: 1 })
    .toBuffer();
}

describe('readPreview', () => {
  it('shows a noisy photograph at 768 pixels', async () => {
    const { size, ...preview } = await previewOf(await noisyPhoto());

    expect(preview).toEqual({
      asked: [768],
      mimeType: 'image/webp',
      format: 'webp',
      width: 768,
      height: 768,
    });
    expect(size).toBeLessThan(400_000);
  });

  it('does not enlarge a small image', async () => {
    const preview = await previewOf(readPhoto('chelsea.png'));

    expect(preview).toMatchObject({ format: 'webp', width: 451, height: 300 });
  });

  it('lowers the quality before the size', async () => {
    const { data, options } = noise(768, 3);
    const { size, ...preview } = await previewOf(await sharp(data, options).png().toBuffer());

    expect(preview).toMatchObject({ asked: [768], width: 768, height: 768 });
    expect(size).toBeLessThan(400_000);
  });

  it('is smaller where no quality makes it short enough', async () => {
    const { data, options } = noise(768, 4);
    const { size, ...preview } = await previewOf(await sharp(data, options).png().toBuffer());

    expect(preview).toMatchObject({ asked: [768, 512], width: 512, height: 512 });
    expect(size).toBeLessThan(400_000);
  });

  it('is left out of an image that is there no longer', async () => {
    const api = {
      bytes: () => Promise.reject(new ApiFailure('not_found', 'there is no such artifact')),
    } as unknown as BridgeApi;

    expect(await readPreview('id', { api, signal, images })).toBeUndefined();
  });

  it('is left out where no image can be decoded', async () => {
    const { api } = apiOf(readPhoto('chelsea.png'));
    const closed = createImageEngine({ limits, clock: systemClock, slices });
    await closed.close();

    expect(await readPreview('id', { api, signal, images: async () => closed })).toBeUndefined();
  });
});
