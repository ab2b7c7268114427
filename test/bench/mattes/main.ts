import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { chooseKeyColor } from '../../../lib/generation/plan/transparency.ts';
import { parseColor } from '../../../lib/images/color.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { createCanvas, createRandom } from './canvas.ts';
import { SUBJECTS, type Subject } from './subjects.ts';

/**
 * `node dist/test/bench/mattes/main.js`: paints the subjects of `docs/transparency.md`, cuts them out with the engine that
 * the bridge uses, and writes one strip each: the painted image, the cut-out over a checkerboard, and an enlarged part.
 */

// This file runs compiled, from below `dist`.
const FOLDER = fileURLToPath(new URL('../../../../docs/transparency/', import.meta.url));
const EDGE = 640;
const TILE = 300;
const DETAIL = 100;
const GAP = 6;
const SQUARE = 20;
const NOISE = 5;

const engine = createImageEngine({
  limits: {
    max_encoded_bytes: 2 ** 25,
    max_edge: 4096,
    max_pixels: 2 ** 24,
    max_decode_ms: 10_000,
  },
  clock: systemClock,
  slices,
});
const { signal } = new AbortController();

await mkdir(FOLDER, { recursive: true });
for (const subject of SUBJECTS) {
  const strip = await stripOf(subject);
  await writeFile(`${FOLDER}${subject.name}.webp`, strip);
  process.stdout.write(`${subject.name}: ${(strip.length / 1024).toFixed(0)} KiB\n`);
}
await engine.close();

async function stripOf(subject: Subject): Promise<Buffer> {
  const keyColor = subject.keyColor ?? chooseKeyColor(subject.prompt);
  const painted = await paint(subject, keyColor);
  const inspection = await engine.inspect(painted, signal);
  if (!inspection.ok) throw new Error(inspection.fault);
  const matte = {
    keyColor,
    transparentThreshold: 12,
    opaqueThreshold: subject.opaqueThreshold ?? 96,
    despill: true,
  };
  const cut = await engine.removeBackground(inspection.image, matte, { format: 'png' }, signal);
  const shown = await overCheckerboard(cut);
  const [left, top] = subject.detail;
  const part = { left, top, width: DETAIL, height: DETAIL };
  const tiles = [
    await sharp(painted).resize(TILE).png().toBuffer(),
    await sharp(shown).resize(TILE).png().toBuffer(),
    await sharp(shown).extract(part).resize(TILE, TILE, { kernel: 'nearest' }).png().toBuffer(),
  ];
  const width = tiles.length * (TILE + GAP) - GAP;
  return sharp({ create: { width, height: TILE, channels: 4, background: '#0000' } })
    .composite(tiles.map((input, index) => ({ input, left: index * (TILE + GAP), top: 0 })))
    .webp({ quality: 84 })
    .toBuffer();
}

async function paint(subject: Subject, keyColor: string): Promise<Buffer> {
  const canvas = createCanvas(EDGE);
  subject.paint(canvas);
  const pixels = canvas.over(parseColor(keyColor), NOISE, createRandom(7));
  const image = sharp(pixels, { raw: { width: EDGE, height: EDGE, channels: 3 } });
  const { jpegQuality: quality } = subject;
  return quality === undefined
    ? image.png().toBuffer()
    : image.jpeg({ quality, chromaSubsampling: '4:2:0' }).toBuffer();
}

async function overCheckerboard(cut: Buffer): Promise<Buffer> {
  const board = Buffer.alloc(EDGE * EDGE * 3);
  for (let at = 0; at < board.length; at += 1) {
    const pixel = Math.floor(at / 3);
    const [x, y] = [pixel % EDGE, Math.floor(pixel / EDGE)];
    const isLight = (Math.floor(x / SQUARE) + Math.floor(y / SQUARE)) % 2 === 0;
    board[at] = isLight ? 244 : 178;
  }
  return sharp(board, { raw: { width: EDGE, height: EDGE, channels: 3 } })
    .composite([{ input: cut }])
    .png()
    .toBuffer();
}
