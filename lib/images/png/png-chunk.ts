import type { ImageFault } from '../image.ts';

export interface PngChunk {
  readonly type: string;
  readonly data: Buffer;
  /** The first byte of its length field, and the first byte after its CRC. */
  readonly start: number;
  readonly end: number;
}

/** Where the first chunk begins. */
export const PNG_SIGNATURE_BYTES = 8;
/** PNG 3rd edition, 5.3: lengths are below 2^31. */
export const MAX_PNG_CHUNK_BYTES = 2 ** 31 - 1;

/** Length, type and CRC around every chunk's data. */
const FRAME_BYTES = 12;

/** The chunk at `start`. Its CRC is not checked. */
export function pngChunkAt(bytes: Buffer, start: number): PngChunk | ImageFault {
  if (start + FRAME_BYTES > bytes.length) return 'truncated';
  const length = bytes.readUInt32BE(start);
  const end = start + FRAME_BYTES + length;
  if (length > MAX_PNG_CHUNK_BYTES) return 'corrupt';
  if (end > bytes.length) return 'truncated';
  const type = bytes.toString('latin1', start + 4, start + 8);
  return { type, data: bytes.subarray(start + 8, end - 4), start, end };
}
