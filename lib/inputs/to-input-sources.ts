import type { FileInput, ImageInput, StoredInput } from '../contract/request/image-input.ts';
import type { Steps } from '../platform/time-slices.ts';
import { badInput } from './bad-input.ts';
import { decodeBase64, decodeDataUrl } from './decode-inline.ts';
import type { InputSet, InputSource, StoredSource } from './input-source.ts';
import { isSameType } from './media-type.ts';

/** The members of a request that hold images. */
interface RequestImages<T> {
  readonly images: readonly T[];
  readonly mask?: T | null | undefined;
  readonly reference_images: readonly T[];
}

/**
 * The images of a request as sources. Inline images are decoded now, one step at a time; all others are loaded when the
 * request is about to be served. Throws `input` for the first invalid one.
 */
export function* toInputSources(
  request: RequestImages<ImageInput | FileInput>,
  maxBytesEach: number,
): Steps<InputSet<InputSource>> {
  const images: InputSource[] = [];
  for (const [index, input] of request.images.entries()) {
    images.push(yield* toInputSource(input, `images[${index}]`, maxBytesEach));
  }
  const mask = request.mask ? yield* toInputSource(request.mask, 'mask', maxBytesEach) : undefined;
  const references: InputSource[] = [];
  for (const [index, input] of request.reference_images.entries()) {
    references.push(yield* toInputSource(input, `reference_images[${index}]`, maxBytesEach));
  }
  return mask ? { images, mask, references } : { images, references };
}

/** The images of a job's request, which were verified and stored when it was accepted. */
export function toStoredSources(request: RequestImages<StoredInput>): InputSet<StoredSource> {
  const { images, mask, reference_images } = request;
  return {
    images: images.map((input, index) => toStoredSource(input, `images[${index}]`)),
    ...(mask ? { mask: toStoredSource(mask, 'mask') } : {}),
    references: reference_images.map((input, index) =>
      toStoredSource(input, `reference_images[${index}]`),
    ),
  };
}

function toStoredSource({ sha256, bytes }: StoredInput, field: string): StoredSource {
  return { kind: 'stored', field, sha256, byteLength: bytes };
}

function* toInputSource(
  input: ImageInput | FileInput,
  field: string,
  maxBytes: number,
): Steps<InputSource> {
  switch (input.type) {
    case 'data_url': {
      const { bytes, mediaType } = yield* decodeDataUrl(input.data_url, field, maxBytes);
      if (input.media_type !== undefined && !isSameType(input.media_type, mediaType)) {
        throw badInput(`${field}.media_type`, field, 'media_type_mismatch');
      }
      return { kind: 'inline', field, bytes, declaredMediaType: mediaType };
    }
    case 'base64': {
      const bytes = yield* decodeBase64(input.data, `${field}.data`, field, maxBytes);
      return { kind: 'inline', field, bytes, ...declared(input) };
    }
    case 'file':
      if (input.bytes.length > maxBytes) throw badInput(field, field, 'too_many_bytes');
      return { kind: 'inline', field, bytes: input.bytes };
    case 'artifact':
      return { kind: 'artifact', field, artifactId: input.artifact_id, ...declared(input) };
    case 'url':
      // Faults of a remote image are reported at its address (contract.md 1).
      return { kind: 'remote', field: `${field}.url`, url: input.url, ...declared(input) };
  }
}

function declared({ media_type: mediaType }: { readonly media_type?: string | undefined }) {
  return mediaType === undefined ? {} : { declaredMediaType: mediaType.toLowerCase() };
}
