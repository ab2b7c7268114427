import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import type { Steps } from '../../platform/time-slices.ts';
import { type ContainerVerdict, refused } from '../container/container-facts.ts';
import { exifOrientation } from '../container/tiff.ts';
import type { ImageFault } from '../image.ts';
import {
  isPlainText,
  keywordEnd,
  MAX_PNG_CHUNK_BYTES,
  PNG_SIGNATURE_BYTES,
  pngChunkAt,
  toInternationalText,
} from './png-chunk.ts';

interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colourType: number;
}

/** The facts from the chunks read so far. */
interface PngState {
  readonly seen: Set<string>;
  header: PngHeader | undefined;
  paletteEntries: number;
  pixels: 'before' | 'inside' | 'after';
  hasTransparency: boolean;
  hasProfile: boolean;
  orientation: number | undefined;
  readonly deflated: Buffer[];
}

type ChunkRule = (state: PngState, data: Buffer, type: string) => ImageFault | undefined;

const CRC_STEP_BYTES = 8 * 1024 * 1024;
const PALETTE = 3;

/** The bit depths of each colour type (PNG 3rd edition, table 12). */
const BIT_DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [PALETTE, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

/** Chunks that an image has at most once (PNG 3rd edition, 5.6) and of which decoders read only the first or the last. */
const ONCE: ReadonlySet<string> = new Set([
  'cHRM',
  'gAMA',
  'iCCP',
  'sRGB',
  'sBIT',
  'bKGD',
  'hIST',
  'pHYs',
  'tIME',
]);

const animated: ChunkRule = () => 'animated';

const RULES: ReadonlyMap<string, ChunkRule> = new Map<string, ChunkRule>([
  ['IHDR', readHeader],
  ['PLTE', readPalette],
  ['tRNS', readTransparency],
  ['IDAT', readPixels],
  ['acTL', animated],
  ['fcTL', animated],
  ['fdAT', animated],
  ['iCCP', readDeflated],
  ['zTXt', readDeflated],
  ['iTXt', readDeflated],
  ['tEXt', (_state, data) => (isPlainText(data) ? undefined : 'corrupt')],
  ['pHYs', (_state, data) => (isDensity(data) ? undefined : 'corrupt')],
  ['eXIf', readExif],
]);

/** Checks a PNG from its signature to its last byte: lengths, every CRC, order, texts. The pixels are not decoded. */
export function* checkPng(bytes: Buffer): Steps<ContainerVerdict> {
  const state: PngState = {
    seen: new Set(),
    header: undefined,
    paletteEntries: 0,
    pixels: 'before',
    hasTransparency: false,
    hasProfile: false,
    orientation: undefined,
    deflated: [],
  };
  let offset = PNG_SIGNATURE_BYTES;
  for (;;) {
    const chunk = pngChunkAt(bytes, offset);
    if (typeof chunk === 'string') return refused(chunk);
    const { type, data, end } = chunk;
    const crc = yield* crcOf(bytes, offset + 4, end - 4);
    if (crc !== bytes.readUInt32BE(end - 4)) return refused('corrupt');

    offset = end;
    if (type === 'IEND') return verdict(state, data, bytes.length - offset);
    const fault = applyChunk(state, type, data);
    if (fault !== undefined) return refused(fault);
  }
}

function* crcOf(bytes: Buffer, start: number, end: number): Steps<number> {
  let crc = 0;
  for (let from = start; from < end; from += CRC_STEP_BYTES) {
    crc = crc32(bytes.subarray(from, Math.min(end, from + CRC_STEP_BYTES)), crc);
    yield;
  }
  return crc;
}

function applyChunk(state: PngState, type: string, data: Buffer): ImageFault | undefined {
  if (state.header === undefined && type !== 'IHDR') return 'corrupt';
  if (type !== 'IDAT' && state.pixels === 'inside') state.pixels = 'after';
  if (ONCE.has(type)) {
    if (state.seen.has(type)) return 'corrupt';
    state.seen.add(type);
  }
  const rule = RULES.get(type);
  if (rule !== undefined) return rule(state, data, type);
  // Decoders may skip an unknown chunk only if its first letter is lowercase (PNG 3rd edition, 5.4).
  return /^[a-z][A-Za-z]{3}$/.test(type) ? undefined : 'corrupt';
}

function verdict(state: PngState, endData: Buffer, bytesAfter: number): ContainerVerdict {
  const { header } = state;
  if (header === undefined || state.pixels === 'before' || endData.length > 0) {
    return refused('corrupt');
  }
  if (bytesAfter > 0) return refused('trailing_bytes');
  return {
    ok: true,
    facts: {
      width: header.width,
      height: header.height,
      orientation: state.orientation ?? 1,
      hasAlpha: header.colourType === 4 || header.colourType === 6 || state.hasTransparency,
      isCmyk: false,
      hasDeepProfile: state.hasProfile && header.bitDepth === 16 && isColour(header),
      deflated: state.deflated,
    },
  };
}

function isColour({ colourType }: PngHeader): boolean {
  return colourType === 2 || colourType === 6;
}

function readHeader(state: PngState, data: Buffer): ImageFault | undefined {
  if (state.header !== undefined || data.length !== 13) return 'corrupt';
  const width = data.readUInt32BE(0);
  const height = data.readUInt32BE(4);
  const [bitDepth = -1, colourType = -1, compression, filter, interlace = -1] = data.subarray(8);
  const isValid =
    width >= 1 &&
    height >= 1 &&
    width <= MAX_PNG_CHUNK_BYTES &&
    height <= MAX_PNG_CHUNK_BYTES &&
    BIT_DEPTHS.get(colourType)?.includes(bitDepth) === true &&
    compression === 0 &&
    filter === 0 &&
    interlace <= 1;
  if (!isValid) return 'corrupt';
  state.header = { width, height, bitDepth, colourType };
  return undefined;
}

function readPalette(state: PngState, data: Buffer): ImageFault | undefined {
  const colourType = state.header?.colourType;
  const entries = data.length / 3;
  const isValid =
    state.pixels === 'before' &&
    state.paletteEntries === 0 &&
    colourType !== 0 &&
    colourType !== 4 &&
    Number.isInteger(entries) &&
    entries >= 1 &&
    entries <= 256;
  if (!isValid) return 'corrupt';
  state.paletteEntries = entries;
  return undefined;
}

/** Reads a `tRNS` chunk. An invalid chunk is ignored, as decoders do, because existing images have such chunks. */
function readTransparency(state: PngState, data: Buffer): undefined {
  const colourType = state.header?.colourType;
  const fits =
    (colourType === 0 && data.length === 2) ||
    (colourType === 2 && data.length === 6) ||
    (colourType === PALETTE && data.length >= 1 && data.length <= state.paletteEntries);
  if (fits && state.pixels === 'before') state.hasTransparency = true;
}

function readPixels(state: PngState): ImageFault | undefined {
  const lacksPalette = state.header?.colourType === PALETTE && state.paletteEntries === 0;
  if (state.pixels === 'after' || lacksPalette) return 'corrupt';
  state.pixels = 'inside';
  return undefined;
}

function readDeflated(state: PngState, data: Buffer, type: string): ImageFault | undefined {
  const stream = deflatedPart(type, data);
  if (stream === 'corrupt') return 'corrupt';
  if (stream !== 'plain') state.deflated.push(stream);
  if (type === 'iCCP') state.hasProfile = true;
  return state.deflated.length > MAX_STREAMS ? 'chunk_too_large' : undefined;
}

/**
 * Returns true for a valid `pHYs` chunk: pixels per unit in both directions, and the unit, none or the metre (PNG 3rd
 * edition, 11.3.4.3).
 */
function isDensity(data: Buffer): boolean {
  return data.length === 9 && data.readUInt8(8) <= 1;
}

function readExif(state: PngState, data: Buffer): undefined {
  state.orientation ??= exifOrientation(data);
}

/** The greatest inflated size of all texts and profiles of an image together (docs/contract.md, section 1). */
const MAX_INFLATED_BYTES = 4 * 1024 * 1024;
/** The longest deflate stream of 4 MiB. A longer stream inflates to more, or contains empty blocks that waste time. */
const MAX_DEFLATED_BYTES = MAX_INFLATED_BYTES + 64 * 1024;
/**
 * The most streams of an image, as many as libpng accepts. A limit is needed because even an empty stream takes time to
 * inflate.
 */
const MAX_STREAMS = 1000;

const inflate = promisify(inflateRaw);

/** Returns the raw deflate stream inside an `iCCP`, `zTXt` or `iTXt` chunk, or `plain` for a text that is not compressed. */
function deflatedPart(type: string, data: Buffer): Buffer | 'plain' | 'corrupt' {
  const stream = type === 'iTXt' ? internationalStream(data) : keywordedStream(data);
  if (stream === 'plain') return 'plain';
  // The zlib header is removed. The Adler-32 after the data is not checked (docs/contract.md, section 1).
  return stream !== 'corrupt' && isZlib(stream) ? stream.subarray(2) : 'corrupt';
}

/**
 * Inflates texts and profiles off the main thread, one after the other. Resolves with a fault if their total length exceeds 4
 * MiB.
 */
export async function checkInflatedSize(
  streams: readonly Buffer[],
  signal: AbortSignal,
): Promise<ImageFault | undefined> {
  const deflatedBytes = streams.reduce((sum, stream) => sum + stream.length, 0);
  if (deflatedBytes > MAX_DEFLATED_BYTES) return 'chunk_too_large';
  let left = MAX_INFLATED_BYTES;
  for (const stream of streams) {
    signal.throwIfAborted();
    try {
      const inflated = await inflate(stream, { maxOutputLength: Math.max(1, left) });
      left -= inflated.length;
    } catch (thrown) {
      return isTooLarge(thrown) ? 'chunk_too_large' : 'corrupt';
    }
  }
  return undefined;
}

/**
 * Returns the zlib stream of an `iCCP` or `zTXt` chunk: keyword, NUL, method 0, stream (PNG 3rd edition, 11.3.2.3 and
 * 11.3.3.3).
 */
function keywordedStream(data: Buffer): Buffer | 'corrupt' {
  const end = keywordEnd(data);
  return end === undefined || data[end + 1] !== 0 ? 'corrupt' : data.subarray(end + 2);
}

function internationalStream(data: Buffer): Buffer | 'plain' | 'corrupt' {
  const found = toInternationalText(data);
  if (found === undefined) return 'corrupt';
  if (found.flag === 0) return 'plain';
  return found.flag === 1 && found.method === 0 ? found.text : 'corrupt';
}

/** Returns true if the stream has a zlib header: deflate, no preset dictionary, divisible by 31 (RFC 1950, 2.2). */
function isZlib(stream: Buffer): boolean {
  const method = stream[0];
  const flags = stream[1];
  if (method === undefined || flags === undefined) return false;
  return (method & 0x0f) === 8 && (flags & 0x20) === 0 && (method * 256 + flags) % 31 === 0;
}

function isTooLarge(thrown: unknown): boolean {
  return thrown instanceof RangeError && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE';
}
