import { type ContainerFacts, refused } from './container.ts';
import { exifOrientation, isExif } from './exif-orientation.ts';
import type { ImageFault } from './image.ts';
import type { Steps } from './time-slices.ts';

/** One JPEG picture inside a file, from SOI to EOI. */
export interface JpegPicture {
  readonly facts: ContainerFacts;
  /** The first byte after EOI. */
  readonly end: number;
  /** The MPF index and where its offsets count from. */
  readonly mpf: { readonly tiff: Buffer; readonly at: number } | undefined;
}

export type JpegWalk =
  | ({ readonly ok: true } & JpegPicture)
  | { readonly ok: false; readonly fault: ImageFault };

/** What the segments so far have said. */
interface JpegState {
  frame: { readonly width: number; readonly height: number; readonly isCmyk: boolean } | undefined;
  scans: number;
  orientation: number | undefined;
  mpf: JpegPicture['mpf'];
}

const MAX_SCANS = 100;
const HITS_PER_STEP = 4096;
const FILL_BYTES_PER_STEP = 2 ** 20;
const MPF_PREFIX = Buffer.from('MPF\0', 'latin1');

/** ITU T.81, table B.1. */
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP1 = 0xe1;
const APP2 = 0xe2;
/** A second SOI, and JPG, DHP, EXP of hierarchical JPEG. */
const REFUSED_MARKERS: readonly number[] = [SOI, 0xc8, 0xde, 0xdf];

/** Walks the markers of the picture that begins `bytes`; what follows its EOI is left to the caller. */
export function* walkJpeg(bytes: Buffer): Steps<JpegWalk> {
  if (bytes.length < 2) return refused('truncated');
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return refused('corrupt');
  const state: JpegState = { frame: undefined, scans: 0, orientation: undefined, mpf: undefined };
  let at = 2;
  for (;;) {
    if (at < bytes.length && bytes[at] !== 0xff) return refused('corrupt');
    for (; bytes[at] === 0xff; at += 1) if (at % FILL_BYTES_PER_STEP === 0) yield;
    const marker = bytes[at];
    if (marker === undefined) return refused('truncated');
    at += 1;
    if (marker === EOI) return verdict(state, at);
    if (!beginsSegment(marker)) return refused('corrupt');

    const length = at + 2 > bytes.length ? undefined : bytes.readUInt16BE(at);
    if (length === undefined || at + length > bytes.length) return refused('truncated');
    if (length < 2) return refused('corrupt');
    const fault = applySegment(state, marker, bytes.subarray(at + 2, at + length), at + 2);
    if (fault !== undefined) return refused(fault);
    at += length;
    if (marker === SOS) {
      const scanEnd = yield* endOfScan(bytes, at);
      if (scanEnd === undefined) return refused('truncated');
      at = scanEnd;
    }
    yield;
  }
}

/** Where the next marker stands that ends the entropy-coded data; stuffed zeros and restart markers belong to it. */
function* endOfScan(bytes: Buffer, from: number): Steps<number | undefined> {
  let at = from;
  for (let hits = 1; ; hits += 1) {
    at = bytes.indexOf(0xff, at);
    const next = at < 0 ? undefined : bytes[at + 1];
    if (next === undefined) return undefined;
    if (next === 0xff) at += 1;
    else if (next === 0 || isRestart(next)) at += 2;
    else return at;
    if (hits % HITS_PER_STEP === 0) yield;
  }
}

function verdict({ frame, scans, orientation, mpf }: JpegState, end: number): JpegWalk {
  if (frame === undefined || scans === 0) return refused('corrupt');
  const facts = { ...frame, orientation: orientation ?? 1, hasAlpha: false, deflated: [] };
  return { ok: true, facts, end, mpf };
}

/** True for the markers that a length follows and that somebody decodes. */
function beginsSegment(marker: number): boolean {
  return marker >= 0xc0 && !isRestart(marker) && !REFUSED_MARKERS.includes(marker);
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc;
}

function applySegment(
  state: JpegState,
  marker: number,
  payload: Buffer,
  at: number,
): ImageFault | undefined {
  if (isFrameHeader(marker)) return readFrame(state, payload);
  if (marker === SOS) {
    if (state.frame === undefined) return 'corrupt';
    state.scans += 1;
    return state.scans > MAX_SCANS ? 'too_many_scans' : undefined;
  }
  if (marker === APP1 && isExif(payload)) state.orientation ??= exifOrientation(payload);
  if (marker === APP2 && payload.subarray(0, 4).equals(MPF_PREFIX)) {
    state.mpf ??= { tiff: payload.subarray(4), at: at + 4 };
  }
  return undefined;
}

/** ITU T.81, B.2.2: precision, height, width, components of three bytes each. */
function readFrame(state: JpegState, payload: Buffer): ImageFault | undefined {
  if (state.frame !== undefined || payload.length < 6) return 'corrupt';
  const height = payload.readUInt16BE(1);
  const width = payload.readUInt16BE(3);
  const components = payload.readUInt8(5);
  const sane =
    width >= 1 && height >= 1 && components >= 1 && payload.length === 6 + 3 * components;
  if (!sane) return 'corrupt';
  state.frame = { width, height, isCmyk: components === 4 };
  return undefined;
}
