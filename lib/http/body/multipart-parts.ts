import { Dicer } from '@fastify/busboy';
import { FORM_LIMITS } from '../../contract/schema/open-object.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type PartHead, parsePartHead } from './multipart-head.ts';

/** One part of a form. */
export interface FormPart {
  readonly head: PartHead;
  readonly content: Buffer;
}

/** A part with the position of its content in the body. */
interface Found {
  readonly head: PartHead;
  readonly start: number;
  end: number;
}

const BLANK_LINE = '\r\n\r\n';

/**
 * Splits a multipart body while it is received (RFC 2046, section 5.1.1). Dicer finds the delimiters. Every byte that Dicer
 * does not emit as content belongs to a delimiter or a head, so counting the content yields their positions in the body.
 * Heads are read from the body itself, contents are slices of the body, and a form is complete when the closing delimiter
 * follows the last content.
 */
export function createPartReader(boundary: string) {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const dicer = new Dicer({ boundary });
  const parts: Found[] = [];
  let body: Buffer = Buffer.alloc(0);
  let written = 0;
  // All bytes before this index are content or heads. The index starts at -2 because the parser adds a line break before the
  // body, so that a form may begin with its first delimiter.
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
    if (isInHead) throw malformed('the head of a part has no end');
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

/**
 * Makes a new stream emit its data synchronously. Before its first read, the stream would emit data later, and the counted
 * positions would be wrong.
 */
function readNow(stream: Dicer.PartStream): void {
  stream.read(0);
}

/**
 * Returns true if the body contains `text` at an index. Characters before the start of the body (`at` < 0) count as equal.
 */
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
