import type { ReadableBytes } from '../../platform/byte-parts.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { Edges, ImageFault, Refused } from '../image.ts';
import {
  beginsWith,
  type ContainerFacts,
  type ContainerFormat,
  type ContainerVerdict,
  type ContainerXmp,
  createManifestParts,
  type Edit,
  type ExistingXmp,
  isManifest,
  MAX_EXISTING,
  refused,
  removal,
  type Span,
} from './container-format.ts';
import {
  endOfFill,
  type HuffmanSpecs,
  isWholeImage,
  isWholeScan,
  type JpegFrame,
  readHuffmanSpecs,
  toFrame,
  toSequentialScan,
} from './jpeg-scan.ts';
import { exifOrientation, isExif, openTiff } from './tiff.ts';

export const jpegContainer: ContainerFormat = {
  check,
  headerEdges,
  findManifests,
  manifestStore,
  manifestRemovals: (_, spans) => spans.map(removal),
  findXmp,
};

interface JpegSegment {
  readonly marker: number;
  /** Bytes after the length field. Empty for EOI. */
  readonly payload: Buffer;
  /** Positions of the first byte of the marker, fill bytes included, and of the first byte after the payload. */
  readonly start: number;
  readonly end: number;
}

/** Markers of ITU T.81, table B.1. */
const DHT = 0xc4;
/** JPG and DAC are not frame headers, although their values are in the range SOF0 to SOF15. */
const JPG = 0xc8;
const DAC = 0xcc;
const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DRI = 0xdd;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP11 = 0xeb;
const COM = 0xfe;
/** Markers that are rejected: a second SOI, and JPG, DHP and EXP of hierarchical JPEG. */
const REJECTED_MARKERS: readonly number[] = [SOI, JPG, 0xde, 0xdf];

const MPF_PREFIX = Buffer.from('MPF\0', 'latin1');

