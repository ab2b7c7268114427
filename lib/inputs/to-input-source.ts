import type { FileInput, ImageInput, StoredInput } from '../contract/request/image-input.ts';
import { badInput } from './bad-input.ts';
import { decodeBase64, decodeDataUrl } from './decode-inline.ts';
import type { InputSource } from './input-source.ts';
import { isSameType } from './media-type.ts';

/**
 * Where an image of a request comes from. What came inline is decoded at once; everything else waits until the request
 * has a chance to be served. Throws `input`.
 */
export function toInputSource(
  input: ImageInput | FileInput | StoredInput,
  field: string,
  maxBytes: number,
): InputSource {
  switch (input.type) {
    case 'data_url': {
      const { bytes, mediaType } = decodeDataUrl(input.data_url, field, maxBytes);
      if (input.media_type !== undefined && !isSameType(input.media_type, mediaType)) {
        throw badInput(`${field}.media_type`, field, 'media_type_mismatch');
      }
      return { kind: 'inline', field, bytes, declaredMediaType: mediaType };
    }
    case 'base64': {
      const bytes = decodeBase64(input.data, `${field}.data`, field, maxBytes);
      return { kind: 'inline', field, bytes, ...declared(input) };
    }
    case 'file':
      if (input.bytes.length > maxBytes) throw badInput(field, field, 'too_many_bytes');
      return { kind: 'inline', field, bytes: input.bytes };
    case 'artifact':
      return { kind: 'artifact', field, artifactId: input.artifact_id, ...declared(input) };
    case 'url':
      // Of a remote image every fault is its address's (contract.md 1).
      return { kind: 'remote', field: `${field}.url`, url: input.url, ...declared(input) };
    case 'stored':
      return { kind: 'stored', field, sha256: input.sha256, byteLength: input.bytes };
  }
}

function declared({ media_type: mediaType }: { readonly media_type?: string | undefined }) {
  return mediaType === undefined ? {} : { declaredMediaType: mediaType.toLowerCase() };
}
