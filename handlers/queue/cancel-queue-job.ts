import { JobPath } from '../../lib/contract/resources/job.ts';
import { QueueJob } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** DELETE /v1/queue/jobs/{id}: cancels a job of any token that waits or runs. Throws `not_found`. */
export const handler = operation<'jobQueue'>()({
  id: 'cancelQueueJob',
  summary: 'Cancel a job of any token',
  protection: 'admin',
  request: { path: JobPath },
  reply: { status: 200, description: 'The job as it then is.', body: QueueJob },
  errors: ['not_found', 'overloaded'],
  handle: async ({ path, services }) => ok(await services.jobQueue.cancel(path.id)),
});
