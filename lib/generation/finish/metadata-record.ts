import type { Timings } from '../../contract/reply/image-response.ts';
import {
  type ImageMetadataRecord,
  OMITTABLE_FIELDS,
  type OmittableField,
} from '../../contract/reply/metadata-record.ts';
import type { FinishedOutput } from './finish.ts';
import { type Outcome, warningsOf } from './outcome.ts';

/** How one image was made, in full (contract.md 6). */
export function toMetadataRecord(
  outcome: Outcome,
  timings: Timings,
  { revisedPrompt }: Pick<FinishedOutput, 'revisedPrompt'>,
  image: ImageMetadataRecord['image'],
): ImageMetadataRecord {
  const { plan, result, attempts, completedSecs } = outcome;
  return {
    version: '1',
    completed: completedSecs,
    ...plan.report.record,
    normalizations: [...plan.report.normalizations],
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    ...(attempts ? { attempts: [...attempts] } : {}),
    ...(result.usage ? { usage: result.usage } : {}),
    ...(result.session ? { session: result.session } : {}),
    timings,
    warnings: warningsOf(outcome),
    image,
  };
}

/** The record as JSON that `fits`, without as many omittable fields as that takes. Undefined when it cannot fit. */
export function fitRecord(
  record: ImageMetadataRecord,
  toJson: (record: ImageMetadataRecord) => string,
  fits: (json: string) => boolean,
): string | undefined {
  let rest = record;
  const omitted: OmittableField[] = [];
  for (const field of OMITTABLE_FIELDS) {
    const json = toJson(rest);
    if (fits(json)) return json;
    if (rest[field] === undefined) continue;
    omitted.push(field);
    const { [field]: _, ...others } = rest;
    rest = { ...others, omitted_fields: [...omitted] };
  }
  const json = toJson(rest);
  return fits(json) ? json : undefined;
}
