import { isUtf8 } from 'node:buffer';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type HeaderValue, parseHeaderValue } from '../header-value.ts';
import { isUtf8Name, notUtf8 } from './media-types.ts';

/** The used facts of the head of a part of a form. */
export interface PartHead {
  readonly name: string;
  readonly isFile: boolean;
  /** True for a file with an empty name. If the content is empty too, a browser sent the part because no file was chosen. */
  readonly isNameless: boolean;
}

// Bytes that are not UTF-8 are decoded to this character.
const REPLACEMENT = '\ufffd';
const HEADER = /^([\w!#$%&'*+.^`|~-]+):(.*)$/s;
const CONTROL = /[^\P{Cc}\t]/u;
const TEXT_TYPE = /^(text\/.*|application\/json)$/;
const PLAIN_ENCODING = /^(7bit|8bit|binary)$/i;

/**
 * Parses the head of a part, which is the text between the delimiter and the blank line. A part with a filename is a file;
 * without a filename, the media type decides. A filename is only for display and may have any encoding. Throws
 * `malformed_request`, and `unsupported_media_type` for text in a charset other than UTF-8, for encoded content and for
 * nested
 * parts (RFC 7578, sections 4.3, 4.7, 4.8).
 */
export function parsePartHead(head: Buffer): PartHead {
  const headers = headersOf(head.toString('utf8'));
  const disposition = parsedHeader(headers, 'content-disposition');
  const name = disposition?.parameters.get('name');
  if (disposition?.value !== 'form-data' || !name) {
    throw malformed('a part has no content-disposition: form-data with a name');
  }
  if (name.includes(REPLACEMENT) && !isUtf8(head)) {
    throw malformed('the name of a part is not valid UTF-8');
  }
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!PLAIN_ENCODING.test(encoding)) {
    throw unsupported('content-transfer-encoding must be 7bit, 8bit or binary');
  }
  const type = parsedHeader(headers, 'content-type');
  if (type?.value.startsWith('multipart/')) throw unsupported('a part must not contain parts');
  const { parameters } = disposition;
  const filename = parameters.get('filename') ?? parameters.get('filename*');
  const isFile = filename !== undefined || (type !== undefined && !TEXT_TYPE.test(type.value));
  if (!isFile && !isUtf8Name(type?.parameters.get('charset') ?? 'utf-8')) throw notUtf8();
  return { name, isFile, isNameless: filename === '' };
}

/** Returns trimmed header values by lowercase names. */
function headersOf(text: string): ReadonlyMap<string, string> {
  // The first line is the remainder of the delimiter line.
  const [padding = '', ...lines] = text.split('\r\n');
  if (!/^[ \t]*$/.test(padding)) throw malformed('a delimiter is not alone on its line');
  const headers = new Map<string, string>();
  for (const line of lines) {
    if (CONTROL.test(line)) throw malformed('the head of a part contains a control character');
    const [, name, value = ''] = HEADER.exec(line) ?? [];
    if (name === undefined)
      throw malformed('the head of a part contains a line that is not a header');
    if (headers.has(name.toLowerCase())) throw malformed('a part repeats a header');
    headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

/** Parses a header. Returns undefined if the header is absent or empty. */
function parsedHeader(headers: ReadonlyMap<string, string>, name: string): HeaderValue | undefined {
  const text = headers.get(name);
  if (!text) return undefined;
  const value = parseHeaderValue(text);
  if (!value) throw malformed(`the ${name} of a part is not well-formed`);
  return value;
}

function malformed(message: string): BridgeError {
  return new BridgeError('malformed_request', message);
}

function unsupported(message: string): BridgeError {
  return new BridgeError('unsupported_media_type', message);
}
