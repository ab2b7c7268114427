import { Dicer } from '@fastify/busboy';
import { FORM_LIMITS } from '../contract/openai/form-limits.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type PartHead, parsePartHead } from './multipart-head.ts';

/** One part of a form as it came. */
export interface FormPart {
  readonly head: PartHead;
  readonly content: Buffer;
}

/** Where a part's content lies in the body. */
interface Found {
  readonly head: PartHead;
  readonly start: number;
  end: number;
}

const BLANK_LINE = '\r\n\r\n';

/**
 * Takes a multipart body apart while it comes (RFC 2046 section 5.1.1). Dicer finds the delimiters. What it keeps quiet
 * about is seen by counting: every byte that it does not hand on as content belongs to a delimiter or to a head. So heads
 * are read whole and from the body itself, contents are parts of the body and no copies, and a form is complete when its
 * closing delimiter stands where the content before it ended.
 */
export function createPartReader(boundary: string) {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const dicer = new Dicer({ boundary });
  const parts: Found[] = [];
  let body: Buffer = Buffer.alloc(0);
  let written = 0;
  // Up to here all bytes are known as content or heads. The parser puts a line end before the body, for a form may begin
  // with its first delimiter.
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
    // Behind the closing delimiter anything may stand, and nothing of it means anything.
    if (isClosed) return;
    body = bytes;
    dicer.write(bytes.subarray(written));
    written = bytes.length;
    isClosed = !isInHead && standsAt(body, at, `${delimiter}--`);
    if (isInHead) expectShort(written - at - delimiter.length);
  }

  return {
    /**
     * Reads on; `bytes` are all of the body that has come. Throws `malformed_request`, `body_too_large`,
     * `unsupported_media_type`.
     */
    read,
    /** Reads on to the end. Throws `malformed_request` too when the form does not end there. */
    finish(bytes: Buffer): readonly FormPart[] {
      read(bytes);
      if (!isClosed) throw malformed('the form ends before its closing boundary');
      return parts.map(({ head, start, end }) => ({ head, content: bytes.subarray(start, end) }));
    },
  };
}

/**
 * Makes a stream that is new hand on its data within the call that brings them. As long as nobody has read from it, it
 * would do so later, and the counting would be behind.
 */
function readNow(stream: Dicer.PartStream): void {
  stream.read(0);
}

/** Whether `text` stands at a place in the body, of which what lies before its beginning counts as there. */
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
