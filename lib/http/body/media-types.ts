import { isAscii, isUtf8 } from 'node:buffer';
import { BridgeError } from '../../errors/bridge-error.ts';
import { parsePair, splitHeader } from '../../platform/header-text.ts';

// RFC 2046, section 5.1.1 allows fewer characters, but clients also use the other characters of this pattern.
const BOUNDARY = /^[\x20-\x7e]{0,69}[\x21-\x7e]$/;

export function isJson(contentType: string | undefined): boolean {
  // Most clients send exactly this text, which needs no parsing.
  if (contentType === 'application/json') return true;
  const parsed = parseHeaderValue(contentType ?? '');
  if (parsed?.value !== 'application/json') return false;
  const { charset = 'utf-8', ...others } = Object.fromEntries(parsed.parameters);
  return Object.keys(others).length === 0 && isUtf8Charset(charset);
}

/**
 * Returns the boundary between the parts of a form, or undefined for any other media type. Throws `malformed_request` if the
 * boundary does not have 1 to 70 characters, and `unsupported_media_type` if the charset is not UTF-8.
 */
export function boundaryOf(contentType = ''): string | undefined {
  const [type = ''] = splitHeader(contentType, ';');
  if (type.toLowerCase() !== 'multipart/form-data') return undefined;
  const parameters = parseHeaderValue(contentType)?.parameters;
  const boundary = parameters?.get('boundary');
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    const message = 'content-type has no boundary of 1 to 70 characters';
    throw new BridgeError('malformed_request', message);
  }
  if (!isUtf8Name(parameters?.get('charset') ?? 'utf-8')) throw notUtf8();
  return boundary;
}

/** Returns true if the charset is UTF-8 or US-ASCII, a subset of UTF-8. */
export function isUtf8Name(charset: string): boolean {
  return isUtf8Charset(charset) || /^us-ascii$/i.test(charset);
}

function isUtf8Charset(charset: string): boolean {
  return /^utf-?8$/i.test(charset);
}

export function notUtf8(): BridgeError {
  return new BridgeError('unsupported_media_type', 'text must be in UTF-8');
}

/** A header value such as `form-data; name="a"`: the first word in lowercase, and the parameters by lowercase names. */
export interface HeaderValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const WORD = /^[^\s;]+$/;

/** Parses a header value. Returns undefined if the text is malformed or repeats a parameter. */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  const semicolon = text.indexOf(';');
  const [value = ''] = splitHeader(semicolon === -1 ? text : text.slice(0, semicolon), ';');
  if (!WORD.test(value)) return undefined;
  const pairs = semicolon === -1 ? [] : splitHeader(text.slice(semicolon + 1), ';');
  // A trailing semicolon is allowed.
  if (pairs.at(-1) === '') pairs.pop();
  const parameters = new Map<string, string>();
  for (const part of pairs) {
    const pair = parsePair(part);
    const name = pair?.name.toLowerCase() ?? '';
    if (pair?.value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, pair.value);
  }
  return { value: value.toLowerCase(), parameters };
}

/** Decodes UTF-8. Throws `malformed_request` if the bytes are not valid UTF-8; the message names the bytes as `what`. */
export function toText(bytes: Buffer, what: string): string {
  // Most requests are ASCII, which is decoded ten times faster.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new BridgeError('malformed_request', `${what} is not valid UTF-8`);
  return bytes.toString('utf8');
}

/** Decodes a header, in which Node represents each byte as one character. Returns undefined if the bytes are not UTF-8. */
export function headerText(value: string): string | undefined {
  const bytes = Buffer.from(value, 'latin1');
  if (isAscii(bytes)) return value;
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
