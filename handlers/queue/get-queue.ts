import { Queue } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/queue: returns the numbers of queued and running jobs of all tokens. */
export const handler = operation<'jobQueue'>()({
  id: 'getQueue',
  summary: 'Read the queue',
  protection: 'read',
  request: {},
  reply: { status: 200, description: 'The queue with the jobs of all tokens.', body: Queue },
  errors: [],
  handle: async ({ services }) => ok(await services.jobQueue.read()),
});
