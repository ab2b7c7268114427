import type { Steps } from '../../platform/time-slices.ts';
import {
  type Edit,
  type ExistingXmp,
  growth,
  MAX_EXISTING,
  NOTHING,
  type XmpLocations,
} from '../xmp/xmp-locations.ts';
import {
  ALPHA_FLAG,
  FIRST_WEBP_CHUNK_AT,
  losslessFrame,
  lossyFrame,
  nextWebpChunkAt,
  type WebpChunk,
  type WebpFrame,
  webpChunkAt,
  XMP_FLAG,
} from './webp-chunk.ts';

export interface WebpXmpLocations extends XmpLocations {
  /** First chunk: VP8X, or the frame in a simple file. */
  readonly first: WebpChunk;
}

const SIZE_AT = 4;

/** Finds the XMP in a valid WebP. A new packet is appended to the file. Returns undefined if there are too many packets. */
export function* findWebpXmp(bytes: Buffer): Steps<WebpXmpLocations | undefined> {
  const existing: ExistingXmp[] = [];
  const first = webpChunkAt(bytes, FIRST_WEBP_CHUNK_AT, bytes.length);
  if (typeof first === 'string') return undefined;
  for (let at = FIRST_WEBP_CHUNK_AT; at < bytes.length; ) {
    const chunk = webpChunkAt(bytes, at, bytes.length);
    if (typeof chunk === 'string' || existing.length > MAX_EXISTING) return undefined;
    at = nextWebpChunkAt(chunk);
    const { type, start, data } = chunk;
    if (type === 'XMP ') existing.push({ start, end: Math.min(at, bytes.length), packet: data });
    yield;
  }
  return { insertAt: bytes.length, existing, first };
}

/** Returns the edits that make `packet` the only XMP of the image. A simple file becomes an extended file. */
export function webpXmpEdits(
  { insertAt, existing, first }: WebpXmpLocations,
  packet: Buffer,
): readonly Edit[] {
  const content: Edit[] = [
    toExtended(first),
    ...existing.map(({ start, end }) => ({ start, end, insert: NOTHING })),
  ];
  // A missing padding of the last chunk is added, unless this chunk is removed.
  const endsOdd = insertAt % 2 === 1 && existing.at(-1)?.end !== insertAt;
  const pad = Buffer.alloc(endsOdd ? 1 : 0);
  const insert = Buffer.concat([pad, toChunk('XMP ', packet)]);
  content.push({ start: insertAt, end: insertAt, insert });
  const size = Buffer.alloc(4);
  size.writeUInt32LE(insertAt + growth(content) - 8);
  return [{ start: SIZE_AT, end: SIZE_AT + 4, insert: size }, ...content];
}

/**
 * Sets the XMP flag of VP8X, or adds a VP8X to a simple file. The added VP8X has flags for alpha and XMP only, because decoders
 * ignore all other chunks of a simple file.
 */
function toExtended({ type, data, start }: WebpChunk): Edit {
  if (type === 'VP8X') {
    const at = start + 8;
    return { start: at, end: at + 1, insert: Buffer.from([(data[0] ?? 0) | XMP_FLAG]) };
  }
  const frame = type === 'VP8L' ? losslessFrame(data) : lossyFrame(data);
  return { start, end: start, insert: frame === undefined ? NOTHING : toCanvas(frame) };
}

/** Returns a VP8X chunk: flags, three reserved bytes, width and height minus one (RFC 9649, 2.7). */
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
