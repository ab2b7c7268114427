import { isUtf8 } from 'node:buffer';
import { Dicer } from '@fastify/busboy';
import { FORM_LIMITS } from '../../contract/schema/open-object.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type HeaderValue, isUtf8Name, notUtf8, parseHeaderValue } from './media-types.ts';

export interface FormPart {
  readonly head: PartHead;
  readonly content: Buffer;
}

const BLANK_LINE = '\r\n\r\n';

/**
 * Splits a multipart body while the body is received (RFC 2046, section 5.1.1). Dicer finds the delimiters and emits the
 * contents. All other bytes belong to delimiters and heads, so the lengths of the contents determine all positions in the body.
 * A form is complete when the closing delimiter follows the last content.
 */
export function createPartReader(boundary: string) {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const dicer = new Dicer({ boundary });
  const parts: { readonly head: PartHead; readonly start: number; end: number }[] = [];
  let body: Buffer = Buffer.alloc(0);
  let written = 0;
  // The end of the last content or head. The index starts at -2 because Dicer adds a line break before the body, so that a form
  // may begin with its first delimiter.
  let at = -2;
  let isInHead = false;
  let isClosed = false;

  dicer.on('preamble', (preamble) => {
    preamble.on('data', ({ length }) => {
      at += length;
    });
    readNow(preamble);
  });

  dicer.on('part', (part) => {
    if (isInHead) {
      const start = at + delimiter.length;
      expectShort(body.indexOf(delimiter, start) - start);
      throw malformed('the head of a part has no end');
    }
    if (parts.length === FORM_LIMITS.maxParts) {
      throw tooMuch('the form has too many parts', { max_parts: FORM_LIMITS.maxParts });
    }
    isInHead = true;
    part.on('header', readHead).on('data', ({ length }) => {
      at += length;
      const last = parts.at(-1);
      if (last) last.end = at;
    });
    readNow(part);
  });

  function readHead(): void {
    const start = at + delimiter.length;
    const end = body.indexOf(BLANK_LINE, start, 'latin1');
    expectShort(end - start);
    at = end + BLANK_LINE.length;
    isInHead = false;
    parts.push({ head: parsePartHead(body.subarray(start, end)), start: at, end: at });
  }

  function read(bytes: Buffer): void {
    // All bytes after the closing delimiter are ignored.
    if (isClosed) return;
    body = bytes;
    dicer.write(bytes.subarray(written));
    written = bytes.length;
    isClosed = !isInHead && standsAt(body, at, `${delimiter}--`);
    if (isInHead) expectShort(written - at - delimiter.length);
  }

  return {
    /**
     * Continues reading. `bytes` contains the whole body received so far. Throws `malformed_request`, `body_too_large`,
     * `unsupported_media_type`.
     */
    read,
    /** Reads to the end. Throws the errors of `read`, and `malformed_request` if the form is incomplete. */
    finish(bytes: Buffer): readonly FormPart[] {
      read(bytes);
      if (!isClosed) throw malformed('the form ends before its closing boundary');
      return parts.map(({ head, start, end }) => ({ head, content: bytes.subarray(start, end) }));
    },
  };
}

/** Makes a new stream emit its data synchronously. If data were emitted later, the counted positions would be wrong. */
function readNow(stream: Dicer.PartStream): void {
  stream.read(0);
}

/** Returns true if the body contains `text` at the index `at`. If `at` is negative, the first characters are not compared. */
function standsAt(body: Buffer, at: number, text: string): boolean {
  const inside = text.slice(Math.max(0, -at));
  return body.toString('latin1', Math.max(0, at), at + text.length) === inside;
}

function expectShort(headBytes: number): void {
  const { maxPartHeadBytes } = FORM_LIMITS;
  if (headBytes <= maxPartHeadBytes) return;
  throw tooMuch('the head of a part is too long', { max_part_head_bytes: maxPartHeadBytes });
}

function tooMuch(message: string, details: Readonly<Record<string, number>>): BridgeError {
  return new BridgeError('body_too_large', message, { details });
}

function malformed(message: string): BridgeError {
  return new BridgeError('malformed_request', message);
}

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
 * Parses the head of a part: the text between the delimiter and the blank line. A part with a filename or with a media type
 * that is not text is a file. A filename may have any encoding. Throws `malformed_request`, and `unsupported_media_type` for
 * text in a charset other than UTF-8, encoded content and nested parts (RFC 7578, sections 4.3, 4.7, 4.8).
 */
function parsePartHead(head: Buffer): PartHead {
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
    if (name === undefined) throw malformed('a line in the head of a part is not a header');
    if (headers.has(name.toLowerCase())) throw malformed('a part repeats a header');
    headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

function parsedHeader(headers: ReadonlyMap<string, string>, name: string): HeaderValue | undefined {
  const text = headers.get(name);
  if (!text) return undefined;
  const value = parseHeaderValue(text);
  if (!value) throw malformed(`the ${name} of a part is malformed`);
  return value;
}

function unsupported(message: string): BridgeError {
  return new BridgeError('unsupported_media_type', message);
}
