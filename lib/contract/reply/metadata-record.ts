import * as v from 'valibot';
import { OUTPUT_FORMATS, Parameters } from '../request/parameters.ts';
import { Policies } from '../request/routing.ts';
import { Count, documented, Sha256, UnixSecs, UserMetadata } from '../schema/fields.ts';
import { WireCost } from './cost.ts';
import {
  Attempt,
  Normalization,
  SessionReport,
  Timings,
  Usage,
  WARNINGS,
} from './image-response.ts';
import { Provenance, RecordedProvenance } from './provenance.ts';

/** The fields that are omitted, in this order, from a record that would be too large for its image. */
export const OMITTABLE_FIELDS = [
  'usage',
  'timings',
  'attempts',
  'warnings',
  'normalizations',
  'revised_prompt',
  'session',
  'cost',
  'provenance',
] as const;
export type OmittableField = (typeof OMITTABLE_FIELDS)[number];

const omittable = {
  usage: v.optional(Usage),
  cost: documented(
    v.optional(WireCost),
    'The cost of the calls of the route; for an image of a job, of the call that made the image.',
  ),
  timings: documented(
    v.optional(Timings),
    'Timings until the record was written, without the publication.',
  ),
  attempts: v.optional(v.array(Attempt)),
  warnings: v.optional(v.array(v.picklist(WARNINGS))),
  normalizations: v.optional(v.array(Normalization)),
  revised_prompt: v.optional(v.string()),
  session: v.optional(SessionReport),
  provenance: documented(
    v.optional(v.union([Provenance, RecordedProvenance])),
    'The provenance of the image. A record in an image has only `found` and `signer`, because the image is marked and signed after the record was made.',
  ),
} satisfies Record<OmittableField, v.GenericSchema>;

/** The record of the generation of an image: the content of the sidecar file and of the XMP property `ib:record`. */
export const ImageMetadataRecord = v.strictObject({
  version: v.literal('1'),
  request_id: v.string(),
  completed: UnixSecs,
  operation: v.picklist(['generate', 'edit']),
  inputs: documented(
    v.strictObject({ images: Count, mask: Count, reference_images: Count }),
    'The number of input images of each kind.',
  ),
  prompt: v.string(),
  effective_prompt: documented(
    v.optional(v.string()),
    'The prompt sent to the provider, if it differs from `prompt`.',
  ),
  negative_prompt: v.optional(v.string()),
  effective_negative_prompt: v.optional(v.string()),
  policies: v.strictObject(Policies.entries),
  requested: Parameters,
  effective: Parameters,
  provider: v.string(),
  model: v.string(),
  ...omittable,
  metadata: UserMetadata,
  image: v.strictObject({
    index: Count,
    format: v.picklist(OUTPUT_FORMATS),
    width: Count,
    height: Count,
    bytes: documented(
      v.optional(Count),
      'Only in a sidecar, because a file cannot contain its own size.',
    ),
    sha256: documented(
      v.optional(Sha256),
      'Only in a sidecar, because a file cannot contain its own checksum.',
    ),
  }),
  omitted_fields: documented(
    v.optional(v.array(v.picklist(OMITTABLE_FIELDS))),
    'The fields that did not fit into the image.',
  ),
});
export type ImageMetadataRecord = v.InferOutput<typeof ImageMetadataRecord>;
