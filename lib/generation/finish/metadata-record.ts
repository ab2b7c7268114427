import type { Timings } from '../../contract/reply/image-response.ts';
import {
  type ImageMetadataRecord,
  OMITTABLE_FIELDS,
  type OmittableField,
} from '../../contract/reply/metadata-record.ts';
import type { GenerationRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from '../plan/negotiation.ts';
import type { FinishedOutput } from './finish.ts';
import { type Outcome, warningsOf } from './outcome.ts';

type Planned = Pick<Outcome, 'requestId' | 'completedSecs' | 'request' | 'route' | 'negotiated'>;
type ImageFacts = ImageMetadataRecord['image'];

/** How one image came to be, all of it (contract.md 6). */
export function toMetadataRecord(
  outcome: Outcome,
  timings: Timings,
  { revisedPrompt }: Pick<FinishedOutput, 'revisedPrompt'>,
  image: ImageFacts,
): ImageMetadataRecord {
  const { result, attempts, negotiated } = outcome;
  return recordOf(outcome, image, {
    normalizations: [...negotiated.normalizations],
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    ...(attempts ? { attempts: [...attempts] } : {}),
    ...(result.usage ? { usage: result.usage } : {}),
    timings,
    warnings: warningsOf(outcome),
  });
}

/**
 * As long as a record without its fields that may be left out can become: nothing that is not known before the work,
 * the time and the facts of the images, is longer than here.
 */
export function longestEssentials(planned: Omit<Planned, 'completedSecs'>): ImageMetadataRecord {
  const longest = { format: 'jpeg', width: 2 ** 31 - 1, height: 2 ** 31 - 1 } as const;
  const index = planned.negotiated.effective.n;
  return {
    ...recordOf({ ...planned, completedSecs: Number.MAX_SAFE_INTEGER }, { index, ...longest }, {}),
    omitted_fields: [...OMITTABLE_FIELDS],
  };
}

/** The record as JSON that `fits`, without what had to go for that and with its names; undefined when nothing more may go. */
export function fitRecord(
  record: ImageMetadataRecord,
  toJson: (record: ImageMetadataRecord) => string,
  fits: (json: string) => boolean,
): string | undefined {
  let kept = record;
  const omitted: OmittableField[] = [];
  for (const field of OMITTABLE_FIELDS) {
    const json = toJson(kept);
    if (fits(json)) return json;
    if (kept[field] === undefined) continue;
    omitted.push(field);
    const { [field]: _gone, ...rest } = kept;
    kept = { ...rest, omitted_fields: [...omitted] };
  }
  const json = toJson(kept);
  return fits(json) ? json : undefined;
}

function recordOf(
  { requestId, completedSecs, request, route, negotiated }: Planned,
  image: ImageFacts,
  told: Pick<ImageMetadataRecord, OmittableField>,
): ImageMetadataRecord {
  return {
    version: '1',
    request_id: requestId,
    completed: completedSecs,
    operation: request.operation,
    inputs: countInputs(request),
    ...promptsOf(request, negotiated),
    policies: request.policies,
    requested: request.parameters,
    effective: negotiated.effective,
    provider: route.provider.name,
    model: route.model,
    ...told,
    metadata: request.metadata,
    image,
  };
}

function countInputs({ inputs }: GenerationRequest): ImageMetadataRecord['inputs'] {
  return {
    images: inputs.images.length,
    mask: inputs.mask ? 1 : 0,
    reference_images: inputs.references.length,
  };
}

/** An effective prompt that says the same again is left out (specification 2.9). */
function promptsOf(
  { prompt, negative_prompt: negative }: GenerationRequest,
  negotiated: NegotiatedRequest,
) {
  return {
    prompt,
    ...(negotiated.prompt === prompt ? {} : { effective_prompt: negotiated.prompt }),
    ...(negative === null ? {} : { negative_prompt: negative }),
    ...(negotiated.negativePrompt === undefined
      ? {}
      : { effective_negative_prompt: negotiated.negativePrompt }),
  };
}
