import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { Steps } from '../../platform/time-slices.ts';
import { EOI, type JpegSegment, jpegSegmentAt, SOS } from '../jpeg/jpeg-segment.ts';
import { PNG_SIGNATURE_BYTES, pngChunkAt } from '../png/png-chunk.ts';
import { FIRST_WEBP_CHUNK_AT, nextWebpChunkAt, webpChunkAt } from '../webp/webp-chunk.ts';

const APP11 = 0xeb;
/** The position of the box type, after `JP`, an instance, a sequence number and the length of the box (ISO/IEC 19566-5, D.2). */
const BOX_TYPE_AT = 12;

const FINDERS: Readonly<Record<OutputFormat, (bytes: Buffer) => Steps<boolean>>> = {
  png: inPng,
  jpeg: inJpeg,
  webp: inWebp,
};

/**
 * Returns true if a valid image has a signed C2PA manifest, which any change to the file makes invalid. The manifest is in a
 * PNG chunk `caBX`, a JPEG segment APP11 with JUMBF, or a WebP chunk `C2PA` (C2PA specification, A.3).
 */
export function hasManifest(bytes: Buffer, format: OutputFormat): Steps<boolean> {
  return FINDERS[format](bytes);
}

function* inPng(bytes: Buffer): Steps<boolean> {
  for (let at = PNG_SIGNATURE_BYTES; ; ) {
    const chunk = pngChunkAt(bytes, at);
    if (typeof chunk === 'string' || chunk.type === 'IEND') return false;
    if (chunk.type === 'caBX') return true;
    at = chunk.end;
    yield;
  }
}

function* inJpeg(bytes: Buffer): Steps<boolean> {
  for (let at = 2; ; ) {
    const segment = jpegSegmentAt(bytes, at);
    if (typeof segment === 'string') return false;
    if (segment.marker === SOS || segment.marker === EOI) return false;
    if (isJumbf(segment)) return true;
    at = segment.end;
    yield;
  }
}

function isJumbf({ marker, payload }: JpegSegment): boolean {
  if (marker !== APP11 || payload.toString('latin1', 0, 2) !== 'JP') return false;
  return payload.toString('latin1', BOX_TYPE_AT, BOX_TYPE_AT + 4) === 'jumb';
}

function* inWebp(bytes: Buffer): Steps<boolean> {
  for (let at = FIRST_WEBP_CHUNK_AT; at < bytes.length; ) {
    const chunk = webpChunkAt(bytes, at, bytes.length);
    if (typeof chunk === 'string') return false;
    if (chunk.type === 'C2PA') return true;
    at = nextWebpChunkAt(chunk);
    yield;
  }
  return false;
}
