import { promisify } from 'node:util';
import { crc32, inflateRaw, inflateSync } from 'node:zlib';
import type { ReadableBytes } from '../../platform/byte-parts.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { Edges, ImageFault } from '../image.ts';
import {
  type ContainerFormat,
  type ContainerVerdict,
  type ContainerXmp,
  createManifestParts,
  type ExistingXmp,
  isManifest,
  MAX_EXISTING,
  MAX_PACKET_BYTES,
  refused,
  removal,
  type Span,
} from './container-format.ts';
import { exifOrientation } from './tiff.ts';

export const pngContainer: ContainerFormat = {
  check,
  headerEdges,
  findManifests,
  manifestStore,
  manifestRemovals: (_, spans) => spans.map(removal),
  findXmp,
};

interface PngChunk {
  readonly type: string;
  readonly data: Buffer;
  /** Positions of the first byte of the length field and of the first byte after the CRC. */
  readonly start: number;
  readonly end: number;
}

/** The position of the first chunk, after the signature. */
export const PNG_SIGNATURE_BYTES = 8;
/** The maximum length of the data of a chunk in bytes (PNG 3rd edition, 5.3). */
const MAX_CHUNK_BYTES = 2 ** 31 - 1;

/** The number of bytes for length, type and CRC around the data of a chunk. */
const FRAME_BYTES = 12;

/** Returns the position after the chunk that begins at `start`. */
function pngChunkEnd(bytes: ReadableBytes, start: number): number | ImageFault {
  if (start + FRAME_BYTES > bytes.length) return 'truncated';
  const length = bytes.readUInt32BE(start);
  const end = start + FRAME_BYTES + length;
  if (length > MAX_CHUNK_BYTES) return 'corrupt';
  return end > bytes.length ? 'truncated' : end;
}

/** Reads the chunk at `start`. The CRC is not checked. */
export function pngChunkAt(bytes: ReadableBytes, start: number): PngChunk | ImageFault {
  const end = pngChunkEnd(bytes, start);
  return typeof end === 'string' ? end : toChunk(bytes, start, end);
}

function toChunk(bytes: ReadableBytes, start: number, end: number): PngChunk {
  const type = bytes.subarray(start + 4, start + 8).toString('latin1');
  return { type, data: bytes.subarray(start + 8, end - 4), start, end };
}

/** An `iTXt` chunk: keyword, NUL, flag, method, language, NUL, translated keyword, NUL, text (PNG 3rd edition, 11.3.3.4). */
interface InternationalText {
  readonly keyword: string;
  readonly flag: number;
  readonly method: number;
  /** UTF-8 text, as a zlib stream if `flag` is 1. */
  readonly text: Buffer;
}

const MAX_KEYWORD_BYTES = 79;
/** Printable Latin-1 characters. Spaces must be single and must be between other characters. */
const KEYWORD = /^[!-~\xa1-\xff]+(?: [!-~\xa1-\xff]+)*$/;

