import { Queue } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/queue: how many jobs wait and run, of all tokens. */
export const handler = operation<'jobQueue'>()({
  id: 'getQueue',
  summary: 'Show the queue',
  protection: 'read',
  request: {},
  reply: { status: 200, description: 'The queue of the jobs of all tokens.', body: Queue },
  errors: [],
  handle: async ({ services }) => ok(await services.jobQueue.read()),
});
