import type { ImageFault } from '../image.ts';

export interface PngChunk {
  readonly type: string;
  readonly data: Buffer;
  /** Positions of the first byte of the length field and of the first byte after the CRC. */
  readonly start: number;
  readonly end: number;
}

/** The position of the first chunk, after the signature. */
export const PNG_SIGNATURE_BYTES = 8;
/** The greatest length of a chunk: lengths are below 2^31 (PNG 3rd edition, 5.3). */
export const MAX_PNG_CHUNK_BYTES = 2 ** 31 - 1;

/** The bytes of length, type and CRC around the data of a chunk. */
const FRAME_BYTES = 12;

/** Reads the chunk at `start`. The CRC is not checked. */
export function pngChunkAt(bytes: Buffer, start: number): PngChunk | ImageFault {
  if (start + FRAME_BYTES > bytes.length) return 'truncated';
  const length = bytes.readUInt32BE(start);
  const end = start + FRAME_BYTES + length;
  if (length > MAX_PNG_CHUNK_BYTES) return 'corrupt';
  if (end > bytes.length) return 'truncated';
  const type = bytes.toString('latin1', start + 4, start + 8);
  return { type, data: bytes.subarray(start + 8, end - 4), start, end };
}

/** An `iTXt` chunk (PNG 3rd edition, 11.3.3.4). */
export interface InternationalText {
  readonly keyword: string;
  readonly flag: number;
  readonly method: number;
  /** UTF-8 text, as a zlib stream if `flag` is 1. */
  readonly text: Buffer;
}

const MAX_KEYWORD_BYTES = 79;
/** Printable Latin-1 with single spaces between other characters. */
const KEYWORD = /^[!-~\xa1-\xff]+(?: [!-~\xa1-\xff]+)*$/;

/**
 * Parses an `iTXt` chunk: keyword, NUL, flag, method, language, NUL, translated keyword, NUL, text. Returns undefined if the
 * chunk is invalid.
 */
export function toInternationalText(data: Buffer): InternationalText | undefined {
  const end = keywordEnd(data);
  if (end === undefined) return undefined;
  const languageEnd = data.indexOf(0, end + 3);
  const translatedEnd = languageEnd < 0 ? -1 : data.indexOf(0, languageEnd + 1);
  const flag = data[end + 1];
  const method = data[end + 2];
  if (translatedEnd < 0 || flag === undefined || method === undefined) return undefined;
  const keyword = data.toString('latin1', 0, end);
  return { keyword, flag, method, text: data.subarray(translatedEnd + 1) };
}

/**
 * Returns the position of the NUL after the keyword of a text chunk (PNG 3rd edition, 11.3.3.2), or undefined if the keyword is
 * invalid.
 */
export function keywordEnd(data: Buffer): number | undefined {
  const end = data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0);
  return end >= 1 && KEYWORD.test(data.toString('latin1', 0, end)) ? end : undefined;
}

/** Returns true for a valid `tEXt` chunk: keyword, NUL, and text without a NUL. */
export function isPlainText(data: Buffer): boolean {
  const end = keywordEnd(data);
  return end !== undefined && !data.includes(0, end + 1);
}
