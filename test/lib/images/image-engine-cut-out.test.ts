import { afterAll, describe, expect, it } from 'vitest';
import type {
  EncodeOptions,
  MatteOptions,
  Pixels,
  VerifiedImage,
} from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { cut, noisyBall } from './matte/images.ts';
import { fourBlocks, fromPixels, turned } from './sample-images.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 16_384,
  max_pixels: 64 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const matte: MatteOptions = {
  keyColor: '#00FF00',
  transparentThreshold: 12,
  opaqueThreshold: 96,
  despill: true,
};

const signal = new AbortController().signal;
const engine = createImageEngine({ limits, clock: systemClock, slices });

afterAll(() => engine.close());

async function verified(bytes: Buffer): Promise<VerifiedImage> {
  const inspection = await engine.inspect(bytes, signal);
  if (!inspection.ok) throw new Error(inspection.fault);
  return inspection.image;
}

function ball(edge = 90): Pixels {
  const { pixels, width, height } = noisyBall(edge);
  return { data: Buffer.from(pixels), width, height, channels: 4 };
}

async function cutBall(edge?: number, options: EncodeOptions = { format: 'png' }) {
  const image = await verified(await fromPixels(ball(edge)).removeAlpha().png().toBuffer());
  return verified(await engine.removeBackground(image, matte, options, signal));
}

describe('createImageEngine: cutOut', () => {
  it.each(['png', 'webp'] as const)(
    'returns a %s with a transparent background',
    async (format) => {
      const image = await cutBall(90, { format });

      expect(image).toMatchObject({ format, width: 90, height: 90, alpha: 'some' });
      const { data } = await engine.decode(image, { channels: 4 }, signal);
      const alphaAt = (x: number, y: number) => data[(y * 90 + x) * 4 + 3];
      expect([alphaAt(0, 0), alphaAt(45, 45), alphaAt(45, 20)]).toEqual([0, 0, 255]);
    },
  );

  it('returns the same pixels from its threads as a call of cutOut', async () => {
    const image = await cutBall();

    const { data } = await engine.decode(image, { channels: 4 }, signal);
    expect(data.equals(cut(noisyBall(90)).pixels)).toBe(true);
  });

  it('returns the same bytes for many concurrent calls as for a single call', async () => {
    const alone = await cutBall(160);

    const together = await Promise.all(Array.from({ length: 8 }, () => cutBall(160)));

    expect(new Set([alone, ...together].map(({ sha256 }) => sha256)).size).toBe(1);
  });

  it('rotates the image by EXIF', async () => {
    const stored = await fromPixels(fourBlocks()).png().toBuffer();
    const image = await verified(turned(stored, 'png', 6));

    const bytes = await engine.removeBackground(image, matte, { format: 'png' }, signal);

    expect(await verified(bytes)).toMatchObject({
      width: image.height,
      height: image.width,
      orientation: 1,
    });
  });

  it('rejects at once on abort, and the engine closes after its threads have ended', async () => {
    const own = createImageEngine({ limits, clock: systemClock, slices });
    const image = await verified(await fromPixels(ball(600)).removeAlpha().png().toBuffer());
    const controller = new AbortController();
    const reason = new Error('the client disconnected');
    const works = Array.from({ length: 5 }, () =>
      own.removeBackground(image, matte, { format: 'png' }, controller.signal),
    );
    const outcomes = Promise.allSettled(works);

    controller.abort(reason);

    expect(await outcomes).toEqual(works.map(() => ({ status: 'rejected', reason })));
    await expect(own.close()).resolves.toBeUndefined();
  });

  it('finishes the other calls when one call is aborted', async () => {
    const image = await verified(await fromPixels(ball(400)).removeAlpha().png().toBuffer());
    const controller = new AbortController();
    const run = (one: AbortSignal) => engine.removeBackground(image, matte, { format: 'png' }, one);
    const works = Promise.allSettled([signal, controller.signal, signal].map(run));

    controller.abort(new Error('the client disconnected'));

    const statuses = (await works).map(({ status }) => status);
    expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('finishes started work before the engine closes', async () => {
    const own = createImageEngine({ limits, clock: systemClock, slices });
    const image = await verified(await fromPixels(ball(400)).removeAlpha().png().toBuffer());
    const ended: string[] = [];
    const work = own
      .removeBackground(image, matte, { format: 'png' }, signal)
      .then(() => ended.push('work'));

    await own.close().then(() => ended.push('close'));
    await work;

    expect(ended).toEqual(['work', 'close']);
  });
});
