import type { Job, JobArtifact } from '../api/schemas.ts';

const FORMATS = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

/** An input image of a job. The bridge stores the image for as long as the job exists. */
export interface StoredInput
  extends Pick<Job['request']['images'][number], 'media_type' | 'bytes'> {
  readonly role: 'source' | 'mask' | 'reference';
  /** The number of the image in its path on the bridge. */
  readonly index: number;
  readonly path: string;
  readonly format: JobArtifact['format'];
  readonly filename?: string;
}

/** Returns the input images of a job in the order in which the bridge numbers them: images, mask, reference images. */
export function storedInputs({ id, request }: Job): readonly StoredInput[] {
  const { images, mask, reference_images: references } = request;
  const lists = [
    { role: 'source', inputs: images },
    { role: 'mask', inputs: mask === null ? [] : [mask] },
    { role: 'reference', inputs: references },
  ] as const;
  return lists
    .flatMap(({ role, inputs }) => inputs.map((input) => ({ ...input, role })))
    .map((input, index) => ({
      ...input,
      index,
      path: `/v1/jobs/${id}/inputs/${index}`,
      format: FORMATS[input.media_type],
    }));
}
