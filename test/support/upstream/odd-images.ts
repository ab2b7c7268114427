import { once } from 'node:events';
import { createDeflate } from 'node:zlib';
import sharp from 'sharp';
import { PNG_END, PNG_SIGNATURE, pngChunk, pngHeader } from './png-chunks.ts';

const GREY = 0;
const RGB = 2;
const BOMB_EDGE = 30_000;
const SMALL_EDGE = 64;
const FLOOD_BYTES = 256 * 1024 * 1024;
const STEP_BYTES = 1024 * 1024;

export function gif(): Promise<Buffer> {
  const background = { r: 200, g: 80, b: 40 };
  return sharp({ create: { width: 64, height: 64, channels: 3, background } })
    .gif()
    .toBuffer();
}

export function svg(): Buffer {
  const shape = '<rect width="64" height="64" fill="#c85028"/>';
  const space = 'http://www.w3.org/2000/svg';
  return Buffer.from(`<svg xmlns="${space}" width="64" height="64">${shape}</svg>`);
}

/** Returns a small, valid PNG of 900 million pixels. */
export async function pixelBomb(): Promise<Buffer> {
  const rowBytes = 1 + Math.ceil(BOMB_EDGE / 8);
  const pixels = await deflatedZeros(rowBytes * BOMB_EDGE);
  return png(pngHeader(BOMB_EDGE, BOMB_EDGE, GREY, 1), pngChunk('IDAT', pixels));
}

/** Returns a small PNG of small dimensions whose compressed pixels inflate to 256 MiB. */
export async function dataBomb(): Promise<Buffer> {
  const header = pngHeader(SMALL_EDGE, SMALL_EDGE, RGB);
  return png(header, pngChunk('IDAT', await deflatedZeros(FLOOD_BYTES)));
}

/** Returns a small, valid PNG with a compressed text of 256 MiB. */
export async function textBomb(): Promise<Buffer> {
  const flood = await deflatedZeros(FLOOD_BYTES);
  const text = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), flood]));
  const pixels = await deflatedZeros((1 + SMALL_EDGE * 3) * SMALL_EDGE);
  return png(pngHeader(SMALL_EDGE, SMALL_EDGE, RGB), text, pngChunk('IDAT', pixels));
}

function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([PNG_SIGNATURE, ...chunks, PNG_END]);
}

async function deflatedZeros(length: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 });
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  const ended = once(deflate, 'end');
  const zeros = Buffer.alloc(STEP_BYTES);
  for (let left = length; left > 0; left -= STEP_BYTES) {
    if (!deflate.write(zeros.subarray(0, left))) await once(deflate, 'drain');
  }
  deflate.end();
  await ended;
  return Buffer.concat(parts);
}
