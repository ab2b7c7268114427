import { Queue, QueuePatch } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** PATCH /v1/queue: pauses the queue or resumes it, durably. Throws `overloaded`. */
export const handler = operation<'jobQueue'>()({
  id: 'updateQueue',
  summary: 'Pause or resume the queue',
  protection: 'admin',
  request: { body: QueuePatch },
  reply: { status: 200, description: 'The queue as it then is.', body: Queue },
  errors: ['overloaded'],
  handle: async ({ body, services }) => ok(await services.jobQueue.update(body)),
});
