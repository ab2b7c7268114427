import type { Steps } from '../../platform/time-slices.ts';
import { isExif } from '../container/tiff.ts';
import {
  type Edit,
  type ExistingXmp,
  MAX_EXISTING,
  NOTHING,
  type XmpLocations,
} from '../xmp/xmp-locations.ts';
import {
  APP0,
  APP1,
  COM,
  EOI,
  type JpegSegment,
  jpegSegmentAt,
  mpfIndex,
  SOS,
} from './jpeg-segment.ts';

/**
 * The prefixes of a packet and of its extension, which has the parts that do not fit into one segment (XMP specification part
 * 3, 1.1.3).
 */
const PACKET_NAME = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
const EXTENSION_NAME = Buffer.from('http://ns.adobe.com/xmp/extension/\0', 'latin1');

export interface JpegXmpLocations extends XmpLocations {
  /**
   * End of the index of further images. Bytes after the index must keep their distance to it, because its offsets count from
   * there.
   */
  readonly indexEnd: number | undefined;
}

/**
 * Finds the XMP in a valid JPEG before its first scan. A new packet is inserted after the JFIF and EXIF segments at the start of
 * the file. Returns undefined if there are too many packets.
 */
export function* findJpegXmp(bytes: Buffer): Steps<JpegXmpLocations | undefined> {
  const existing: ExistingXmp[] = [];
  let insertAt = 2;
  let isHead = true;
  let indexEnd: number | undefined;
  for (let at = insertAt; ; ) {
    const segment = jpegSegmentAt(bytes, at);
    if (typeof segment === 'string' || existing.length > MAX_EXISTING) return undefined;
    const { marker, payload, end } = segment;
    if (marker === SOS || marker === EOI) return { insertAt, existing, indexEnd };
    const found = packetIn(segment);
    if (found !== undefined) existing.push(found);
    else isHead &&= marker === APP0 || (marker === APP1 && isExif(payload));
    if (found === undefined && isHead) insertAt = end;
    if (mpfIndex(segment) !== undefined) indexEnd ??= end;
    at = end;
    yield;
  }
}

/** Returns the edits that make `packet` the only XMP of the image. If `isKept`, the extension of the old packet stays. */
export function jpegXmpEdits(
  { insertAt, existing, indexEnd = Number.POSITIVE_INFINITY }: JpegXmpLocations,
  packet: Buffer,
  isKept: boolean,
): readonly Edit[] {
  const dropped = isKept ? existing.filter((one) => one.packet !== undefined) : existing;
  return [
    { start: insertAt, end: insertAt, insert: toSegment(APP1, [PACKET_NAME, packet]) },
    ...dropped.map(({ start, end }) => {
      const insert = start < indexEnd ? NOTHING : blank(end - start);
      return { start, end, insert };
    }),
  ];
}

function packetIn({ marker, payload, start, end }: JpegSegment): ExistingXmp | undefined {
  if (marker !== APP1) return undefined;
  if (beginsWith(payload, PACKET_NAME)) {
    return { start, end, packet: payload.subarray(PACKET_NAME.length) };
  }
  return beginsWith(payload, EXTENSION_NAME) ? { start, end, packet: undefined } : undefined;
}

function beginsWith(payload: Buffer, name: Buffer): boolean {
  return payload.subarray(0, name.length).equals(name);
}

/** Returns a comment segment of `length` bytes, including the fill bytes of the old segment. */
function blank(length: number): Buffer {
  const fill = Math.max(0, length - 2 - 0xffff);
  const comment = toSegment(COM, [Buffer.alloc(length - fill - 4, ' ')]);
  return Buffer.concat([Buffer.alloc(fill, 0xff), comment]);
}

function toSegment(marker: number, payload: readonly Buffer[]): Buffer {
  const length = payload.reduce((sum, part) => sum + part.length, 2);
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), ...payload]);
}
