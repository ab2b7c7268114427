import type { ImageFault } from '../image.ts';

export interface JpegSegment {
  readonly marker: number;
  /** Bytes after the length field. Empty for EOI. */
  readonly payload: Buffer;
  /** Positions of the first byte of the marker, fill bytes included, and of the first byte after the payload. */
  readonly start: number;
  readonly end: number;
}

/** Markers of ITU T.81, table B.1. */
export const DHT = 0xc4;
export const SOI = 0xd8;
export const EOI = 0xd9;
export const SOS = 0xda;
export const DRI = 0xdd;
export const APP0 = 0xe0;
export const APP1 = 0xe1;
const APP2 = 0xe2;
export const COM = 0xfe;
/** Markers that are rejected: a second SOI, and JPG, DHP and EXP of hierarchical JPEG. */
const REFUSED_MARKERS: readonly number[] = [SOI, 0xc8, 0xde, 0xdf];

const MPF_PREFIX = Buffer.from('MPF\0', 'latin1');

/** Reads the segment whose marker is at `start`. Fill bytes may precede the marker. */
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

/**
 * Returns the index of further images in an MPF segment, without its prefix. The offsets in the index count from the byte after
 * the prefix (CIPA DC-007, 5.2).
 */
export function mpfIndex({ marker, payload }: JpegSegment): Buffer | undefined {
  const isMpf = marker === APP2 && payload.subarray(0, MPF_PREFIX.length).equals(MPF_PREFIX);
  return isMpf ? payload.subarray(MPF_PREFIX.length) : undefined;
}

/** Returns true for the markers that have a length and that decoders support. */
function beginsSegment(marker: number): boolean {
  return marker >= 0xc0 && !isRestart(marker) && !REFUSED_MARKERS.includes(marker);
}

const FILL = 0xff;
const SHORT_RUN = 64;
const FILL_BLOCK = Buffer.alloc(4096, FILL);

/**
 * Returns the position of the first byte from `start` on that is not a fill byte 0xff, or the length of `bytes`. Any number of
 * fill bytes may precede a marker (ITU T.81, B.1.1.2). A long run is compared natively: 16 MiB take about 1 ms.
 */
export function endOfFill(bytes: Buffer, start: number): number {
  let at = start;
  const shortEnd = start + SHORT_RUN;
  while (at < shortEnd && bytes[at] === FILL) at += 1;
  if (at < shortEnd) return at;
  while (isFillBlock(bytes, at)) at += FILL_BLOCK.length;
  while (bytes[at] === FILL) at += 1;
  return at;
}

function isFillBlock(bytes: Buffer, at: number): boolean {
  const end = at + FILL_BLOCK.length;
  return end <= bytes.length && bytes.compare(FILL_BLOCK, 0, FILL_BLOCK.length, at, end) === 0;
}
