import { QueueJobPage } from '../../lib/contract/resources/queue.ts';
import { PageQuery } from '../../lib/contract/schema/page.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/queue/jobs: lists the queued and running jobs of all tokens, without their content. */
export const handler = operation<'jobQueue'>()({
  id: 'listQueueJobs',
  summary: 'List the queued and running jobs of all tokens',
  protection: 'admin',
  request: { query: PageQuery },
  reply: {
    status: 200,
    description: 'One page of queued and running jobs, oldest first.',
    body: QueueJobPage,
  },
  errors: [],
  handle: async ({ query, services }) => ok(await services.jobQueue.list(query)),
});
