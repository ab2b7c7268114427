import type { Job, JobArtifact, JobSummary, Provenance } from '../../api/schemas.ts';
import type { Size } from '../../images/measure-image.ts';
import { type ImageMarks, marksOf } from '../../jobs/image-marks.ts';
import { isMadeHere } from '../../jobs/job-state.ts';
import { storedInputs } from '../../jobs/stored-inputs.ts';
import { text } from '../../text/job-text.ts';

/** An image of the job view: an input or output of the job, or an output of another job. */
export interface JobImage extends Pick<JobArtifact, 'format' | 'bytes'> {
  /** The name in the address: `source`, `source-2`, `reference`, `2`, or `relativeRef` for an image of another job. */
  readonly ref: string;
  readonly kind: 'source' | 'reference' | 'output' | 'other';
  /** The position among the images of the same kind, starting at 1. */
  readonly number: number;
  /** True if there are several images of the same kind. */
  readonly isOneOfSeveral: boolean;
  /** A path below /v1, to which `/thumbnail?edge=` can be appended. */
  readonly path: string;
  /** The size in pixels. Undefined for an input, whose size is measured when the image is shown. */
  readonly size: Size | undefined;
  /** For an output, the name below the artifact root. */
  readonly name: string | undefined;
  /** For an input that was made by another job, this job and the number of its image. */
  readonly origin?: Relative | undefined;
  /** For an output, what is known of its Content Credentials. Undefined for images of earlier versions of the bridge. */
  readonly provenance?: Provenance | undefined;
}

/** An image of another job. The number of its first image is 1. */
interface Relative {
  readonly id: string;
  readonly number: number;
}

/** Returns the name in the address of an image of another job: the id of the job, and the number of the image if it is not 1. */
export function relativeRef(jobId: string, number: number): string {
  return number === 1 ? jobId : `${jobId}.${number}`;
}

const RELATIVE = /^([0-9a-f]{8}-[0-9a-f-]{27})(?:\.([1-9][0-9]{0,2}))?$/;

/** Reads `relativeRef`. Returns undefined if the name is that of an image of the job itself. */
export function readRelative(ref: string | null): Relative | undefined {
  const [, id, number = '1'] = RELATIVE.exec(ref ?? '') ?? [];
  return id === undefined ? undefined : { id, number: Number(number) };
}

/** Returns the images of a job in the order of the strip, followed by the image of another job with which it is compared. */
export function toJobImages(job: Job, other?: OtherImage): readonly JobImage[] {
  return [...toInputs(job), ...toOutputs(job), ...toOther(other)];
}

/** An image of another job, by its number. */
export interface OtherImage {
  readonly job: Job;
  readonly number: number;
}

function toInputs(job: Job): readonly JobImage[] {
  const inputs = storedInputs(job);
  return (['source', 'reference'] as const).flatMap((kind) =>
    inputs
      .filter(({ role }) => role === kind)
      .map(({ path, format, bytes, index: input }, index, list) => ({
        ref: index === 0 ? kind : `${kind}-${index + 1}`,
        kind,
        number: index + 1,
        isOneOfSeveral: list.length > 1,
        path: wholePath(job, input) ?? path,
        origin: originOf(job, input),
        size: undefined,
        format,
        bytes,
        name: undefined,
      })),
  );
}

/**
 * Returns the path of the image from which a job of the bridge itself has cut its stored input. Undefined for other jobs, whose
 * stored input is the image that was sent.
 */
function wholePath(job: Job, input: number): string | undefined {
  const whole = job.derived_from?.find((each) => each.input === input);
  return isMadeHere(job) && whole ? `/v1/artifacts/${whole.artifact_id}` : undefined;
}

/** Returns the image of another job that was used as an input. */
function originOf({ derived_from: inputs = [] }: Job, input: number): Relative | undefined {
  const { job_id: id, image = 0 } = inputs.find((each) => each.input === input) ?? {};
  return id === undefined ? undefined : { id, number: image + 1 };
}

