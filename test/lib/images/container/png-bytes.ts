import { crc32, deflateSync } from 'node:zlib';

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The position of the first chunk after IHDR. */
const AFTER_HEADER = 33;

export function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const framed = Buffer.alloc(12 + data.length);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, 'latin1');
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}

export interface Header {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colourType: number;
  readonly compression: number;
  readonly filter: number;
  readonly interlace: number;
}

export function header(changes: Partial<Header> = {}): Buffer {
  const row = {
    width: 2,
    height: 2,
    bitDepth: 8,
    colourType: 2,
    compression: 0,
    filter: 0,
    interlace: 0,
    ...changes,
  };
  const data = Buffer.alloc(13);
  data.writeUInt32BE(row.width, 0);
  data.writeUInt32BE(row.height, 4);
  data.set([row.bitDepth, row.colourType, row.compression, row.filter, row.interlace], 8);
  return chunk('IHDR', data);
}

/** Two rows of two black pixels, as RGB. */
export const PIXELS = chunk('IDAT', deflateSync(Buffer.alloc(2 * (1 + 2 * 3))));
export const END = chunk('IEND');

export function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks]);
}

export function insertAfterHeader(bytes: Buffer, ...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([bytes.subarray(0, AFTER_HEADER), ...chunks, bytes.subarray(AFTER_HEADER)]);
}

/** A compressed chunk of the kind `keyword, NUL, method, stream`. */
export function compressed(type: 'iCCP' | 'zTXt', inflated: Buffer): Buffer {
  return chunk(type, Buffer.concat([Buffer.from('key\0\0', 'latin1'), deflateSync(inflated)]));
}

export function compressedInternational(inflated: Buffer): Buffer {
  const head = Buffer.from('key\0\x01\0en\0key\0', 'latin1');
  return chunk('iTXt', Buffer.concat([head, deflateSync(inflated)]));
}
