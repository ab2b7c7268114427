import type { Steps } from '../../platform/time-slices.ts';
import { type ContainerFacts, refused } from '../container/container-facts.ts';
import { exifOrientation, isExif } from '../container/exif-orientation.ts';
import type { ImageFault } from '../image.ts';
import { endOfFill } from './fill-bytes.ts';
import { isWholeImage, type JpegFrame, toFrame, toSequentialScan } from './jpeg-frame.ts';
import { type HuffmanSpecs, readHuffmanSpecs } from './jpeg-huffman.ts';
import { isWholeScan } from './jpeg-scan.ts';
import {
  APP1,
  DHT,
  DRI,
  EOI,
  isRestart,
  type JpegSegment,
  jpegSegmentAt,
  mpfIndex,
  SOI,
  SOS,
} from './jpeg-segment.ts';

/** One JPEG image inside a file, from SOI to EOI. */
export interface JpegImage {
  readonly facts: ContainerFacts;
  /** The first byte after EOI. */
  readonly end: number;
  /** The MPF index, and the position that its offsets are relative to. */
  readonly mpf: { readonly tiff: Buffer; readonly at: number } | undefined;
}

export type JpegWalk =
  | ({ readonly ok: true } & JpegImage)
  | { readonly ok: false; readonly fault: ImageFault };

/** What was read from the segments so far. */
interface JpegState {
  frame: JpegFrame | undefined;
  scans: number;
  readonly specs: HuffmanSpecs;
  restartInterval: number;
  orientation: number | undefined;
  mpf: JpegImage['mpf'];
}

const MAX_SCANS = 100;
const HITS_PER_STEP = 4096;

/**
 * Checks the markers of the image at the start of `bytes`, and also its codes if a decoder will decode it (`isShown`). Bytes
 * after its EOI are not checked.
 */
export function* walkJpeg(
  bytes: Buffer,
  { isShown }: { readonly isShown: boolean },
): Steps<JpegWalk> {
  if (bytes.length < 2) return refused('truncated');
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return refused('corrupt');
  const state: JpegState = {
    frame: undefined,
    scans: 0,
    specs: new Map(),
    restartInterval: 0,
    orientation: undefined,
    mpf: undefined,
  };
  let at = 2;
  for (;;) {
    const segment = jpegSegmentAt(bytes, at);
    if (typeof segment === 'string') return refused(segment);
    const { marker } = segment;
    at = segment.end;
    if (marker === EOI) return verdict(state, at);
    const fault = applySegment(state, segment);
    if (fault !== undefined) return refused(fault);
    if (marker === SOS) {
      const scanEnd = yield* endOfScan(bytes, at);
      yield;
      if (scanEnd === undefined) return refused('truncated');
      const data = bytes.subarray(at, scanEnd);
      if (isShown && !(yield* isValidScan(state, segment, data))) return refused('corrupt');
      at = scanEnd;
    }
    yield;
  }
}

function* isValidScan(
  { frame, ...setting }: JpegState,
  { payload }: JpegSegment,
  data: Buffer,
): Steps<boolean> {
  // A decoder reads any other scan in full before it outputs a row: its warnings are seen.
  if (frame === undefined || !isWholeImage(frame, payload)) return true;
  const scan = toSequentialScan(frame, payload, setting);
  return scan !== undefined && (yield* isWholeScan(data, scan));
}

/** Where the marker is that ends the entropy-coded data; stuffed zeros and restart markers belong to the data. */
function* endOfScan(bytes: Buffer, from: number): Steps<number | undefined> {
  let at = from;
  for (let hits = 1; ; hits += 1) {
    at = bytes.indexOf(0xff, at);
    const next = at < 0 ? undefined : bytes[at + 1];
    if (next === undefined) return undefined;
    // The last fill byte begins the marker, or a stuffed zero follows it.
    if (next === 0xff) at = endOfFill(bytes, at) - 1;
    else if (next === 0 || isRestart(next)) at += 2;
    else return at;
    if (hits % HITS_PER_STEP === 0) yield;
  }
}

function verdict({ frame, scans, orientation, mpf }: JpegState, end: number): JpegWalk {
  if (frame === undefined || scans === 0) return refused('corrupt');
  const facts = {
    width: frame.width,
    height: frame.height,
    isCmyk: frame.components.length === 4,
    orientation: orientation ?? 1,
    hasAlpha: false,
    hasDeepProfile: false,
    deflated: [],
  };
  return { ok: true, facts, end, mpf };
}

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== DHT && marker !== 0xcc;
}

function applySegment(state: JpegState, segment: JpegSegment): ImageFault | undefined {
  const { marker, payload, end } = segment;
  if (isFrameHeader(marker)) return readFrame(state, segment);
  if (marker === SOS) {
    if (state.frame === undefined) return 'corrupt';
    state.scans += 1;
    return state.scans > MAX_SCANS ? 'too_many_scans' : undefined;
  }
  if (marker === DHT) return readHuffmanSpecs(payload, state.specs) ? undefined : 'corrupt';
  if (marker === DRI) return readRestartInterval(state, payload);
  if (marker === APP1 && isExif(payload)) state.orientation ??= exifOrientation(payload);
  const tiff = mpfIndex(segment);
  if (tiff !== undefined) state.mpf ??= { tiff, at: end - tiff.length };
  return undefined;
}

function readFrame(state: JpegState, { marker, payload }: JpegSegment): ImageFault | undefined {
  if (state.frame !== undefined) return 'corrupt';
  state.frame = toFrame(marker, payload);
  return state.frame === undefined ? 'corrupt' : undefined;
}

function readRestartInterval(state: JpegState, payload: Buffer): ImageFault | undefined {
  if (payload.length !== 2) return 'corrupt';
  state.restartInterval = payload.readUInt16BE(0);
  return undefined;
}
