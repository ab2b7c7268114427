import { setImmediate } from 'node:timers/promises';
import type { ReplyBody } from './http-event.ts';

// Up to here one buffer goes out at once; beyond, encoding would hold the event loop too long.
const WHOLE_BYTES = 8 * 1024 * 1024;
// A multiple of three, so that the pieces' base64 joins without padding in between.
const PIECE_BYTES = 3 * 1024 * 1024;

/** A value as JSON. */
export function encodeJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** What stands before and after the JSON, where it is a part of something larger. */
export interface Frame {
  readonly before: string;
  readonly after: string;
}

/**
 * A value as JSON in which every `Uint8Array` stands as a base64 string. The bytes go straight into the answer:
 * making megabytes of base64 a part of a JSON string costs twice as much and stalls everyone else.
 * Returns the body and its exact length in bytes.
 */
export function encodeJsonWithBytes(
  value: unknown,
  marker: string,
  { before, after }: Frame = { before: '', after: '' },
): { readonly body: ReplyBody; readonly length: number } {
  const blobs: Uint8Array[] = [];
  const json = JSON.stringify(value, (_key, member: unknown) => {
    if (!(member instanceof Uint8Array)) return member;
    blobs.push(member);
    return marker;
  });
  const texts = `${before}${json}${after}`.split(marker).map((part) => Buffer.from(part, 'utf8'));
  const length =
    texts.reduce((sum, part) => sum + part.length, 0) +
    blobs.reduce((sum, blob) => sum + base64Length(blob), 0);
  const pieces = toPieces(texts, blobs);
  return { body: length <= WHOLE_BYTES ? join(pieces, length) : stream(pieces), length };
}

/** The answer piece by piece: JSON text as bytes, base64 as strings of one byte a character. */
function* toPieces(
  texts: readonly Buffer[],
  blobs: readonly Uint8Array[],
): Generator<Buffer | string> {
  for (const [place, text] of texts.entries()) {
    yield text;
    const blob = blobs[place];
    for (let at = 0; blob && at < blob.length; at += PIECE_BYTES) {
      const piece = blob.subarray(at, at + PIECE_BYTES);
      yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
    }
  }
}

function join(pieces: Iterable<Buffer | string>, length: number): Buffer {
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    at += typeof piece === 'string' ? whole.write(piece, at, 'latin1') : piece.copy(whole, at);
  }
  return whole;
}

async function* stream(pieces: Iterable<Buffer | string>): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    yield typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
    // Lets everyone else in between two pieces.
    await setImmediate();
  }
}

function base64Length(blob: Uint8Array): number {
  return 4 * Math.ceil(blob.length / 3);
}
