import { monitorEventLoopDelay } from 'node:perf_hooks';
import sharp from 'sharp';
import type { VerifiedImage } from '../../lib/images/image.ts';
import { createImageEngine } from '../../lib/images/image-engine.ts';
import { createMattes } from '../../lib/images/matte/mattes.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { slices } from '../support/slices.ts';
import type { Bench, Row } from './bench.ts';
import { createCanvas, createRandom } from './mattes/canvas.ts';
import { SUBJECTS } from './mattes/subjects.ts';
import { inMs, median, withRange } from './statistics.ts';

const EDGE = 1024;
const NOISE = 5;
const MATTES_A_ROUND = 5;
const LOOP_RESOLUTION_MS = 1;
const MATTE = {
  keyColor: '#00FF00',
  transparentThreshold: 12,
  opaqueThreshold: 96,
  despill: true,
} as const;

const { signal } = new AbortController();

/**
 * Painted subjects of a megapixel, one with plain edges and one that is nearly all edge: the matte in its thread, and all
 * from the file to the finished file, beside sharp's raw decode of the same file.
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
    decode: () => decodeOnly(bytes),
    matte: () => matteOnly(bytes, mattes),
    whole: () => whole(image, engine),
  };
  const times = { decode: [] as number[], matte: [] as number[], whole: [] as number[] };
  // A thread begins slowly: it has to start, and its code to be compiled.
  for (const way of Object.values(ways)) await medianOf(way);
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of ['decode', 'matte', 'whole'] as const) {
      times[name].push(await medianOf(ways[name]));
    }
  }
  loop.disable();
  await Promise.all([mattes.close(), engine.close()]);
  const delays = `${ms(loop.percentile(99))} / ${ms(loop.max)} ms`;
  const what = `matte of 1024 × 1024, ${subject}`;
  return [
    row(`${what}: in its thread`, times.matte, times.decode, budget, delays),
    row(`${what}: from PNG to PNG`, times.whole, times.decode, 'reported', delays),
  ];
}

function row(
  what: string,
  ours: readonly number[],
  theirs: readonly number[],
  budget: string,
  loop: string,
): Row {
  return {
    what,
    ours: inMs(median(ours)),
    against: 'sharp’s raw decode of the same PNG',
    theirs: inMs(median(theirs)),
    ratio: withRange(ours.map((time, round) => time / (theirs[round] ?? Number.NaN))),
    budget,
    loop,
  };
}

async function medianOf(way: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < MATTES_A_ROUND; nth += 1) times.push(await way());
  return median(times);
}

async function decodeOnly(bytes: Buffer): Promise<number> {
  const startMs = performance.now();
  await sharp(bytes).raw().toBuffer();
  return performance.now() - startMs;
}

async function matteOnly(bytes: Buffer, mattes: ReturnType<typeof createMattes>): Promise<number> {
  const decoded = await sharp(bytes).ensureAlpha().raw().toUint8Array();
  const startMs = performance.now();
  await mattes.cutOut(decoded, MATTE, signal);
  return performance.now() - startMs;
}

async function whole(
  image: VerifiedImage,
  engine: ReturnType<typeof createImageEngine>,
): Promise<number> {
  const startMs = performance.now();
  await engine.removeBackground(image, MATTE, { format: 'png' }, signal);
  return performance.now() - startMs;
}

async function painted(subject: string): Promise<Buffer> {
  const canvas = createCanvas(640);
  SUBJECTS.find(({ name }) => name === subject)?.paint(canvas);
  const raw = { width: canvas.edge, height: canvas.edge, channels: 3 as const };
  const pixels = canvas.over([0, 255, 0], NOISE, createRandom(7));
  return sharp(pixels, { raw }).resize(EDGE, EDGE).png().toBuffer();
}

function ms(nanoseconds: number): string {
  return (nanoseconds / 1e6 - LOOP_RESOLUTION_MS).toFixed(1);
}
