import * as v from 'valibot';
import { OUTPUT_FORMATS, Parameters } from '../request/parameters.ts';
import { Policies } from '../request/routing.ts';
import { documented } from '../schema/documented.ts';
import { Count, Sha256, UnixSecs, UserMetadata } from '../schema/fields.ts';
import {
  Attempt,
  Normalization,
  SessionReport,
  Timings,
  Usage,
  WARNINGS,
} from './image-response.ts';

/** What is left out of a record that would be too large for its image, in this order (contract.md 6). */
export const OMITTABLE_FIELDS = [
  'usage',
  'timings',
  'attempts',
  'warnings',
  'normalizations',
  'revised_prompt',
  'session',
] as const;
export type OmittableField = (typeof OMITTABLE_FIELDS)[number];

const omittable = {
  usage: v.optional(Usage),
  timings: documented(
    v.optional(Timings),
    'Up to the writing of the record: what publication takes is not in it.',
  ),
  attempts: v.optional(v.array(Attempt)),
  warnings: v.optional(v.array(v.picklist(WARNINGS))),
  normalizations: v.optional(v.array(Normalization)),
  revised_prompt: v.optional(v.string()),
  session: v.optional(SessionReport),
} satisfies Record<OmittableField, v.GenericSchema>;

/** How an image came to be: the sidecar beside it, and the XMP property `ib:record` inside it. */
export const ImageMetadataRecord = v.strictObject({
  version: v.literal('1'),
  request_id: v.string(),
  completed: UnixSecs,
  operation: v.picklist(['generate', 'edit']),
  inputs: documented(
    v.strictObject({ images: Count, mask: Count, reference_images: Count }),
    'How many images of each kind were given.',
  ),
  prompt: v.string(),
  effective_prompt: documented(
    v.optional(v.string()),
    'What was sent to the provider, where it differs.',
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
    bytes: documented(v.optional(Count), 'In a sidecar only: a file cannot hold its own size.'),
    sha256: documented(v.optional(Sha256), 'In a sidecar only: a file cannot hold its own sum.'),
  }),
  omitted_fields: documented(
    v.optional(v.array(v.picklist(OMITTABLE_FIELDS))),
    'What did not fit into the image.',
  ),
});
export type ImageMetadataRecord = v.InferOutput<typeof ImageMetadataRecord>;
