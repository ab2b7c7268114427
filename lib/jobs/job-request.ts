import type { StoredInput } from '../contract/image-input.ts';
import type { ImageRequest } from '../contract/image-request.ts';
import type { JobRequest } from '../contract/job.ts';
import type { InputSet } from '../inputs/input-source.ts';
import { type KeptPicture, toStoredInput } from '../inputs/stored-inputs.ts';

/** What a job keeps of its request: everything but its key, and of its pictures what tells them (contract.md 3). */
export function toJobRequest(request: ImageRequest, pictures: InputSet<KeptPicture>): JobRequest {
  const { idempotency_key: _, images, mask, reference_images, ...rest } = request;
  return {
    ...rest,
    images: toStored(images, pictures.images),
    mask: (mask && toStored([mask], pictures.mask ? [pictures.mask] : [])[0]) ?? null,
    reference_images: toStored(reference_images, pictures.references),
  };
}

function toStored(
  named: readonly { readonly filename?: string | undefined }[],
  pictures: readonly KeptPicture[],
): StoredInput[] {
  return pictures.map((picture, place) => toStoredInput(picture, named[place]?.filename));
}
