import type { Job, JobSummary } from '../../api/schemas.ts';
import { text } from '../../text/text.ts';

/** An image that can be looked at: one that the job was given or has made, or the first of another job. */
export interface JobImage {
  /** As the address names it: `source`, `source-2`, `reference`, `2`, or the id of another job. */
  readonly ref: string;
  readonly kind: 'source' | 'reference' | 'output' | 'other';
  /** From 1, among those of its kind. */
  readonly number: number;
  /** Whether there are several of its kind. */
  readonly isOneOfSeveral: boolean;
  /** A path below /v1; `/thumbnail?edge=` can be appended. */
  readonly path: string;
  /** In pixels; what a job was given is measured when it is seen. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly bytes: number;
  /** Of an output: its name below the artifact root. */
  readonly name: string | undefined;
}

/** The images of a job in the order of its strip: sources, references, outputs, then the one it is compared with. */
export function toJobImages(job: Job, other: Job | undefined): readonly JobImage[] {
  return [...toInputs(job), ...toOutputs(job), ...toOther(other)];
}

/** The bridge counts inputs over images, then the mask, then references. */
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

/** Of an interrupted job: those that were finished. */
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

/** The first image of the job that this one is compared with. */
function toOther(other: Job | undefined): readonly JobImage[] {
  const [first] = other === undefined ? [] : toOutputs(other);
  if (other === undefined || first === undefined) return [];
  return [{ ...first, ref: other.id, kind: 'other', number: 1, isOneOfSeveral: false }];
}

/** What a list says of a job's images, before the job has been read. */
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

/** What an image is called: Source, Output 2. */
export function imageText({ kind, number, isOneOfSeveral }: JobImage): string {
  return isOneOfSeveral
    ? text(`job.image.${kind}.numbered` as const, { number })
    : text(`job.image.${kind}`);
}
