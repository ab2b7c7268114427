import type { FileInput, ImageInput } from '../contract/request/image-input.ts';
import type { AnyImageRequest } from '../contract/request/image-request.ts';
import type { InputSet, InputSource } from '../inputs/input-source.ts';

/**
 * What of a request decides whether another one is equal to it: everything but its key, its images by what
 * identifies them and by what they are said to be, in whichever form they came.
 */
export function toFingerprintedRequest(
  request: AnyImageRequest,
  sources: InputSet<InputSource>,
  identities: InputSet<string>,
): object {
  const { idempotency_key: _, ...rest } = request;
  return {
    ...rest,
    images: request.images.map((input, place) =>
      toIdentified(input, sources.images[place], identities.images[place]),
    ),
    mask: request.mask && toIdentified(request.mask, sources.mask, identities.mask),
    reference_images: request.reference_images.map((input, place) =>
      toIdentified(input, sources.references[place], identities.references[place]),
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
