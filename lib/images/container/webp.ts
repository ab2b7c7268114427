import type { ReadableBytes } from '../../platform/byte-parts.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { Edges, ImageFault } from '../image.ts';
import {
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
import { exifOrientation } from './tiff.ts';

export const webpContainer: ContainerFormat = {
  check,
  headerEdges,
  findManifests,
  manifestStore,
  manifestRemovals: (bytes, spans) => withSize(bytes.length, spans.map(removal)),
  findXmp,
};

interface WebpChunk {
  readonly type: string;
  readonly data: Buffer;
  /**
   * Positions of the first byte of the name and of the first byte after the data. After a chunk of odd length, a padding byte
   * follows.
   */
  readonly start: number;
  readonly end: number;
}

/** The header of one image inside the container. */
interface WebpFrame extends Edges {
  readonly hasAlpha: boolean;
}

/** The position of the first chunk, after `RIFF`, the size of all following bytes, and `WEBP`. */
const FIRST_CHUNK_AT = 12;

/** Flags in the first byte of VP8X (RFC 9649, 2.7). */
const PROFILE_FLAG = 0x20;
const ALPHA_FLAG = 0x10;
const EXIF_FLAG = 0x08;
const XMP_FLAG = 0x04;
const ANIMATION_FLAG = 0x02;

/** Reads the chunk that begins at `start`, in a file that ends at `fileEnd`. */
function chunkAt(bytes: ReadableBytes, start: number, fileEnd: number): WebpChunk | ImageFault {
  if (start + 8 > fileEnd) return 'corrupt';
  const end = start + 8 + bytes.readUInt32LE(start + 4);
  if (end > fileEnd) return 'corrupt';
  const type = bytes.subarray(start, start + 4).toString('latin1');
  return { type, data: bytes.subarray(start + 8, end), start, end };
}

/** Returns the position of the next chunk. Chunks of odd length are padded, but some writers omit the last padding byte. */
function nextChunkAt({ data, end }: WebpChunk): number {
  return end + (data.length % 2);
}

/**
 * Parses the header of a lossy image: frame tag, start code, and 14 bits each for width and height (RFC 6386, 9.1). Returns
 * undefined if the header is invalid.
 */
function lossyFrame(data: Buffer): WebpFrame | undefined {
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
 * Parses the header of a lossless image: signature, 14 bits each for width minus one and height minus one, the alpha flag, and
 * version 0 (RFC 9649, 3.4). Returns undefined if the header is invalid.
 */
function losslessFrame(data: Buffer): WebpFrame | undefined {
  if (data.length < 5 || data[0] !== 0x2f) return undefined;
  const bits = data.readUInt32LE(1);
  if (bits >>> 29 !== 0) return undefined;
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  };
}

/** The facts from the chunks read so far. */
interface WebpState {
  canvas?: WebpFrame;
  /** `announced`: the flags set in VP8X. `found`: the flags of the chunks found so far. */
  announced: number;
  found: number;
  frame?: WebpFrame;
  hasAlphaChunk: boolean;
  orientation?: number;
}

/** Flags of the metadata chunks. VP8X must announce each of these chunks (RFC 9649, 2.7). */
const METADATA_FLAGS = PROFILE_FLAG | EXIF_FLAG | XMP_FLAG;

/** Checks a WebP (RFC 9649, 2) from its RIFF header to its last byte. The pixels are not decoded. */
function* check(bytes: Buffer): Steps<ContainerVerdict> {
  if (bytes.length < FIRST_CHUNK_AT) return refused('truncated');
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return refused('truncated');
  if (end < bytes.length) return refused('trailing_bytes');
  const state: WebpState = { announced: 0, found: 0, hasAlphaChunk: false };
  let at = FIRST_CHUNK_AT;
  while (at < end) {
    const chunk = chunkAt(bytes, at, end);
    if (typeof chunk === 'string') return refused(chunk);
    const fault = applyChunk(state, chunk, at === FIRST_CHUNK_AT);
    if (fault !== undefined) return refused(fault);
    at = nextChunkAt(chunk);
    yield;
  }
  return verdict(state);
}

function verdict(state: WebpState): ContainerVerdict {
  const { canvas, frame, hasAlphaChunk, orientation } = state;
  if (frame === undefined || state.announced !== state.found) return refused('corrupt');
  const { width, height } = frame;
  if (canvas !== undefined && (canvas.width !== width || canvas.height !== height)) {
    return refused('corrupt');
  }
  const hasAlpha = frame.hasAlpha || hasAlphaChunk || canvas?.hasAlpha === true;
  return { ok: true, facts: { width, height, orientation, hasAlpha } };
}

function applyChunk(
  state: WebpState,
  { type, data }: WebpChunk,
  isFirst: boolean,
): ImageFault | undefined {
  switch (type) {
    case 'VP8X':
      return readCanvas(state, data, isFirst);
    case 'VP8 ':
      return takeFrame(state, lossyFrame(data), isFirst);
    case 'VP8L':
      return takeFrame(state, losslessFrame(data), isFirst);
    case 'ICCP':
      state.found |= PROFILE_FLAG;
      return state.frame === undefined ? undefined : 'corrupt';
    case 'ALPH':
      state.hasAlphaChunk = true;
      return state.canvas === undefined || state.frame !== undefined ? 'corrupt' : undefined;
    case 'EXIF':
      state.found |= EXIF_FLAG;
      state.orientation ??= exifOrientation(data);
      return undefined;
    case 'XMP ':
      state.found |= XMP_FLAG;
      return undefined;
    case 'ANIM':
    case 'ANMF':
      return 'animated';
    default:
      return undefined;
  }
}

function readCanvas(state: WebpState, data: Buffer, isFirst: boolean): ImageFault | undefined {
  if (!isFirst || data.length < 10) return 'corrupt';
  const flags = data.readUInt8(0);
  if ((flags & ANIMATION_FLAG) !== 0) return 'animated';
  state.announced = flags & METADATA_FLAGS;
  state.canvas = { ...canvasEdges(data), hasAlpha: (flags & ALPHA_FLAG) !== 0 };
  return undefined;
}

/** Returns the dimensions in a VP8X chunk: flags, three reserved bytes, width minus one, height minus one (RFC 9649, 2.7). */
function canvasEdges(data: Buffer): Edges {
  return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
}

function takeFrame(
  state: WebpState,
  frame: WebpFrame | undefined,
  isFirst: boolean,
): ImageFault | undefined {
  const isAllowed = isFirst || state.canvas !== undefined;
  if (frame === undefined || state.frame !== undefined || !isAllowed) return 'corrupt';
  state.frame = frame;
  return undefined;
}

function headerEdges(bytes: Buffer): Edges | undefined {
  const chunk = chunkAt(bytes, FIRST_CHUNK_AT, bytes.length);
  if (typeof chunk === 'string') return undefined;
  const { type, data } = chunk;
  if (type === 'VP8 ') return lossyFrame(data);
  if (type === 'VP8L') return losslessFrame(data);
  return type === 'VP8X' && data.length >= 10 ? canvasEdges(data) : undefined;
}

/** Finds the `C2PA` chunks with manifests, with their padding (C2PA specification, A.3). */
function* findManifests(bytes: Buffer): Steps<readonly Span[] | undefined> {
  const found = createManifestParts();
  for (let at = FIRST_CHUNK_AT; at < bytes.length; ) {
    const chunk = chunkAt(bytes, at, bytes.length);
    if (typeof chunk === 'string') return [];
    const next = nextChunkAt(chunk);
    if (chunk.type === 'C2PA' && isManifest(chunk.data)) {
      found.add({ start: at, end: Math.min(next, bytes.length) });
    }
    at = next;
    yield;
  }
  return found.all();
}

function* manifestStore(bytes: Buffer, spans: readonly Span[]): Steps<Buffer | undefined> {
  const [span, ...others] = spans;
  if (span === undefined || others.length > 0) return undefined;
  // One chunk is one step.
  yield;
  const chunk = chunkAt(bytes, span.start, bytes.length);
  return typeof chunk === 'string' || nextChunkAt(chunk) < span.end ? undefined : chunk.data;
}

const SIZE_AT = 4;

/** Finds the XMP packets. A new packet is appended to the file. */
function* findXmp(bytes: ReadableBytes): Steps<ContainerXmp | undefined> {
  const existing: ExistingXmp[] = [];
  const first = chunkAt(bytes, FIRST_CHUNK_AT, bytes.length);
  if (typeof first === 'string') return undefined;
  for (let at = FIRST_CHUNK_AT; at < bytes.length; ) {
    const chunk = chunkAt(bytes, at, bytes.length);
    if (typeof chunk === 'string' || existing.length > MAX_EXISTING) return undefined;
    at = nextChunkAt(chunk);
    const { type, start, data } = chunk;
    if (type === 'XMP ') existing.push({ start, end: Math.min(at, bytes.length), packet: data });
    yield;
  }
  return {
    existing,
    replaceWith: ({ bytes: packet }) => xmpEdits(bytes.length, first, existing, packet),
  };
}

/**
 * Returns the edits that make `packet` the only packet of a file of `length` bytes. `first` is the first chunk of the file:
 * VP8X in an extended file, the frame in a simple file. A simple file becomes an extended file.
 */
function xmpEdits(
  length: number,
  first: WebpChunk,
  existing: readonly ExistingXmp[],
  packet: Buffer,
): readonly Edit[] {
  // If the padding of the last chunk is missing, the padding is added, unless this chunk is removed.
  const endsOdd = length % 2 === 1 && existing.at(-1)?.end !== length;
  const pad = Buffer.alloc(endsOdd ? 1 : 0);
  const insert = Buffer.concat([pad, toChunk('XMP ', packet)]);
  const added = { start: length, end: length, insert };
  return withSize(length, [toExtended(first), ...existing.map(removal), added]);
}

/** Adds the edit of the size field to the edits of a file of `length` bytes. */
function withSize(length: number, edits: readonly Edit[]): readonly Edit[] {
  const growth = edits.reduce((sum, edit) => sum + edit.insert.length - edit.end + edit.start, 0);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(length + growth - 8);
  return [{ start: SIZE_AT, end: SIZE_AT + 4, insert: size }, ...edits];
}

/**
 * Returns the edit that sets the XMP flag of VP8X, or adds a VP8X to a simple file. The added VP8X sets only the flags for
 * alpha and XMP, because decoders ignore all other chunks of a simple file.
 */
function toExtended({ type, data, start }: WebpChunk): Edit {
  if (type === 'VP8X') {
    const at = start + 8;
    return { start: at, end: at + 1, insert: Buffer.from([(data[0] ?? 0) | XMP_FLAG]) };
  }
  const frame = type === 'VP8L' ? losslessFrame(data) : lossyFrame(data);
  return { start, end: start, insert: frame ? toCanvas(frame) : Buffer.alloc(0) };
}

function toCanvas({ width, height, hasAlpha }: WebpFrame): Buffer {
  const canvas = Buffer.alloc(10);
  canvas.writeUInt8(XMP_FLAG | (hasAlpha ? ALPHA_FLAG : 0), 0);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  return toChunk('VP8X', canvas);
}

function toChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}