/** Parses an `iTXt` chunk. Returns undefined if the chunk is invalid. */
function toInternationalText(data: Buffer): InternationalText | undefined {
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

/** Returns the position of the NUL after a valid keyword of a text chunk, otherwise undefined (PNG 3rd edition, 11.3.3.2). */
function keywordEnd(data: Buffer): number | undefined {
  const end = data.subarray(0, MAX_KEYWORD_BYTES + 1).indexOf(0);
  return end >= 1 && KEYWORD.test(data.toString('latin1', 0, end)) ? end : undefined;
}

/** Returns true for a valid `tEXt` chunk: keyword, NUL, and text without a NUL. */
function isPlainText(data: Buffer): boolean {
  const end = keywordEnd(data);
  return end !== undefined && !data.includes(0, end + 1);
}

interface PngHeader extends Edges {
  readonly bitDepth: number;
  readonly colourType: number;
}

/** The facts from the chunks read so far. */
interface PngState {
  readonly seen: Set<string>;
  header?: PngHeader;
  paletteEntries: number;
  pixels: 'before' | 'inside' | 'after';
  hasTransparency: boolean;
  orientation?: number;
  readonly deflated: Buffer[];
}

type ChunkRule = (state: PngState, data: Buffer, type: string) => ImageFault | undefined;

const CRC_STEP_BYTES = 8 * 1024 * 1024;
const PALETTE = 3;

/** The permitted bit depths of each colour type (PNG 3rd edition, table 12). */
const BIT_DEPTHS: ReadonlyMap<number, readonly number[]> = new Map([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [PALETTE, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);

/**
 * Chunks that may occur at most once in an image (PNG 3rd edition, 5.6). If such a chunk is repeated, decoders read only the
 * first or only the last.
 */
const ONCE = ['cHRM', 'gAMA', 'iCCP', 'sRGB', 'sBIT', 'bKGD', 'hIST', 'pHYs', 'tIME'];

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
  // Pixels per unit in both directions, and the unit: unknown (0) or the metre (1) (PNG 3rd edition, 11.3.4.3).
  ['pHYs', (_state, data) => (data.length === 9 && Number(data[8]) <= 1 ? undefined : 'corrupt')],
  ['eXIf', readExif],
]);

/**
 * Checks a PNG from its signature to its last byte: the lengths, every CRC, the order of the chunks, and the texts. The pixels
 * are not decoded.
 */
function* check(bytes: Buffer): Steps<ContainerVerdict> {
  const state: PngState = {
    seen: new Set(),
    paletteEntries: 0,
    pixels: 'before',
    hasTransparency: false,
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
  if (ONCE.includes(type)) {
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
  const { width, height, colourType, bitDepth } = header;
  const { seen, orientation, deflated } = state;
  const hasAlpha = colourType === 4 || colourType === 6 || state.hasTransparency;
  const isColour = colourType === 2 || colourType === 6;
  const hasDeepProfile = seen.has('iCCP') && bitDepth === 16 && isColour;
  return { ok: true, facts: { width, height, orientation, hasAlpha, hasDeepProfile, deflated } };
}

function readHeader(state: PngState, data: Buffer): ImageFault | undefined {
  if (state.header !== undefined || data.length !== 13) return 'corrupt';
  const width = data.readUInt32BE(0);
  const height = data.readUInt32BE(4);
  const [bitDepth = -1, colourType = -1, compression, filter, interlace = -1] = data.subarray(8);
  const isValid =
    width >= 1 &&
    height >= 1 &&
    width <= MAX_CHUNK_BYTES &&
    height <= MAX_CHUNK_BYTES &&
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

/** Reads a `tRNS` chunk. Ignores an invalid chunk like decoders do, because some existing images contain an invalid chunk. */
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
  const stream = zlibStream(type, data);
  if (stream === 'plain') return undefined;
  if (stream === 'corrupt' || !hasZlibHeader(stream)) return 'corrupt';
  // The zlib header is removed. The Adler-32 after the data is not checked.
  state.deflated.push(stream.subarray(2));
  return state.deflated.length > MAX_STREAMS ? 'chunk_too_large' : undefined;
}

function readExif(state: PngState, data: Buffer): undefined {
  state.orientation ??= exifOrientation(data);
}

/** The maximum total size of all inflated texts and profiles of an image (docs/contract.md, section 1). */
const MAX_INFLATED_BYTES = 4 * 1024 * 1024;
/**
 * The maximum length of a deflate stream that inflates to 4 MiB. A longer stream inflates to more than 4 MiB, or contains empty
 * blocks that waste time.
 */
const MAX_DEFLATED_BYTES = MAX_INFLATED_BYTES + 64 * 1024;
/** The maximum number of deflate streams in an image, the same as in libpng. Even an empty stream takes time to inflate. */
const MAX_STREAMS = 1000;

const inflate = promisify(inflateRaw);

/** Returns the zlib stream inside an `iCCP`, `zTXt` or `iTXt` chunk, or `plain` for a text that is not compressed. */
function zlibStream(type: string, data: Buffer): Buffer | 'plain' | 'corrupt' {
  if (type === 'iTXt') {
    const found = toInternationalText(data);
    if (found?.flag === 0) return 'plain';
    return found?.flag === 1 && found.method === 0 ? found.text : 'corrupt';
  }
  // Keyword, NUL, method 0, stream (PNG 3rd edition, 11.3.2.3 and 11.3.3.3).
  const end = keywordEnd(data);
  return end === undefined || data[end + 1] !== 0 ? 'corrupt' : data.subarray(end + 2);
}

/**
 * Inflates texts and profiles off the main thread, one after the other. Resolves with a fault if the total inflated length exceeds
 * 4 MiB. Otherwise resolves with undefined.
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
      return errorCode(thrown) === 'ERR_BUFFER_TOO_LARGE' ? 'chunk_too_large' : 'corrupt';
    }
  }
  return undefined;
}

/**
 * Returns true if the stream begins with a zlib header: the method is deflate, there is no preset dictionary, and the header is
 * divisible by 31 (RFC 1950, 2.2).
 */
function hasZlibHeader([method = 0, flags = 0]: Buffer): boolean {
  return (method & 0x0f) === 8 && (flags & 0x20) === 0 && (method * 256 + flags) % 31 === 0;
}

/** The position of width and height in the file: after the signature and the length and type of IHDR. */
const EDGES_AT = 16;

function headerEdges(bytes: Buffer): Edges | undefined {
  if (bytes.length < EDGES_AT + 8) return undefined;
  return { width: bytes.readUInt32BE(EDGES_AT), height: bytes.readUInt32BE(EDGES_AT + 4) };
}

const CABX = Buffer.from('caBX').readUInt32BE();
const IDAT = Buffer.from('IDAT').readUInt32BE();
const IEND = Buffer.from('IEND').readUInt32BE();

/** Finds the `caBX` chunks with manifests (C2PA specification, A.3). Most images have hundreds of other chunks. */
function* findManifests(bytes: Buffer): Steps<readonly Span[] | undefined> {
  const found = createManifestParts();
  for (let start = PNG_SIGNATURE_BYTES; ; ) {
    const end = pngChunkEnd(bytes, start);
    if (typeof end === 'string') return [];
    const type = bytes.readUInt32BE(start + 4);
    if (type === IEND) return found.all();
    if (type === CABX && isManifest(bytes.subarray(start + 8, end - 4))) found.add({ start, end });
    start = end;
    yield;
  }
}

function* manifestStore(bytes: Buffer, spans: readonly Span[]): Steps<Buffer | undefined> {
  const [span, ...others] = spans;
  if (span === undefined || others.length > 0) return undefined;
  // One chunk is one step.
  yield;
  const chunk = pngChunkAt(bytes, span.start);
  return typeof chunk === 'string' || chunk.end !== span.end ? undefined : chunk.data;
}

const XMP_KEYWORD = 'XML:com.adobe.xmp';
/**
 * The type of an XMP chunk and the start of its data: not compressed, no language, no translated keyword (XMP specification
 * part 3, 1.1.5).
 */
const XMP_HEAD = Buffer.from(`iTXt${XMP_KEYWORD}\0\0\0\0\0`, 'latin1');

/** Finds the XMP packets. A new packet is inserted before the pixels. */
function* findXmp(bytes: ReadableBytes): Steps<ContainerXmp | undefined> {
  const existing: ExistingXmp[] = [];
  let pixelsAt: number | undefined;
  for (let start = PNG_SIGNATURE_BYTES; ; ) {
    const end = pngChunkEnd(bytes, start);
    if (typeof end === 'string' || existing.length > MAX_EXISTING) return undefined;
    const type = bytes.readUInt32BE(start + 4);
    if (type === IEND) break;
    if (type === IDAT) pixelsAt ??= start;
    // Most images have hundreds of IDAT chunks.
    const found = type === IDAT ? undefined : packetIn(toChunk(bytes, start, end));
    if (found !== undefined) existing.push({ start, end, packet: found.packet });
    start = end;
    yield;
  }
  if (pixelsAt === undefined) return undefined;
  const insertAt = pixelsAt;
  return {
    existing,
    replaceWith: ({ bytes: packet }) => [
      { start: insertAt, end: insertAt, insert: toXmpChunk(packet) },
      ...existing.map(removal),
    ],
  };
}

/**
 * Returns the packet in a text chunk. The XMP specification permits only `iTXt`, but some writers use the older kinds of text, and
 * readers find these packets too. Returns undefined if the chunk has no packet.
 */
function packetIn({ type, data }: PngChunk): { readonly packet: Buffer | undefined } | undefined {
  switch (type) {
    case 'iTXt': {
      const found = toInternationalText(data);
      if (found?.keyword !== XMP_KEYWORD) return undefined;
      return { packet: found.flag === 0 ? found.text : inflated(found.text) };
    }
    case 'tEXt':
      return isXmp(data) ? { packet: data.subarray(XMP_KEYWORD.length + 1) } : undefined;
    case 'zTXt':
      return isXmp(data) ? { packet: inflated(data.subarray(XMP_KEYWORD.length + 2)) } : undefined;
    default:
      return undefined;
  }
}

function isXmp(data: Buffer): boolean {
  return data.toString('latin1', 0, XMP_KEYWORD.length + 1) === `${XMP_KEYWORD}\0`;
}

/** Inflates a packet. Returns undefined if the stream is invalid, or if the stream or the packet is too long. */
function inflated(stream: Buffer): Buffer | undefined {
  if (stream.length > MAX_PACKET_BYTES) return undefined;
  try {
    return inflateSync(stream, { maxOutputLength: MAX_PACKET_BYTES });
  } catch {
    return undefined;
  }
}

function toXmpChunk(packet: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(XMP_HEAD.length - 4 + packet.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(packet, crc32(XMP_HEAD)));
  return Buffer.concat([length, XMP_HEAD, packet, crc]);
}
