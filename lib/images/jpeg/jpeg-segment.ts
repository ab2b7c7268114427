import type { ImageFault } from '../image.ts';
import { endOfFill } from './fill-bytes.ts';

export interface JpegSegment {
  readonly marker: number;
  /** Empty for EOI. */
  readonly payload: Buffer;
  /** The first byte of its marker, fill bytes included, and the first byte after its payload. */
  readonly start: number;
  readonly end: number;
}

/** ITU T.81, table B.1. */
export const DHT = 0xc4;
export const SOI = 0xd8;
export const EOI = 0xd9;
export const SOS = 0xda;
export const DRI = 0xdd;
export const APP0 = 0xe0;
export const APP1 = 0xe1;
export const APP2 = 0xe2;
export const COM = 0xfe;
/** A second SOI, and JPG, DHP, EXP of hierarchical JPEG. */
const REFUSED_MARKERS: readonly number[] = [SOI, 0xc8, 0xde, 0xdf];

const MPF_PREFIX = Buffer.from('MPF\0', 'latin1');

/** The segment whose marker is at `start`, perhaps after fill bytes. */
export function jpegSegmentAt(bytes: Buffer, start: number): JpegSegment | ImageFault {
  if (start < bytes.length && bytes[start] !== 0xff) return 'corrupt';
  let at = endOfFill(bytes, start);
  const marker = bytes[at];
  if (marker === undefined) return 'truncated';
  at += 1;
  if (marker === EOI) return { marker, payload: bytes.subarray(at, at), start, end: at };
  if (!beginsSegment(marker)) return 'corrupt';

  const length = at + 2 > bytes.length ? undefined : bytes.readUInt16BE(at);
  if (length === undefined || at + length > bytes.length) return 'truncated';
  if (length < 2) return 'corrupt';
  const end = at + length;
  return { marker, payload: bytes.subarray(at + 2, end), start, end };
}

export function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** The index of further images in the file; its offsets count from what follows its prefix (CIPA DC-007, 5.2). */
export function mpfIndex({ marker, payload }: JpegSegment): Buffer | undefined {
  const isMpf = marker === APP2 && payload.subarray(0, MPF_PREFIX.length).equals(MPF_PREFIX);
  return isMpf ? payload.subarray(MPF_PREFIX.length) : undefined;
}

/** True for the markers that have a length and that decoders support. */
function beginsSegment(marker: number): boolean {
  return marker >= 0xc0 && !isRestart(marker) && !REFUSED_MARKERS.includes(marker);
}