/** Returns the id of the job that made an image of the view of the job `id`. Undefined for an image that was not made by a job. */
export function makerOf(image: JobImage | undefined, id: string): string | undefined {
  if (image?.kind === 'output') return id;
  return image?.origin?.id ?? readRelative(image?.ref ?? null)?.id;
}

/** Returns the output images. An interrupted job has only the images that were finished. */
function toOutputs({ result, partial_result: partial }: Job): readonly JobImage[] {
  const data = (result ?? partial)?.data ?? [];
  return data.flatMap((image) =>
    image.type === 'artifact'
      ? [{ ...toOutput(image, image.index, data.length, image.name), provenance: image.provenance }]
      : [],
  );
}

function toOutput(
  { id, width, height, format, bytes }: JobArtifact,
  index: number,
  count: number,
  name?: string,
): JobImage {
  return {
    ref: String(index + 1),
    kind: 'output',
    number: index + 1,
    isOneOfSeveral: count > 1,
    path: `/v1/artifacts/${id}`,
    size: { width, height },
    format,
    bytes,
    name,
  };
}

function toOther(other: OtherImage | undefined): readonly JobImage[] {
  if (other === undefined) return [];
  const { job, number } = other;
  const image = toOutputs(job).find((each) => each.number === number);
  if (image === undefined) return [];
  return [
    { ...image, ref: relativeRef(job.id, number), kind: 'other', number: 1, isOneOfSeveral: false },
  ];
}

/** Returns the images of a job from its summary, for use before the whole job has been read. */
export function toListedImages({ artifacts }: JobSummary): readonly JobImage[] {
  return artifacts.map((artifact, index) => toOutput(artifact, index, artifacts.length));
}

/** Returns the id of an output, which is the end of its path. */
export function idOf({ path }: Pick<JobImage, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the marks of an image of a job. Images of other jobs have no marks here. */
export function marksOfImage(job: Job | undefined, image: JobImage): ImageMarks {
  return job === undefined || image.kind !== 'output' ? {} : marksOf(job, idOf(image));
}

/** Returns the name of an image, for example "Source" or "Image 2". */
export function imageText({ kind, number, isOneOfSeveral }: JobImage): string {
  return isOneOfSeveral
    ? text(`job.image.${kind}.numbered` as const, { number })
    : text(`job.image.${kind}`);
}

/** The longest edge, in pixels, of the largest preview that the bridge makes. */
const PREVIEW_EDGE = 2048;
/** The largest image that the page shows in full, in pixels. A decoded image needs four bytes of memory per pixel. */
const MAX_PIXELS = 8192 * 8192;

/** The addresses from which an image is shown. */
interface ImageSource {
  /** The path that is shown first. */
  readonly path: string;
  /** The path of the image that replaces the preview when more pixels are needed than the preview has. */
  readonly full: string | undefined;
  /** True if the image is too large to be shown in full. */
  readonly isReduced: boolean;
}

/** Returns the addresses of an image: the original, or a preview first if the image is large or of unknown size. */
export function imageSource({ path, size }: Pick<JobImage, 'path' | 'size'>): ImageSource {
  if (size !== undefined && Math.max(size.width, size.height) <= PREVIEW_EDGE) {
    return { path, full: undefined, isReduced: false };
  }
  const isReduced = size !== undefined && size.width * size.height > MAX_PIXELS;
  return {
    path: `${path}/thumbnail?edge=${PREVIEW_EDGE}`,
    full: isReduced ? undefined : path,
    isReduced,
  };
}

/**
 * Returns true if more pixels are needed than a preview has. `shown` is the size before zooming, in CSS pixels. `k` is
 * the zoom factor, and `density` is the number of device pixels per CSS pixel.
 */
export function needsFull(shown: Size, k: number, density: number): boolean {
  return Math.max(shown.width, shown.height) * k * density > PREVIEW_EDGE;
}
