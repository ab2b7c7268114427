import sharp from 'sharp';
import type { Canvas, VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { fromPixels, textured } from '../../lib/images/sample-images.ts';
import { slices } from '../../support/slices.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationOf } from '../measure/durations.ts';
import { besideDecode } from './beside-decode.ts';

const { signal } = new AbortController();
const LIMITS = {
  max_encoded_bytes: 2 ** 26,
  max_edge: 4096,
  max_pixels: 2 ** 24,
  max_decode_ms: 1e4,
};

/**
 * An emulated mask over half of an image: drawing the images for the model, and compositing the returned image over the
 * source, each from PNG to PNG.
 */
export const composite: Bench = {
  name: 'composite',
  async run({ rounds }) {
    return [
      ...(await rowsOf(1024, 1024, '≤ 8', rounds)),
      ...(await rowsOf(3840, 2160, 'reported', rounds)),
    ];
  },
};

async function rowsOf(
  width: number,
  height: number,
  budget: string,
  rounds: number,
): Promise<Row[]> {
  const engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
  async function verified(bytes: Buffer): Promise<VerifiedImage> {
    const inspection = await engine.inspect(bytes, signal);
    if (!inspection.ok) throw new Error(inspection.fault);
    return inspection.image;
  }
  const bytes = await fromPixels(textured(width, height)).png().toBuffer();
  const source = await verified(bytes);
  const drawn = await verified(await sharp(bytes).negate().png().toBuffer());
  const mask = await verified(await halfMask(width, height));
  const canvas: Canvas = { width, height, area: { left: 0, top: 0, width, height } };
  const ways = {
    drawn: () =>
      durationOf(async () => {
        await engine.drawOnCanvas(source, canvas, signal);
        await engine.drawMask(mask, canvas, 'alpha', signal);
      }),
    composite: () =>
      durationOf(() =>
        engine.composite(drawn, { source, mask, canvas }, { format: 'png' }, signal),
      ),
  };
  const { row } = await besideDecode(bytes, ways, rounds);
  await engine.close();
  const what = `emulated mask of ${width} × ${height}`;
  return [
    row(`${what}: source and mask drawn`, 'drawn', 'reported'),
    row(`${what}: source put back`, 'composite', budget),
  ];
}

/** A mask that is open in its left half. */
function halfMask(width: number, height: number): Promise<Buffer> {
  const data = Buffer.alloc(width * height * 4);
  for (let at = 0; at < width * height; at += 1)
    data[at * 4 + 3] = at % width < width / 2 ? 0 : 255;
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}
