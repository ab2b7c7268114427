import type { ImageInput } from '../contract/image-input.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { InputSource } from './input-source.ts';

const DATA_URL = /^data:image\/(png|jpeg|jpg|webp);base64,/i;

/**
 * The bytes of an inline picture. Strict as contract.md 1: RFC 4648 section 4, padded, no whitespace; a data URL without
 * parameters. Throws `input`, and `unsupported_capability` for the kinds that this version cannot load.
 */
export function toInputSource(input: ImageInput, field: string, maxBytes: number): InputSource {
  switch (input.type) {
    case 'data_url': {
      const head = DATA_URL.exec(input.data_url.slice(0, 40));
      if (!head) throw badInput(`${field}.data_url`, field, 'not_a_data_url');
      const text = input.data_url.slice(head[0].length);
      const bytes = decodeBase64(text, `${field}.data_url`, field, maxBytes);
      const declared = `image/${head[1]}`.toLowerCase();
      if (input.media_type !== undefined && !isSameType(input.media_type, declared)) {
        throw badInput(`${field}.media_type`, field, 'media_type_mismatch');
      }
      return { kind: 'inline', field, bytes, declaredMediaType: declared };
    }
    case 'base64': {
      const bytes = decodeBase64(input.data, `${field}.data`, field, maxBytes);
      const declared = input.media_type?.toLowerCase();
      const inline = { kind: 'inline', field, bytes } as const;
      return declared === undefined ? inline : { ...inline, declaredMediaType: declared };
    }
    case 'artifact':
    case 'url':
      throw new BridgeError('unsupported_capability', 'this version takes inline pictures only', {
        param: field,
        details: { field, reason: 'not_in_this_version' },
      });
  }
}

/** `image/jpg` means `image/jpeg`. */
export function isSameType(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

/** The one form of an input error: where, and a stable reason. */
export function badInput(where: string, field: string, reason: string): BridgeError {
  return new BridgeError('input', 'a picture of the request cannot be used', {
    param: field,
    details: { field: where, reason },
  });
}

function canonical(mediaType: string): string {
  const lower = mediaType.toLowerCase();
  return lower === 'image/jpg' ? 'image/jpeg' : lower;
}

function decodeBase64(text: string, where: string, field: string, maxBytes: number): Buffer {
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
