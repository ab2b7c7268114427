import type { Edges } from '../image.ts';
import { jpegSegmentAt, SOS } from '../jpeg/jpeg-segment.ts';
import { FIRST_WEBP_CHUNK_AT, losslessFrame, lossyFrame, webpChunkAt } from '../webp/webp-chunk.ts';
import { sniff } from './check-container.ts';

/** PNG 3rd edition, 5.2 and 11.2.1: signature, length and type of IHDR, then both edges. */
const PNG_WIDTH_AT = 16;
/** The most segments that are searched for the frame of a JPEG, because the metadata before it has no limit. */
const MAX_SEGMENTS = 4096;

/**
 * Returns the dimensions that the header of an image states, in pixels, before the rotation by EXIF. Returns undefined if the
 * header is not readable; such an image is never decoded. Reads only a few bytes and checks nothing else.
 */
export function headerEdges(bytes: Buffer): Edges | undefined {
  const format = sniff(bytes);
  if (format === 'png') return inPng(bytes);
  if (format === 'jpeg') return inJpeg(bytes);
  return format === 'webp' ? inWebp(bytes) : undefined;
}

function inPng(bytes: Buffer): Edges | undefined {
  if (bytes.length < PNG_WIDTH_AT + 8) return undefined;
  return {
    width: bytes.readUInt32BE(PNG_WIDTH_AT),
    height: bytes.readUInt32BE(PNG_WIDTH_AT + 4),
  };
}

function inJpeg(bytes: Buffer): Edges | undefined {
  for (let at = 2, segments = 0; segments < MAX_SEGMENTS; segments += 1) {
    const segment = jpegSegmentAt(bytes, at);
    if (typeof segment === 'string' || segment.marker === SOS) return undefined;
    const { marker, payload, end } = segment;
    if (isFrame(marker)) {
      if (payload.length < 5) return undefined;
      return { width: payload.readUInt16BE(3), height: payload.readUInt16BE(1) };
    }
    at = end;
  }
  return undefined;
}

/** Returns true for the markers SOF0 to SOF15, except DHT, JPG and DAC (ITU T.81, table B.1). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function inWebp(bytes: Buffer): Edges | undefined {
  const chunk = webpChunkAt(bytes, FIRST_WEBP_CHUNK_AT, bytes.length);
  if (typeof chunk === 'string') return undefined;
  const { type, data } = chunk;
  if (type === 'VP8 ') return lossyFrame(data);
  if (type === 'VP8L') return losslessFrame(data);
  // RFC 9649, 2.7: flags, three reserved bytes, both edges minus one.
  if (type !== 'VP8X' || data.length < 10) return undefined;
  return { width: 1 + data.readUIntLE(4, 3), height: 1 + data.readUIntLE(7, 3) };
}
