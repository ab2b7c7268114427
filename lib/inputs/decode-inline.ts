import type { Steps } from '../platform/time-slices.ts';
import { badInput } from './bad-input.ts';

const DATA_URL = /^data:image\/(png|jpeg|jpg|webp);base64,/i;
/** Of base64, in whole groups of four: less than a millisecond of decoding. */
const STEP_CHARACTERS = 1024 * 1024;

/** Base64 as it was sent. */
export interface InlineText {
  readonly text: string;
  /** The field that holds it. */
  readonly where: string;
  /** The image that it belongs to. */
  readonly field: string;
  readonly mediaType?: string;
}

/** The base64 of a data URL without parameters, and the media type that it declares. Throws `input`. */
export function readDataUrl(url: string, field: string): InlineText & { mediaType: string } {
  const where = `${field}.data_url`;
  const head = DATA_URL.exec(url.slice(0, 40));
  if (!head) throw badInput(where, field, 'not_a_data_url');
  const mediaType = `image/${head[1]}`.toLowerCase();
  return { text: url.slice(head[0].length), where, field, mediaType };
}

/** How many bytes a text of base64 holds, by its length and padding alone. Throws `input`. */
export function base64Bytes({ text, where, field }: InlineText, maxBytes: number): number {
  // Four characters hold three bytes: a text that is too long is refused before anything is decoded.
  if ((text.length / 4) * 3 - 2 > maxBytes) throw badInput(where, field, 'too_many_bytes');
  if (text.length === 0 || text.length % 4 !== 0) throw badInput(where, field, 'not_base64');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** The bytes of a text that is strictly RFC 4648 section 4: padded, no whitespace (contract.md 1). Throws `input`. */
export function* decodeBase64(inline: InlineText, maxBytes: number): Steps<Buffer> {
  const { text, where, field } = inline;
  const bytes = Buffer.allocUnsafe(base64Bytes(inline, maxBytes));
  let length = 0;
  for (let from = 0; from < text.length; from += STEP_CHARACTERS) {
    const part = text.slice(from, from + STEP_CHARACTERS);
    if (part.includes('-') || part.includes('_')) throw badInput(where, field, 'not_base64');
    length += bytes.write(part, length, 'base64');
    yield;
  }
  if (!isCanonical(text, bytes, length)) throw badInput(where, field, 'not_base64');
  return bytes;
}

/**
 * Whether Node would encode `bytes`, of which `length` were decoded, as `text`. Its decoder skips whitespace and other
 * characters, so that bytes are missing, and ignores loose bits at the end. Encoding all of it again would cost four times
 * as much.
 */
function isCanonical(text: string, bytes: Buffer, length: number): boolean {
  const lastGroup = bytes.subarray((text.length / 4 - 1) * 3);
  return length === bytes.length && lastGroup.toString('base64') === text.slice(-4);
}
