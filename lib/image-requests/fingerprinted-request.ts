import type { ImageInput } from '../contract/image-input.ts';
import type { ImageRequest } from '../contract/image-request.ts';
import type { InputSource } from '../inputs/input-source.ts';
import type { InputSet } from '../inputs/verify-inputs.ts';

/**
 * What of a request decides whether another one is equal to it: everything but its key, its pictures by their SHA-256 and
 * by what they are said to be, in whichever form they came.
 */
export function toFingerprintedRequest(
  request: ImageRequest,
  sources: InputSet<InputSource>,
  hashes: InputSet<string>,
): object {
  const { idempotency_key: _, ...rest } = request;
  return {
    ...rest,
    images: request.images.map((input, place) =>
      toHashed(input, sources.images[place], hashes.images[place]),
    ),
    mask: request.mask && toHashed(request.mask, sources.mask, hashes.mask),
    reference_images: request.reference_images.map((input, place) =>
      toHashed(input, sources.references[place], hashes.references[place]),
    ),
  };
}

function toHashed(
  { filename }: ImageInput,
  source: InputSource | undefined,
  sha256: string | undefined,
): object {
  return { sha256, filename, media_type: source?.declaredMediaType?.replace('/jpg', '/jpeg') };
}
