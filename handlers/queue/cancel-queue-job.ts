import { JobPath } from '../../lib/contract/resources/job.ts';
import { QueueJob } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** DELETE /v1/queue/jobs/{id}: cancels a queued or running job of any token. Throws `not_found`. */
export const handler = operation<'jobQueue'>()({
  id: 'cancelQueueJob',
  summary: 'Cancel a job of any token',
  protection: 'admin',
  request: { path: JobPath },
  reply: { status: 200, description: 'The job after the cancellation.', body: QueueJob },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, services }) => ok(await services.jobQueue.cancel(path.id)),
});
