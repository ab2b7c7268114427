import { crc32, inflateSync } from 'node:zlib';
import type { Steps } from '../../platform/time-slices.ts';
import {
  type Edit,
  type ExistingXmp,
  MAX_EXISTING,
  MAX_PACKET_BYTES,
  NOTHING,
  type XmpLocations,
} from '../xmp/xmp-locations.ts';
import {
  PNG_SIGNATURE_BYTES,
  type PngChunk,
  pngChunkAt,
  toInternationalText,
} from './png-chunk.ts';

const KEYWORD = 'XML:com.adobe.xmp';
/**
 * The type and the start of an XMP chunk: not compressed, no language, no translated keyword (XMP specification part 3,
 * 1.1.5).
 */
const HEAD = Buffer.from(`iTXt${KEYWORD}\0\0\0\0\0`, 'latin1');

/** Finds the XMP in a valid PNG. A new packet is inserted before the pixels. Returns undefined if there are too many packets. */
export function* findPngXmp(bytes: Buffer): Steps<XmpLocations | undefined> {
  const existing: ExistingXmp[] = [];
  let pixelsAt: number | undefined;
  for (let at = PNG_SIGNATURE_BYTES; ; ) {
    const chunk = pngChunkAt(bytes, at);
    if (typeof chunk === 'string' || existing.length > MAX_EXISTING) return undefined;
    const { type, start, end } = chunk;
    if (type === 'IEND') break;
    if (type === 'IDAT') pixelsAt ??= start;
    if (type === 'iTXt') existing.push(...packetsIn(chunk));
    at = end;
    yield;
  }
  return pixelsAt === undefined ? undefined : { insertAt: pixelsAt, existing };
}

/** Returns the edits that make `packet` the only XMP of the image. */
export function pngXmpEdits({ insertAt, existing }: XmpLocations, packet: Buffer): readonly Edit[] {
  const inserted = { start: insertAt, end: insertAt, insert: toChunk(packet) };
  return [inserted, ...existing.map(({ start, end }) => ({ start, end, insert: NOTHING }))];
}

function packetsIn({ data, start, end }: PngChunk): readonly ExistingXmp[] {
  const found = toInternationalText(data);
  if (found?.keyword !== KEYWORD) return [];
  return [{ start, end, packet: found.flag === 0 ? found.text : inflated(found.text) }];
}

/** Inflates a packet. Returns undefined for an invalid zlib stream, or one that is longer than `MAX_PACKET_BYTES`. */
function inflated(stream: Buffer): Buffer | undefined {
  if (stream.length > MAX_PACKET_BYTES) return undefined;
  try {
    return inflateSync(stream, { maxOutputLength: MAX_PACKET_BYTES });
  } catch {
    return undefined;
  }
}

function toChunk(packet: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(HEAD.length - 4 + packet.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(packet, crc32(HEAD)));
  return Buffer.concat([length, HEAD, packet, crc]);
}
