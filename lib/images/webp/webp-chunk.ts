import type { ImageFault } from '../image.ts';

export interface WebpChunk {
  readonly type: string;
  readonly data: Buffer;
  /**
   * Positions of the first byte of the name and of the first byte after the data. A chunk of odd length has a padding byte
   * after that.
   */
  readonly start: number;
  readonly end: number;
}

/** The header of one image inside the container. */
export interface WebpFrame {
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

/** The position of the first chunk, after `RIFF`, the size of all following bytes, and `WEBP`. */
export const FIRST_WEBP_CHUNK_AT = 12;

/** Flags in the first byte of VP8X (RFC 9649, 2.7). */
export const PROFILE_FLAG = 0x20;
export const ALPHA_FLAG = 0x10;
export const EXIF_FLAG = 0x08;
export const XMP_FLAG = 0x04;
export const ANIMATION_FLAG = 0x02;

/** Reads the chunk that begins at `start`, in a file that ends at `fileEnd`. */
export function webpChunkAt(bytes: Buffer, start: number, fileEnd: number): WebpChunk | ImageFault {
  if (start + 8 > fileEnd) return 'corrupt';
  const end = start + 8 + bytes.readUInt32LE(start + 4);
  if (end > fileEnd) return 'corrupt';
  const type = bytes.toString('latin1', start, start + 4);
  return { type, data: bytes.subarray(start + 8, end), start, end };
}

/**
 * Returns the position of the next chunk. Chunks of odd length are padded, but some writers omit the padding of the last
 * chunk.
 */
export function nextWebpChunkAt({ data, end }: WebpChunk): number {
  return end + (data.length % 2);
}

/** Parses the header of a lossy image: frame tag, start code, 14 bits for width and height each (RFC 6386, 9.1). */
export function lossyFrame(data: Buffer): WebpFrame | undefined {
  if (data.length < 10) return undefined;
  const tag = data.readUIntLE(0, 3);
  const isKeyFrame = (tag & 1) === 0;
  const firstPartitionBytes = tag >> 5;
  if (!isKeyFrame || data.readUIntBE(3, 3) !== 0x9d012a) return undefined;
  const width = data.readUInt16LE(6) & 0x3fff;
  const height = data.readUInt16LE(8) & 0x3fff;
  const isValid = width >= 1 && height >= 1 && firstPartitionBytes <= data.length - 10;
  return isValid ? { width, height, hasAlpha: false } : undefined;
}

/**
 * Parses the header of a lossless image: signature, 14 bits for width and height minus one each, alpha, version 0 (RFC 9649,
 * 3.4).
 */
export function losslessFrame(data: Buffer): WebpFrame | undefined {
  if (data.length < 5 || data[0] !== 0x2f) return undefined;
  const bits = data.readUInt32LE(1);
  if (bits >>> 29 !== 0) return undefined;
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  };
}
