import { setImmediate } from 'node:timers/promises';
import { ByteParts } from '../../platform/byte-parts.ts';
import type { ReplyBody } from '../http-event.ts';

// A longer reply is encoded and sent in pieces of this size, so that the whole encoded reply is never in memory.
const PIECE_BYTES = 512 * 1024;
// A multiple of three, so that the base64 texts of the slices join without padding. A text has less than 64 KB, so that the allocator
// of `serve` reuses its memory.
const SLICE_BYTES = 45 * 1024;

export function encodeJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** The text that is sent before and after the JSON. */
export interface Frame {
  readonly before: string;
  readonly after: string;
}

/**
 * Encodes a value as JSON with all `ByteParts` as base64 strings. Returns the body and its length in bytes. The base64 is
 * written directly to the body, because `JSON.stringify` would take twice as long and block other requests. `marker` is a text
 * that does not occur in the value.
 */
export function encodeJsonWithBytes(
  value: unknown,
  marker: string,
  { before, after }: Frame = { before: '', after: '' },
): { readonly body: ReplyBody; readonly length: number } {
  const blobs: ByteParts[] = [];
  const json = JSON.stringify(value, (_key, member: unknown) => {
    if (!(member instanceof ByteParts)) return member;
    blobs.push(member);
    return marker;
  });
  const texts = `${before}${json}${after}`.split(marker).map((part) => Buffer.from(part, 'utf8'));
  const length =
    texts.reduce((sum, part) => sum + part.length, 0) +
    blobs.reduce((sum, blob) => sum + base64Length(blob), 0);
  const parts = toParts(texts, blobs);
  return { body: length <= PIECE_BYTES ? join(parts, length) : stream(parts), length };
}

/** Yields the reply in parts: JSON text as bytes, base64 as strings with one byte per character. */
function* toParts(
  texts: readonly Buffer[],
  blobs: readonly ByteParts[],
): Generator<Buffer | string> {
  for (const [index, text] of texts.entries()) {
    yield text;
    const blob = blobs[index];
    for (let at = 0; blob && at < blob.length; at += SLICE_BYTES) {
      yield blob.subarray(at, at + SLICE_BYTES).toString('base64');
    }
  }
}

function join(parts: Iterable<Buffer | string>, length: number): Buffer {
  const whole = Buffer.allocUnsafe(length);
  let used = 0;
  for (const part of parts) used += write(part, whole, used);
  return whole;
}

/** Yields the reply in pieces that share their memory. */
async function* stream(parts: Iterable<Buffer | string>): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafe(PIECE_BYTES);
  let used = 0;
  for (const part of parts) {
    if (used + part.length > PIECE_BYTES) {
      yield piece.subarray(0, used);
      // Other work runs between two pieces.
      await setImmediate();
      if (part.length > piece.length) piece = Buffer.allocUnsafe(part.length);
      used = 0;
    }
    used += write(part, piece, used);
  }
  yield piece.subarray(0, used);
}

function write(part: Buffer | string, target: Buffer, at: number): number {
  return typeof part === 'string' ? target.write(part, at, 'latin1') : part.copy(target, at);
}

function base64Length(blob: ByteParts): number {
  return 4 * Math.ceil(blob.length / 3);
}
