import { crc32 } from 'node:zlib';

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1');

/** The bytes of length, type and CRC around the data of a chunk. */
const FRAME_BYTES = 12;
const HEADER_END = PNG_SIGNATURE.length + FRAME_BYTES + 13;

export const PNG_END = pngChunk('IEND', Buffer.alloc(0));

/** Returns one chunk of a PNG (3rd edition, 5.3). */
export function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(FRAME_BYTES + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

/** Returns the first chunk, with eight bits a sample unless `bitDepth` differs. */
export function pngHeader(width: number, height: number, colourType: number, bitDepth = 8): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.writeUInt8(bitDepth, 8);
  data.writeUInt8(colourType, 9);
  return pngChunk('IHDR', data);
}

/** Returns the same image, padded to this many bytes by a chunk that every decoder ignores. */
export function padPng(png: Buffer, bytes: number): Buffer {
  const missing = bytes - png.length - FRAME_BYTES;
  if (missing < 0) return png;
  const padding = pngChunk('paDd', Buffer.alloc(missing, 'padding '));
  return Buffer.concat([png.subarray(0, HEADER_END), padding, png.subarray(HEADER_END)]);
}
