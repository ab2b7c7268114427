import { badInput } from './bad-input.ts';

const DATA_URL = /^data:image\/(png|jpeg|jpg|webp);base64,/i;

/** The bytes of a data URL without parameters, and what it says that they are. Throws `input`. */
export function decodeDataUrl(
  url: string,
  field: string,
  maxBytes: number,
): { readonly bytes: Buffer; readonly mediaType: string } {
  const where = `${field}.data_url`;
  const head = DATA_URL.exec(url.slice(0, 40));
  if (!head) throw badInput(where, field, 'not_a_data_url');
  const bytes = decodeBase64(url.slice(head[0].length), where, field, maxBytes);
  return { bytes, mediaType: `image/${head[1]}`.toLowerCase() };
}

/** The bytes of a text that is strictly RFC 4648 section 4: padded, no whitespace (contract.md 1). Throws `input`. */
export function decodeBase64(text: string, where: string, field: string, maxBytes: number): Buffer {
  // Three bytes stand in four characters: what is too long is never decoded.
  if ((text.length / 4) * 3 - 2 > maxBytes) throw badInput(where, field, 'too_many_bytes');
  const bytes = Buffer.from(text, 'base64');
  if (!isCanonical(text, bytes)) throw badInput(where, field, 'not_base64');
  return bytes;
}

/**
 * Whether Node would write `bytes` as `text`. Its decoder skips whitespace and junk, which leaves too few bytes, takes the
 * URL alphabet, and ignores loose bits at the end. Writing all of it again and comparing costs four times as much.
 */
function isCanonical(text: string, bytes: Buffer): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const lastGroup = bytes.subarray(Math.max(0, (text.length / 4 - 1) * 3));
  return (
    bytes.length > 0 &&
    bytes.length === (text.length / 4) * 3 - padding &&
    !text.includes('-') &&
    !text.includes('_') &&
    lastGroup.toString('base64') === text.slice(-4)
  );
}
