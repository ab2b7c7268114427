import { crc32 } from 'node:zlib';
import type { Steps } from '../../platform/time-slices.ts';
import { type ContainerVerdict, refused } from '../container/container-facts.ts';
import { exifOrientation } from '../container/exif-orientation.ts';
import type { ImageFault } from '../image.ts';
import { MAX_PNG_CHUNK_BYTES, PNG_SIGNATURE_BYTES, pngChunkAt } from './png-chunk.ts';
import { deflatedPart, MAX_STREAMS } from './png-inflated.ts';
import { isPlainText } from './png-text.ts';

interface PngHeader {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colourType: number;
}

/** What was read from the chunks so far. */
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

/** PNG 3rd edition, table 12: the bit depths of each colour type. */
const BIT_DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [PALETTE, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

/** Chunks that an image has at most once (PNG 3rd edition, 5.6), if decoders read only the first or the last one. */
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

/** Checks a PNG from its signature to its last byte: lengths, every CRC, order, texts. Its pixels are not decoded. */
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

/** An invalid one is ignored, as decoders do: existing images have it. */
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

/** PNG 3rd edition, 11.3.4.3: pixels per unit in both directions, and the unit: none or the metre. */
function isDensity(data: Buffer): boolean {
  return data.length === 9 && data.readUInt8(8) <= 1;
}

function readExif(state: PngState, data: Buffer): undefined {
  state.orientation ??= exifOrientation(data);
}
