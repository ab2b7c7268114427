import {
  type ImageMetadataRecord,
  OMITTABLE_FIELDS,
  type OmittableField,
} from '../../contract/reply/metadata-record.ts';
import { invalidField } from '../../contract/schema/issues.ts';
import { MAX_RECORD_BYTES, toXmpJson } from '../../images/xmp/xmp-packet.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';
import type { Route } from './routing.ts';

/** The part of a metadata record that is known before the work begins: the facts about the request and its route. */
export type RecordEssentials = Omit<
  ImageMetadataRecord,
  'version' | 'completed' | 'image' | 'omitted_fields' | OmittableField
>;

/** The maximum size in bytes of a record as JSON, before the JSON is escaped for XML. */
const MAX_EMBEDDED_BYTES = 40 * 1024;

export function toRecordEssentials(
  requestId: string,
  request: PlannedRequest,
  { provider, model }: Route,
  { prompt, negativePrompt, effective }: NegotiatedRequest,
): RecordEssentials {
  const { inputs, negative_prompt: negative } = request;
  return {
    request_id: requestId,
    operation: request.operation,
    inputs: {
      images: inputs.images.length,
      mask: inputs.mask ? 1 : 0,
      reference_images: inputs.references.length,
    },
    prompt: request.prompt,
    // An effective prompt that equals the prompt is omitted.
    ...(prompt === request.prompt ? {} : { effective_prompt: prompt }),
    ...(negative === null ? {} : { negative_prompt: negative }),
    ...(negativePrompt === undefined ? {} : { effective_negative_prompt: negativePrompt }),
    policies: request.policies,
    requested: request.parameters,
    effective,
    provider: provider.name,
    model,
    metadata: request.metadata,
  };
}

/** Throws `invalid_request` if an image cannot hold the record even without its omittable fields. */
export function refuseLongRecord(
  essentials: RecordEssentials,
  metadata: GenerationRequest['output']['metadata'],
): void {
  if (!isEmbedded(metadata) || fitsImage(JSON.stringify(longestRecord(essentials)))) return;
  throw invalidField(
    'output.metadata',
    'too_long',
    `needs prompts and metadata that fit into an embedded record of ${MAX_EMBEDDED_BYTES} bytes`,
  );
}

export function isEmbedded(metadata: GenerationRequest['output']['metadata']): boolean {
  return metadata.endsWith('embedded');
}

export function isSidecar(metadata: GenerationRequest['output']['metadata']): boolean {
  return metadata.startsWith('sidecar');
}

/**
 * Returns true if a record, given as JSON, fits into an image. The second limit applies to the record after it is escaped for
 * XML.
 */
export function fitsImage(json: string): boolean {
  return (
    Buffer.byteLength(json) <= MAX_EMBEDDED_BYTES &&
    Buffer.byteLength(toXmpJson(json)) <= MAX_RECORD_BYTES
  );
}

/**
 * Returns the longest possible record without its omittable fields. Values that are not known before the work, such as the time
 * and the facts about the image, have their maximum length.
 */
export function longestRecord(essentials: RecordEssentials): ImageMetadataRecord {
  const longest = { format: 'jpeg', width: 2 ** 31 - 1, height: 2 ** 31 - 1 } as const;
  return {
    version: '1',
    completed: Number.MAX_SAFE_INTEGER,
    ...essentials,
    image: { index: essentials.effective.n, ...longest },
    omitted_fields: [...OMITTABLE_FIELDS],
  };
}
