import { Queue, QueuePatch } from '../../lib/contract/resources/queue.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** PATCH /v1/queue: pauses or resumes the queue durably. Throws `overloaded`. */
export const handler = operation<'jobQueue'>()({
  id: 'updateQueue',
  summary: 'Pause or resume the queue',
  protection: 'admin',
  request: { body: QueuePatch },
  reply: { status: 200, description: 'The queue after the change.', body: Queue },
  errors: ['overloaded'],
  handle: async ({ body, services }) => ok(await services.jobQueue.update(body)),
});
