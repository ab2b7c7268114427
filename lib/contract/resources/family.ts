import * as v from 'valibot';
import { StoredInput } from '../request/image-input.ts';
import { Count, documented, Sha256 } from '../schema/fields.ts';
import { pageOf } from '../schema/page.ts';
import { DerivedFrom, ImageJobSummary } from './job.ts';

/** The maximum number of jobs in the reply to a request for a family. */
export const MAX_FAMILY = 60;

/** The maximum value of `total.count` of a family. */
export const MAX_FAMILY_COUNT = 1000;

export const DerivedJobPage = pageOf(ImageJobSummary);

export const JobFamily = v.strictObject({
  items: documented(
    v.array(
      v.strictObject({
        ...ImageJobSummary.entries,
        distance: documented(
          Count,
          'The number of steps from the requested job, each from a job to a job whose image it used, or back.',
        ),
        derived_from: DerivedFrom,
        mask: documented(
          v.optional(
            v.strictObject({
              input: documented(
                Count,
                'The index of the mask among the input images, as in `GET /v1/jobs/{id}/inputs/{index}`.',
              ),
              sha256: Sha256,
              width: StoredInput.entries.width,
              height: StoredInput.entries.height,
            }),
          ),
          'The mask of the job. Absent if the job has none.',
        ),
      }),
    ),
    'The jobs of the family, nearest first. The first job is the requested job.',
    { maxItems: MAX_FAMILY },
  ),
  total: documented(
    v.strictObject({
      count: documented(
        v.pipe(Count, v.maxValue(MAX_FAMILY_COUNT)),
        'The number of jobs that were found.',
      ),
      at_least: documented(
        v.boolean(),
        `True if the family may have more jobs. The search ends after ${MAX_FAMILY_COUNT} jobs or 64 steps.`,
      ),
    }),
    'The number of jobs in the family, those in `items` included.',
  ),
});
export type JobFamily = v.InferOutput<typeof JobFamily>;
