import sharp from 'sharp';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { createMattes } from '../../../lib/images/matte/mattes.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { createCanvas, createRandom } from '../mattes/canvas.ts';
import { SUBJECTS } from '../mattes/subjects.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { durationOf } from '../measure/durations.ts';
import { besideDecode } from './beside-decode.ts';

const EDGE = 1024;
const NOISE = 5;
const MATTE = {
  keyColor: '#00FF00',
  transparentThreshold: 12,
  opaqueThreshold: 96,
  despill: true,
} as const;

const { signal } = new AbortController();

/**
 * Painted subjects of a megapixel, one with plain edges and one that consists mostly of edges: the matte in its thread, and the
 * whole work from file to file, beside a raw decode of the same file by sharp.
 */
export const matte: Bench = {
  name: 'matte',
  async run({ rounds }) {
    const rows: Row[] = [];
    for (const [subject, budget] of [
      ['holes', '≤ 4'],
      ['fur', 'reported'],
    ] as const) {
      rows.push(...(await rowsOf(subject, budget, rounds)));
    }
    return rows;
  },
};

async function rowsOf(subject: string, budget: string, rounds: number): Promise<Row[]> {
  const bytes = await painted(subject);
  const engine = createImageEngine({
    limits: { max_encoded_bytes: 2 ** 26, max_edge: EDGE, max_pixels: 2 ** 20, max_decode_ms: 1e4 },
    clock: systemClock,
    slices,
  });
  const mattes = createMattes();
  const inspection = await engine.inspect(bytes, signal);
  if (!inspection.ok) throw new Error(inspection.fault);
  const { image } = inspection;
  const ways = {
    matte: () => matteOnly(bytes, mattes),
    whole: () => durationOf(() => engine.removeBackground(image, MATTE, { format: 'png' }, signal)),
  };
  const { row } = await besideDecode(bytes, ways, rounds);
  await Promise.all([mattes.close(), engine.close()]);
  const what = `matte of 1024 × 1024, ${subject}`;
  return [
    row(`${what}: in its thread`, 'matte', budget),
    row(`${what}: from PNG to PNG`, 'whole', 'reported'),
  ];
}

async function matteOnly(bytes: Buffer, mattes: ReturnType<typeof createMattes>): Promise<number> {
  const decoded = await sharp(bytes).ensureAlpha().raw().toUint8Array();
  return durationOf(() => mattes.cutOut(decoded, MATTE, signal));
}

async function painted(subject: string): Promise<Buffer> {
  const canvas = createCanvas(640);
  SUBJECTS.find(({ name }) => name === subject)?.paint(canvas);
  const raw = { width: canvas.edge, height: canvas.edge, channels: 3 as const };
  const pixels = canvas.over([0, 255, 0], NOISE, createRandom(7));
  return sharp(pixels, { raw }).resize(EDGE, EDGE).png().toBuffer();
}
