import type { Steps } from '../../platform/time-slices.ts';
import {
  type ContainerFacts,
  type ContainerVerdict,
  refused,
} from '../container/container-facts.ts';
import { exifOrientation, isExif, openTiff } from '../container/tiff.ts';
import type { ImageFault } from '../image.ts';
import {
  type HuffmanSpecs,
  isWholeImage,
  isWholeScan,
  type JpegFrame,
  readHuffmanSpecs,
  toFrame,
  toSequentialScan,
} from './jpeg-scan.ts';
import {
  APP1,
  DHT,
  DRI,
  EOI,
  endOfFill,
  isRestart,
  type JpegSegment,
  jpegSegmentAt,
  mpfIndex,
  SOI,
  SOS,
} from './jpeg-segment.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The tag of the MP entries. Each has sixteen bytes: attributes, size, offset, two dependents (CIPA DC-007, 5.2.3). */
const MP_ENTRY_TAG = 0xb002;
const MP_ENTRY_BYTES = 16;

/**
 * Checks a JPEG from SOI to its last byte. Only images that an MPF segment lists may follow the EOI. They must be complete and
 * must fill the rest of the file without gaps.
 */
export function* checkJpeg(bytes: Buffer): Steps<ContainerVerdict> {
  const main = yield* walkJpeg(bytes, { isShown: true });
  if (!main.ok) return main;
  if (main.end < bytes.length) {
    const fault = yield* checkFurtherImages(bytes, main);
    if (fault !== undefined) return refused(fault);
  }
  return { ok: true, facts: main.facts };
}

function* checkFurtherImages(bytes: Buffer, main: JpegImage): Steps<ImageFault | undefined> {
  let covered = main.end;
  for (const { start, end } of listedImages(main)) {
    if (start !== covered) return 'trailing_bytes';
    if (end > bytes.length) return 'truncated';
    const image = yield* walkJpeg(bytes.subarray(start, end), { isShown: false });
    if (!image.ok) return image.fault;
    if (start + image.end !== end) return 'trailing_bytes';
    covered = end;
  }
  return covered === bytes.length ? undefined : 'trailing_bytes';
}

/** Returns the spans of the images after the first one from the MPF index, in the order of the file. */
function listedImages({ mpf }: JpegImage): readonly Span[] {
  const tiff = mpf === undefined ? undefined : openTiff(mpf.tiff);
  const field = tiff?.field(MP_ENTRY_TAG);
  if (mpf === undefined || tiff === undefined || field === undefined) return [];
  const spans: Span[] = [];
  for (let index = 1; index < Math.floor(field.count / MP_ENTRY_BYTES); index += 1) {
    const entry = field.at + index * MP_ENTRY_BYTES;
    const size = tiff.uint32(entry + 4);
    const offset = tiff.uint32(entry + 8);
    if (size === undefined || offset === undefined) return [];
    spans.push({ start: mpf.at + offset, end: mpf.at + offset + size });
  }
  return spans.sort((a, b) => a.start - b.start);
}

/** One JPEG image inside a file, from SOI to EOI. */
interface JpegImage {
  readonly facts: ContainerFacts;
  /** Position of the first byte after EOI. */
  readonly end: number;
  /** The MPF index, and the position from which its offsets count. */
  readonly mpf: { readonly tiff: Buffer; readonly at: number } | undefined;
}

type JpegWalk =
  | ({ readonly ok: true } & JpegImage)
  | { readonly ok: false; readonly fault: ImageFault };

/** The facts from the segments read so far. */
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
 * Checks the markers of the image at the start of `bytes`. Checks its Huffman codes too if `isShown`, which means that a
 * decoder will decode the image. Bytes after its EOI are not checked.
 */
function* walkJpeg(bytes: Buffer, { isShown }: { readonly isShown: boolean }): Steps<JpegWalk> {
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
  // A decoder reads any other scan in full before it outputs a row, so its warnings are noticed.
  if (frame === undefined || !isWholeImage(frame, payload)) return true;
  const scan = toSequentialScan(frame, payload, setting);
  return scan !== undefined && (yield* isWholeScan(data, scan));
}

/** Finds the marker that ends the entropy-coded data. Stuffed zeros and restart markers belong to the data. */
function* endOfScan(bytes: Buffer, from: number): Steps<number | undefined> {
  let at = from;
  for (let hits = 1; ; hits += 1) {
    at = bytes.indexOf(0xff, at);
    const next = at < 0 ? undefined : bytes[at + 1];
    if (next === undefined) return undefined;
    // The marker begins with the last fill byte, unless a stuffed zero follows.
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
