import { describe, expect, test } from 'vitest';
import { headerEdges } from '../../../../lib/images/container/containers.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { slices } from '../../../support/slices.ts';
import { fiftyImages } from '../fifty-images.ts';
import { canvas, lossless, webp } from './webp-bytes.ts';

const limits = {
  max_encoded_bytes: 8 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const { signal } = new AbortController();

describe('headerEdges', () => {
  test('returns the dimensions that a decode finds', async () => {
    const engine = createImageEngine({ limits, clock: systemClock, slices });
    for (const { bytes, what } of await fiftyImages()) {
      const inspection = await engine.inspect(bytes, signal);

      if (!inspection.ok) expect.fail(`${what} is not valid`);
      const { width, height } = inspection.image;
      expect(headerEdges(bytes), what).toMatchObject({ width, height });
    }
    await engine.close();
  });

  test('returns the dimensions of the canvas of an extended WebP', () => {
    expect(headerEdges(webp(canvas(300, 70_000), lossless(300, 2)))).toEqual({
      width: 300,
      height: 70_000,
    });
  });

  test.each([
    ['empty', Buffer.alloc(0)],
    ['no image', Buffer.from('<html></html>')],
    ['a cut PNG', Buffer.from('89504e470d0a1a0a0000000d', 'hex')],
    ['a JPEG without a frame', Buffer.from('ffd8ffd9', 'hex')],
    ['a cut WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1')],
  ])('returns undefined for bytes that are %s', (_, bytes) => {
    expect(headerEdges(bytes)).toBeUndefined();
  });
});