/** Reads the segment whose marker is at `start`. Fill bytes may precede the marker. */
function segmentAt(bytes: ReadableBytes, start: number): JpegSegment | ImageFault {
  if (start < bytes.length && bytes.at(start) !== 0xff) return 'corrupt';
  let at = endOfFill(bytes, start);
  const marker = bytes.at(at);
  if (marker === undefined) return 'truncated';
  at += 1;
  if (marker === EOI) return { marker, payload: bytes.subarray(at, at), start, end: at };
  // Rejects markers that have no length and markers that decoders do not support.
  if (marker < 0xc0 || isRestart(marker) || REJECTED_MARKERS.includes(marker)) return 'corrupt';
  const length = at + 2 > bytes.length ? undefined : bytes.readUInt16BE(at);
  if (length === undefined || at + length > bytes.length) return 'truncated';
  if (length < 2) return 'corrupt';
  const end = at + length;
  return { marker, payload: bytes.subarray(at + 2, end), start, end };
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/**
 * Returns the index of an MPF segment, which lists further images, without the prefix of the segment. Offsets in the index are
 * relative to the byte after the prefix (CIPA DC-007, 5.2). Returns undefined for any other segment.
 */
function mpfIndex({ marker, payload }: JpegSegment): Buffer | undefined {
  const isMpf = marker === APP2 && beginsWith(payload, MPF_PREFIX);
  return isMpf ? payload.subarray(MPF_PREFIX.length) : undefined;
}

/** The tag of the MP entries. An entry contains attributes, size, offset and two image numbers (CIPA DC-007, 5.2.3). */
const MP_ENTRY_TAG = 0xb002;
const MP_ENTRY_BYTES = 16;

/**
 * Checks a JPEG from SOI to its last byte. Only images that an MPF segment lists may follow the EOI. These images must be
 * complete and must fill the rest of the file without gaps.
 */
function* check(bytes: Buffer): Steps<ContainerVerdict> {
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

/** Returns the spans of all images after the first one, as listed in the MPF index, in the order of the file. */
function listedImages({ mpf }: JpegImage) {
  const tiff = mpf === undefined ? undefined : openTiff(mpf.tiff);
  const field = tiff?.field(MP_ENTRY_TAG);
  if (mpf === undefined || tiff === undefined || field === undefined) return [];
  const spans: { readonly start: number; readonly end: number }[] = [];
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
  /** The MPF index, and the position to which the offsets in the index are relative. */
  readonly mpf: { readonly tiff: Buffer; readonly at: number } | undefined;
}

type JpegWalk = ({ readonly ok: true } & JpegImage) | Refused;

/** The facts from the segments read so far. */
interface JpegState {
  frame?: JpegFrame | undefined;
  scans: number;
  readonly specs: HuffmanSpecs;
  restartInterval: number;
  orientation?: number;
  mpf?: JpegImage['mpf'];
}

const MAX_SCANS = 100;
const HITS_PER_STEP = 4096;

/**
 * Checks the markers of the image at the start of `bytes`. If `isShown` is true, a decoder will decode the image, so its
 * Huffman codes are checked too. Bytes after the EOI of the image are not checked.
 */
function* walkJpeg(bytes: Buffer, { isShown }: { readonly isShown: boolean }): Steps<JpegWalk> {
  if (bytes.length < 2) return refused('truncated');
  if (bytes[0] !== 0xff || bytes[1] !== SOI) return refused('corrupt');
  const state: JpegState = { scans: 0, specs: new Map(), restartInterval: 0 };
  let at = 2;
  for (;;) {
    const segment = segmentAt(bytes, at);
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
  // If a scan is not the whole image, a decoder reads the scan in full before it outputs a row. Then libvips notices all
  // warnings about the scan.
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
  const { width, height, components } = frame;
  const isCmyk = components.length === 4;
  return { ok: true, facts: { width, height, isCmyk, orientation, hasAlpha: false }, end, mpf };
}

/** Returns true for the markers SOF0 to SOF15 (ITU T.81, table B.1). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![DHT, JPG, DAC].includes(marker);
}

function applySegment(state: JpegState, segment: JpegSegment): ImageFault | undefined {
  const { marker, payload, end } = segment;
  if (isFrameHeader(marker)) {
    if (state.frame !== undefined) return 'corrupt';
    state.frame = toFrame(marker, payload);
    return state.frame === undefined ? 'corrupt' : undefined;
  }
  if (marker === SOS) {
    if (state.frame === undefined) return 'corrupt';
    state.scans += 1;
    return state.scans > MAX_SCANS ? 'too_many_scans' : undefined;
  }
  if (marker === DHT) return readHuffmanSpecs(payload, state.specs) ? undefined : 'corrupt';
  if (marker === DRI) {
    if (payload.length !== 2) return 'corrupt';
    state.restartInterval = payload.readUInt16BE(0);
  }
  if (marker === APP1 && isExif(payload)) state.orientation ??= exifOrientation(payload);
  const tiff = mpfIndex(segment);
  if (tiff !== undefined) state.mpf ??= { tiff, at: end - tiff.length };
  return undefined;
}

/**
 * The maximum number of segments that are searched for the frame header, because a file may begin with any number of segments.
 */
const MAX_SEGMENTS = 4096;

function headerEdges(bytes: Buffer): Edges | undefined {
  for (let at = 2, segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const segment = segmentAt(bytes, at);
    if (typeof segment === 'string' || segment.marker === SOS) return undefined;
    const { marker, payload, end } = segment;
    if (isFrameHeader(marker)) {
      if (payload.length < 5) return undefined;
      return { width: payload.readUInt16BE(3), height: payload.readUInt16BE(1) };
    }
    at = end;
  }
  return undefined;
}

/**
 * Finds the APP11 segments of manifests before the first scan (C2PA specification, A.3). A manifest may need several segments, which
 * have the same box number. The sequence numbers are not compared, because readers accept any sequence.
 */
function* findManifests(bytes: Buffer): Steps<readonly Span[] | undefined> {
  const found = createManifestParts();
  const boxNumbers = new Set<number>();
  for (let at = 2; ; ) {
    const segment = segmentAt(bytes, at);
    if (typeof segment === 'string') return [];
    const { marker, payload, start, end } = segment;
    if (marker === SOS || marker === EOI) return found.all();
    if (marker === APP11 && payload.length > BOX_AT) {
      const number = payload.readUInt16BE(BOX_NUMBER_AT);
      if (isManifest(payload.subarray(BOX_AT))) boxNumbers.add(number);
      if (boxNumbers.has(number)) found.add({ start, end });
    }
    at = end;
    yield;
  }
}

/** The places in an APP11 segment: `JP`, the number of the box, a sequence number, and the box (ISO/IEC 19566-5, D.2). */
const BOX_NUMBER_AT = 2;
const BOX_AT = 8;
/** The length of the header of a box, and of a header with a length of 8 bytes. Each segment repeats the header. */
const BOX_HEADER_BYTES = 8;
const LONG_BOX_HEADER_BYTES = 16;

/** Joins the parts of a box in the order of the file. */
function* manifestStore(bytes: Buffer, spans: readonly Span[]): Steps<Buffer | undefined> {
  const store = Buffer.allocUnsafe(spans.reduce((sum, { start, end }) => sum + end - start, 0));
  let length = 0;
  let boxNumber: number | undefined;
  for (const span of spans) {
    for (let at = span.start; at < span.end; ) {
      const segment = segmentAt(bytes, at);
      if (typeof segment === 'string') return undefined;
      const { payload, end } = segment;
      const number = payload.readUInt16BE(BOX_NUMBER_AT);
      boxNumber ??= number;
      if (number !== boxNumber) return undefined;
      const box = payload.subarray(BOX_AT);
      length += (length === 0 ? box : withoutBoxHeader(box)).copy(store, length);
      at = end;
      yield;
    }
  }
  return length === 0 ? undefined : store.subarray(0, length);
}

function withoutBoxHeader(box: Buffer): Buffer {
  const isLong = box.length >= 4 && box.readUInt32BE(0) === 1;
  return box.subarray(isLong ? LONG_BOX_HEADER_BYTES : BOX_HEADER_BYTES);
}

/**
 * The prefixes of a packet and of its extension. The extension contains the parts that do not fit into one segment (XMP
 * specification part 3, 1.1.3).
 */
const PACKET_NAME = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const EXTENSION_NAME = Buffer.from('http://ns.adobe.com/xmp/extension/\0', 'latin1');
/** The digest of the whole extension, its length, and the position of this part. */
const EXTENSION_HEAD_BYTES = 32 + 4 + 4;

/** Finds the XMP packets before the first scan. A new packet is inserted after the JFIF and EXIF segments at the start. */
function* findXmp(bytes: ReadableBytes): Steps<ContainerXmp | undefined> {
  const existing: ExistingXmp[] = [];
  let insertAt = 2;
  let isHead = true;
  // The distance between the index of further images and the bytes after the index must not change, because the offsets in the
  // index are relative to the position of the index.
  let indexEnd: number | undefined;
  for (let at = insertAt; ; ) {
    const segment = segmentAt(bytes, at);
    if (typeof segment === 'string' || existing.length > MAX_EXISTING) return undefined;
    const { marker, payload, end } = segment;
    if (marker === SOS || marker === EOI) break;
    const found = packetIn(segment);
    if (found !== undefined) existing.push(found);
    else isHead &&= marker === APP0 || (marker === APP1 && isExif(payload));
    if (found === undefined && isHead) insertAt = end;
    if (mpfIndex(segment) !== undefined) indexEnd ??= end;
    at = end;
    yield;
  }
  return {
    existing,
    replaceWith({ bytes: packet, isMerged }) {
      // If the packet is merged, the extension of the existing packet must stay.
      const removed = isMerged ? existing.filter((one) => one.packet !== undefined) : existing;
      const isBeforeIndex = ({ start }: ExistingXmp) => indexEnd === undefined || start < indexEnd;
      return [
        { start: insertAt, end: insertAt, insert: toSegment(APP1, [PACKET_NAME, packet]) },
        ...removed.map((one) => (isBeforeIndex(one) ? removal(one) : blanked(one))),
      ];
    },
  };
}

function packetIn({ marker, payload, start, end }: JpegSegment): ExistingXmp | undefined {
  if (marker !== APP1) return undefined;
  if (beginsWith(payload, PACKET_NAME)) {
    return { start, end, packet: payload.subarray(PACKET_NAME.length) };
  }
  if (!beginsWith(payload, EXTENSION_NAME)) return undefined;
  const extension = payload.subarray(EXTENSION_NAME.length + EXTENSION_HEAD_BYTES);
  return { start, end, packet: undefined, extension };
}

/** Replaces a segment, including its fill bytes, with a comment of the same length. */
function blanked({ start, end }: ExistingXmp): Edit {
  const length = end - start;
  const fill = Math.max(0, length - 2 - 0xffff);
  const comment = toSegment(COM, [Buffer.alloc(length - fill - 4, ' ')]);
  return { start, end, insert: Buffer.concat([Buffer.alloc(fill, 0xff), comment]) };
}

function toSegment(marker: number, payload: readonly Buffer[]): Buffer {
  const length = payload.reduce((sum, part) => sum + part.length, 2);
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), ...payload]);
}
