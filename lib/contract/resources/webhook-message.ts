import * as v from 'valibot';
import { documented } from '../schema/documented.ts';
import { ImageJob, JOB_ENDS } from './job.ts';

const TYPES = JOB_ENDS.map((end) => `job.${end}` as const);

/** The message sent to a webhook when a job has ended. */
export const WebhookMessage = v.strictObject({
  type: documented(v.picklist(TYPES), 'The final status of the job.'),
  timestamp: documented(v.pipe(v.string(), v.isoTimestamp()), 'The time at which the job ended.'),
  data: ImageJob,
});
export type WebhookMessage = v.InferOutput<typeof WebhookMessage>;

/** The headers of each delivery attempt, as defined by Standard Webhooks 1.0. */
export const WebhookHeaders = v.object({
  'webhook-id': documented(
    v.string(),
    'The id of the job. The id is the same in every attempt, so a receiver can detect repeated messages.',
  ),
  'webhook-timestamp': documented(v.string(), 'The time of this attempt, in Unix seconds.'),
  'webhook-signature': documented(
    v.string(),
    'One signature, or two separated by a space while the secret is rotated. Each is `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64.',
  ),
});
export type WebhookHeaders = v.InferOutput<typeof WebhookHeaders>;
