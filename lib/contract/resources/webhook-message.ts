import * as v from 'valibot';
import { documented } from '../schema/documented.ts';
import { ImageJob, JOB_ENDS } from './job.ts';

const TYPES = JOB_ENDS.map((end) => `job.${end}` as const);

/** What a webhook is sent when a job has ended (beyond.md D). */
export const WebhookMessage = v.strictObject({
  type: documented(v.picklist(TYPES), 'How the job has ended.'),
  timestamp: documented(v.pipe(v.string(), v.isoTimestamp()), 'When the job has ended.'),
  data: ImageJob,
});
export type WebhookMessage = v.InferOutput<typeof WebhookMessage>;

/** The headers of each attempt, as Standard Webhooks 1.0 has them. */
export const WebhookHeaders = v.object({
  'webhook-id': documented(
    v.string(),
    'The id of the job. It is the same in every attempt: a receiver knows by it what it has had.',
  ),
  'webhook-timestamp': documented(v.string(), 'When this attempt was made, in Unix seconds.'),
  'webhook-signature': documented(
    v.string(),
    'One signature, or two separated by a space while the secret is rotated. Each is `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64.',
  ),
});
export type WebhookHeaders = v.InferOutput<typeof WebhookHeaders>;
