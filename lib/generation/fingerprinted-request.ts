import type { FileInput, ImageInput } from '../contract/request/image-input.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { InputSet, InputSource } from '../inputs/input-source.ts';

/**
 * The part of a request that decides whether another one is equal to it: everything but its key. Images are compared by
 * their identity and their declared type and name, whatever form they came in.
 */
export function toFingerprintedRequest(
  request: AnyImageRequest,
  sources: InputSet<InputSource>,
  identities: InputSet<string>,
): object {
  const { idempotency_key: _, ...rest } = request;
  return {
    ...rest,
    images: request.images.map((input, index) =>
      toIdentified(input, sources.images[index], identities.images[index]),
    ),
    mask: request.mask && toIdentified(request.mask, sources.mask, identities.mask),
    reference_images: request.reference_images.map((input, index) =>
      toIdentified(input, sources.references[index], identities.references[index]),
    ),
  };
}

function toIdentified(
  { filename }: ImageInput | FileInput,
  source: InputSource | undefined,
  image: string | undefined,
): object {
  return { image, filename, media_type: source?.declaredMediaType?.replace('/jpg', '/jpeg') };
}
