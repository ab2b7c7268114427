import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { ApiFailure, type BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { readPreview, toJobResult } from '../../../lib/mcp/job-result.ts';
import type { ToolContext } from '../../../lib/mcp/tool.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { readPhoto } from '../images/photos.ts';

/** A bridge whose images have no preview. */
const context = {
  api: {
    bytes: () => Promise.reject(new ApiFailure('not_found', 'artifact not found')),
  } as unknown as BridgeApi,
  signal: new AbortController().signal,
} as unknown as ToolContext;

const image = (index: number) => ({
  type: 'artifact' as const,
  id: `${index}`.repeat(32),
  name: `${index}.png`,
  index,
  format: 'png' as const,
  width: 64,
  height: 32,
  bytes: 100,
  sha256: '0'.repeat(64),
});

const error = {
  code: 'cancelled',
  message: 'the bridge has ended while the job ran',
  suggestions: ['Look before you repeat it.'],
};

function jobOf(fields: object): ImageJob {
  return { id: 'job', ...fields } as ImageJob;
}

async function textOf(job: ImageJob) {
  const { content, isError = false } = await toJobResult(job, context);
  const [first] = content;
  const links = content.filter((part) => part.type === 'resource_link').length;
  return { text: first?.type === 'text' ? first.text : '', links, isError };
}

describe('toJobResult', () => {
  it('names the tool that continues to follow a running job', async () => {
    const { text, isError } = await textOf(jobOf({ status: 'running' }));

    expect(text).toContain('Call get_job with {"id": "job"}');
    expect(isError).toBe(false);
  });

  it('reports the error and the suggestions of a failed job', async () => {
    const { text, links, isError } = await textOf(jobOf({ status: 'failed', error }));

    expect(text.split('\n')).toEqual([
      'Job job has no images: failed.',
      'cancelled: the bridge has ended while the job ran',
      'Look before you repeat it.',
    ]);
    expect({ links, isError }).toEqual({ links: 0, isError: true });
  });

  it('names the job that retries a cancelled job', async () => {
    const { text } = await textOf(jobOf({ status: 'cancelled', retried_as: 'new' }));

    expect(text).toContain('Job new retries job job. Call get_job with {"id": "new"}.');
  });

  it('contains the finished images of an interrupted job', async () => {
    const job = jobOf({ status: 'interrupted', error, partial_result: { data: [image(1)] } });

    const { text, links, isError } = await textOf(job);

    expect(text).toContain('Job job was interrupted after 1 image:');
    expect(text).toContain(`Image ${'1'.repeat(32)}: 64x32 png`);
    expect({ links, isError }).toEqual({ links: 1, isError: true });
  });
});

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

/** An API with one image that counts its requests for thumbnails. */
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

/** Returns a photograph of 2048 by 2048 pixels with the noise of a dark room. */
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

  it('reduces the size if no quality makes the preview short enough', async () => {
    const { data, options } = noise(768, 4);
    const { size, ...preview } = await previewOf(await sharp(data, options).png().toBuffer());

    expect(preview).toMatchObject({ asked: [768, 512], width: 512, height: 512 });
    expect(size).toBeLessThan(400_000);
  });

  it('resolves with undefined for a removed image', async () => {
    const api = {
      bytes: () => Promise.reject(new ApiFailure('not_found', 'artifact not found')),
    } as unknown as BridgeApi;

    expect(await readPreview('id', { api, signal, images })).toBeUndefined();
  });

  it('resolves with undefined if the image cannot be decoded', async () => {
    const { api } = apiOf(readPhoto('chelsea.png'));
    const closed = createImageEngine({ limits, clock: systemClock, slices });
    await closed.close();

    expect(await readPreview('id', { api, signal, images: async () => closed })).toBeUndefined();
  });
});
