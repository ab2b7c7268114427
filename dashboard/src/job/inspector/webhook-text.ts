import type { Job } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { text } from '../../text/text.ts';

/** Describes the delivery of the webhook about the end of a job. Returns undefined if the job has no webhook. */
export function toWebhookText(job: Job): string | undefined {
  if (job.webhook === undefined) return undefined;
  const { status, attempts: count, last_status: reply } = job.webhook;
  if (status === 'delivered') return text('job.webhook.delivered', { count });
  if (isOpen(job)) return text('job.webhook.atEnd');
  if (count === 0) return text('job.webhook.sending');
  const why =
    reply === undefined
      ? text('job.webhook.noReply')
      : text('job.webhook.replied', { status: reply });
  return text(`job.webhook.${status}`, { count, why });
}
