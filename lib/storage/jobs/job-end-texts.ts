import * as v from 'valibot';
import type { ArtifactRecord } from '../../artifacts/artifact-store-port.ts';
import { type ArtifactImage, Delivered } from '../../contract/reply/image-response.ts';
import {
  type ImageJobSummary,
  JOB_STATUSES,
  type PartialResult,
} from '../../contract/resources/job.ts';
import { ERRORS } from '../../errors/codes.ts';
import type { EarlierImage } from '../../generation/earlier-work-port.ts';
import type { AbandonedEnd, JobEnd } from '../../jobs/job-store-port.ts';

// The column `artifacts` of every new job.
const NO_ARTIFACTS = '[]';

/** The facts about a published image in the column `image` of `job_output`. */
export const OutputFacts = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    index: v.number(),
    generation_ms: v.optional(v.number()),
    revised_prompt: v.optional(v.string()),
    delivered: v.optional(Delivered),
  }),
);

/** A pending publication of a job. */
export type PendingOutput = ArtifactRecord & { readonly facts: v.InferOutput<typeof OutputFacts> };

/** Returns the end of a job whose process has ended. */
export function toInterruption({ atSecs, error, publications = [] }: AbandonedEnd) {
  return { status: 'interrupted', completedSecs: atSecs, error, publications } as const;
}

/** The columns that the end of a job sets. */
export type EndTexts = ReturnType<typeof toEndTexts>;

/** Returns the columns that the end of a job sets. `partial` is ignored if the job succeeds. */
export function toEndTexts(end: JobEnd, partial: PartialResult | undefined) {
  if (end.status === 'succeeded') {
    const { provider, model } = end.result;
    const artifacts = JSON.stringify(artifactsOf(end.result));
    const result = JSON.stringify(end.result);
    return { result, partial: null, error: null, errorCode: null, artifacts, provider, model };
  }
  return {
    result: null,
    partial: partial ? JSON.stringify(partial) : null,
    error: JSON.stringify(end.error),
    errorCode: ERRORS[end.error.code].bridge,
    artifacts: partial ? JSON.stringify(artifactsOf(partial)) : NO_ARTIFACTS,
    provider: null,
    model: null,
  };
}

/** The columns that identify the end of a job. */
export const StoredEnd = v.object({
  status: v.picklist(JOB_STATUSES),
  completedSecs: v.nullable(v.number()),
  result: v.nullable(v.string()),
  error: v.nullable(v.string()),
});

/** Returns true if exactly this end is stored. */
export function isSameEnd(
  stored: v.InferOutput<typeof StoredEnd> | undefined,
  end: JobEnd,
): boolean {
  if (stored?.status !== end.status || stored.completedSecs !== end.completedSecs) return false;
  const { result, error } = toEndTexts(end, undefined);
  return stored.result === result && stored.error === error;
}

/** Returns the number of bytes that the texts of an end add to the size of its job. */
export function sizeOf({ result, partial, error, artifacts }: EndTexts): number {
  const texts = [result ?? '', partial ?? '', error ?? '', artifacts.slice(NO_ARTIFACTS.length)];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Returns the partial result of these publications, in the order of the request. Returns undefined without publications. */
export function toPartialResult(outputs: readonly PendingOutput[]): PartialResult | undefined {
  if (outputs.length === 0) return undefined;
  return { data: outputs.map(toImage).sort((a, b) => a.index - b.index) };
}

/** Returns the published images of a job that continues. */
export function toEarlierImages(outputs: readonly PendingOutput[]): readonly EarlierImage[] {
  return outputs.map(({ facts, ...record }) => ({ record, facts }));
}

/** Returns the positions of the images in the request. */
export function indicesOf(partial: PartialResult | undefined): ReadonlySet<number> {
  return new Set(partial?.data.map(({ index }) => index));
}

function artifactsOf({ data }: PartialResult): ImageJobSummary['artifacts'] {
  return data.flatMap((image) => {
    if (image.type !== 'artifact') return [];
    const { id, width, height, format, bytes, provenance: facts } = image;
    const provenance = facts && { found: facts.found, credentials: facts.credentials };
    return [{ id, width, height, format, bytes, ...(provenance && { provenance }) }];
  });
}

function toImage({
  scope: _,
  createdSecs: __,
  sidecar,
  facts: { delivered: ___, ...facts },
  ...image
}: PendingOutput): ArtifactImage & { index: number } {
  return {
    type: 'artifact',
    ...image,
    ...facts,
    ...(sidecar ? { metadata_name: sidecar.name } : {}),
  };
}
