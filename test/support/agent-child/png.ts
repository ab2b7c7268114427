import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Returns a PNG with one colour type and no compression, of about `edge` × `edge` × 3 bytes. */
export function plainPng(edge: number, seed: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  // Eight bits, RGB.
  header.writeUInt16BE(0x0802, 8);
  const row = 1 + edge * 3;
  const pixels = Buffer.alloc(row * edge);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = at % row === 0 ? 0 : at * 31 + seed;
  const data = deflateSync(pixels, { level: 0 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND')]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}
