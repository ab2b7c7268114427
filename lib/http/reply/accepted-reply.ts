import { REPLAYED } from '../../contract/request/image-request.ts';
import { type AsyncPreference, toPreferenceApplied } from '../../contract/request/preference.ts';
import { ImageJob } from '../../contract/resources/job.ts';
import type { Reply } from './reply.ts';

/** A request that was accepted as a job because its client prefers a job. */
interface AcceptedRequest {
  readonly accepted: ImageJob;
  readonly retryAfterSecs: number;
  readonly preference: AsyncPreference;
  readonly replayed: boolean;
}

/** The additional reply of operations that may reply with a job. */
export const ACCEPTED = {
  status: 202,
  description: 'The job that makes the images, if requested by `Prefer: respond-async`.',
  body: ImageJob,
} as const;

export const ACCEPTED_HEADERS = {
  location: 'With 202: the URL of the job.',
  'preference-applied': 'With 202: the preference that was followed.',
  'retry-after': 'With 202: the estimated number of seconds until the job has ended.',
} as const;

export function acceptedReply({
  accepted,
  retryAfterSecs,
  preference,
  replayed,
}: AcceptedRequest): Reply<ImageJob> {
  return {
    status: ACCEPTED.status,
    value: accepted,
    headers: {
      location: `/v1/jobs/${accepted.id}`,
      'preference-applied': toPreferenceApplied(preference),
      'retry-after': String(retryAfterSecs),
      ...(replayed ? REPLAYED : {}),
    },
  };
}
