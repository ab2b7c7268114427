import { OwnQueue } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** GET /v1/queue/own: returns the places of the jobs of the caller in the queue, and the estimated times of their starts. */
export const handler = operation<'jobQueue'>()({
  id: 'getOwnQueue',
  summary: 'Read the places of own jobs in the queue',
  protection: 'read',
  request: {},
  reply: {
    status: 200,
    description: 'The queued and running jobs of the caller.',
    body: OwnQueue,
  },
  errors: [],
  handle: async ({ context, services }) => ok(await services.jobQueue.readOwn(context.scope)),
});
