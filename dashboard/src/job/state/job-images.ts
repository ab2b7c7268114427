import type { Job, JobSummary } from '../../api/schemas.ts';
import { text } from '../../text/text.ts';

/** An image to look at: an input or output of the job, or the first image of another job. */
export interface JobImage {
  /** The name in the address: `source`, `source-2`, `reference`, `2`, or the id of another job. */
  readonly ref: string;
  readonly kind: 'source' | 'reference' | 'output' | 'other';
  /** The position among images of the same kind, from 1. */
  readonly number: number;
  /** True if there are several images of the same kind. */
  readonly isOneOfSeveral: boolean;
  /** A path below /v1, to which `/thumbnail?edge=` can be appended. */
  readonly path: string;
  /** The size in pixels. The size of an input is measured when the image is shown. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly bytes: number;
  /** For an output, the name below the artifact root. */
  readonly name: string | undefined;
}

/**
 * Returns the images of a job in the order of the strip: sources, references, outputs, and the image that the job is
 * compared with.
 */
export function toJobImages(job: Job, other: Job | undefined): readonly JobImage[] {
  return [...toInputs(job), ...toOutputs(job), ...toOther(other)];
}

/** Returns the input images. The bridge numbers the inputs through the images, then the mask, then the references. */
function toInputs({ id, request }: Job): readonly JobImage[] {
  const { images, mask, reference_images: references } = request;
  const skipped = images.length + (mask === null ? 0 : 1);
  const lists = [
    { kind: 'source', inputs: images, first: 0 },
    { kind: 'reference', inputs: references, first: skipped },
  ] as const;
  return lists.flatMap(({ kind, inputs, first }) =>
    inputs.map(({ media_type, bytes }, index) => ({
      ref: index === 0 ? kind : `${kind}-${index + 1}`,
      kind,
      number: index + 1,
      isOneOfSeveral: inputs.length > 1,
      path: `/v1/jobs/${id}/inputs/${first + index}`,
      size: undefined,
      format: FORMATS[media_type],
      bytes,
      name: undefined,
    })),
  );
}

const FORMATS = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

/** Returns the output images. An interrupted job has only those that were finished. */
function toOutputs({ result, partial_result: partial }: Job): readonly JobImage[] {
  const data = (result ?? partial)?.data ?? [];
  return data.flatMap((image) => {
    if (image.type !== 'artifact') return [];
    const { id, index, width, height, format, bytes, name } = image;
    return {
      ref: String(index + 1),
      kind: 'output' as const,
      number: index + 1,
      isOneOfSeveral: data.length > 1,
      path: `/v1/artifacts/${id}`,
      size: { width, height },
      format,
      bytes,
      name,
    };
  });
}

/** Returns the first image of the other job in a comparison. */
function toOther(other: Job | undefined): readonly JobImage[] {
  const [first] = other === undefined ? [] : toOutputs(other);
  if (other === undefined || first === undefined) return [];
  return [{ ...first, ref: other.id, kind: 'other', number: 1, isOneOfSeveral: false }];
}

/** Returns the images of a job as a list reports them, before the job has been read. */
export function toListedImages({ artifacts }: JobSummary): readonly JobImage[] {
  return artifacts.map(({ id, width, height, format, bytes }, index) => ({
    ref: String(index + 1),
    kind: 'output',
    number: index + 1,
    isOneOfSeveral: artifacts.length > 1,
    path: `/v1/artifacts/${id}`,
    size: { width, height },
    format,
    bytes,
    name: undefined,
  }));
}

/** Returns the name of an image, for example "Source" or "Output 2". */
export function imageText({ kind, number, isOneOfSeveral }: JobImage): string {
  return isOneOfSeveral
    ? text(`job.image.${kind}.numbered` as const, { number })
    : text(`job.image.${kind}`);
}
