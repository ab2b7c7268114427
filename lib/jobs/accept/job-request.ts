import type { StoredInput } from '../../contract/request/image-input.ts';
import type { AnyImageRequest } from '../../contract/request/image-request.ts';
import type { JobRequest } from '../../contract/resources/job.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import { type StoredImage, toStoredInput } from '../../inputs/stored-inputs.ts';

/** The request as a job stores it: without its key, for artifacts, and with its images described by checksum (contract.md 3). */
export function toJobRequest(request: AnyImageRequest, inputs: InputSet<StoredImage>): JobRequest {
  const { idempotency_key: _, images, mask, reference_images, output, ...rest } = request;
  return {
    ...rest,
    output: { ...output, response_format: 'artifact' },
    images: toStored(images, inputs.images),
    mask: (mask && toStored([mask], inputs.mask ? [inputs.mask] : [])[0]) ?? null,
    reference_images: toStored(reference_images, inputs.references),
  };
}

function toStored(
  named: readonly { readonly filename?: string | undefined }[],
  images: readonly StoredImage[],
): StoredInput[] {
  return images.map((image, index) => toStoredInput(image, named[index]?.filename));
}
