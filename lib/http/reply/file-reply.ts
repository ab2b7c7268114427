import { BridgeError } from '../../errors/bridge-error.ts';
import type { HttpEvent } from '../http-event.ts';
import { bytes as bytesReply, isKnown, type Reply } from './reply.ts';

/** A file whose bytes never change under its URL. */
export interface ImmutableFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** The etag, including the quotes. */
  readonly etag: string;
  /** A filename that contains only portable characters. */
  readonly filename: string;
  readonly disposition: 'inline' | 'attachment';
}

const NOT_MODIFIED = { status: 304, description: 'The cached copy of the client is current.' };
const HEADERS = { etag: 'The quoted SHA-256 of the bytes.' };
const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** The replies of an operation that calls `fileReply` for an image. */
export const IMAGE_FILE = {
  status: 200,
  mediaTypes: MEDIA_TYPES,
  headers: HEADERS,
  also: [
    { status: 206, description: 'One range of the bytes.', mediaTypes: MEDIA_TYPES },
    NOT_MODIFIED,
    {
      status: 307,
      description:
        'The image is at the address in `location` for 60 seconds, and no token is needed there.',
    },
  ],
};

/**
 * Returns true if the whole file may be delivered from another address: the client downloads the file, asks for no range, has no
 * copy, and does not forbid redirects.
 */
export function mayRedirect({
  headers,
  requestContext: { http },
}: Pick<HttpEvent, 'headers' | 'requestContext'>): boolean {
  return (
    http.method === 'GET' &&
    headers['range'] === undefined &&
    headers['if-none-match'] === undefined &&
    headers['x-artifact-redirect'] === undefined
  );
}

/** Returns a redirect to an address that expires. */
export function redirectReply(location: string): Reply<never> {
  return bytesReply(undefined, { location, 'cache-control': 'no-store' }, 307);
}

/** Returns the headers that describe a file to a browser. */
export function describeFile({
  mediaType,
  disposition,
  filename,
}: Pick<ImmutableFile, 'mediaType' | 'disposition' | 'filename'>) {
  return {
    'content-type': mediaType,
    'content-disposition': `${disposition}; filename="${filename}"`,
  };
}

/** The replies of an operation that calls `wholeFileReply` for a thumbnail. */
export const THUMBNAIL_FILE = {
  status: 200,
  description:
    'A verified PNG in sRGB with alpha, rotated according to the EXIF orientation of the image.',
  mediaTypes: ['image/png'],
  headers: HEADERS,
  also: [NOT_MODIFIED],
};

/** Returns a reply with a whole file, one range of the file, or 304. Throws `range_not_satisfiable`. */
export function fileReply(
  requestHeaders: Readonly<Record<string, string | undefined>>,
  file: ImmutableFile,
): Reply<never> {
  const known = isKnown(requestHeaders['if-none-match'], file.etag);
  const range = known ? undefined : rangeOf(requestHeaders, file.etag, file.bytes.byteLength);
  const whole = wholeFileReply(requestHeaders, file);
  const headers = { ...whole.headers, 'accept-ranges': 'bytes' };
  if (range === undefined) return { ...whole, headers };
  const part = file.bytes.subarray(range.first, range.last + 1);
  const partial = {
    ...headers,
    'content-length': String(part.byteLength),
    'content-range': `bytes ${range.first}-${range.last}/${file.bytes.byteLength}`,
  };
  return bytesReply(part, partial, 206);
}

/** Returns a reply with a whole file or 304. A requested range is ignored, as RFC 9110, section 14.2 allows. */
export function wholeFileReply(
  requestHeaders: Readonly<Record<string, string | undefined>>,
  file: ImmutableFile,
): Reply<never> {
  const headers = {
    etag: file.etag,
    'cache-control': 'private, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    // An image that is opened as a page must not run scripts or load resources.
    'content-security-policy': "default-src 'none'; sandbox",
  };
  if (isKnown(requestHeaders['if-none-match'], file.etag)) {
    return bytesReply(undefined, headers, 304);
  }
  const described = {
    ...headers,
    ...describeFile(file),
    'content-length': String(file.bytes.byteLength),
  };
  return bytesReply(file.bytes, described);
}

function rangeOf(
  headers: Readonly<Record<string, string | undefined>>,
  etag: string,
  size: number,
): ByteRange | undefined {
  // The client has another version of the file, to which the client cannot append this range (RFC 9110, section 13.1.5).
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined;
  const range = parseRange(headers['range'], size);
  if (range !== 'unsatisfiable') return range;
  throw new BridgeError('range_not_satisfiable', 'the range is outside the file', {
    headers: { 'content-range': `bytes */${size}` },
  });
}

/** A range of bytes. Both ends are inclusive. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses the header `Range` for a file of `size` bytes (RFC 9110, section 14.1.2). Returns undefined if the whole file is to be
 * sent, because the header is missing, has another unit or lists several ranges.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  if (header === undefined || !/^bytes\s*=/i.test(header)) return undefined;
  const spec = header.slice(header.indexOf('=') + 1).trim();
  if (spec.includes(',')) return undefined;
  const match = /^(\d*)-(\d*)$/.exec(spec);
  const [from, to] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (!match || (from === '' && to === '')) return 'unsatisfiable';
  // Positions of any length are valid. A number that is too large for a double becomes Infinity, which exceeds every size.
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first >= size || (to !== '' && Number(to) < first)) return 'unsatisfiable';
  return { first, last };
}
