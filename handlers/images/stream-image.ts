import { StreamEvent } from '../../lib/contract/reply/stream-events.ts';
import {
  IdempotencyHeaders,
  ImageRequest,
  REPLAYED,
} from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/generation-errors.ts';
import { stream } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images/stream: the same as POST /v1/images, with progress as events. */
export const handler = operation<'imageRequests'>()({
  id: 'streamImage',
  summary: 'Generate or edit images with progress events',
  protection: 'images',
  request: { headers: IdempotencyHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description:
      'Events from `started` to `completed` or `error`. A refusal before the start is a plain error reply. Closing the connection cancels the work, but for work under a key.',
    events: StreamEvent,
    headers: {
      'idempotent-replayed':
        'Present, and `true`, when the work is that of an equal request. The stream then has only `started` and the last event.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }) {
    const { value, replayed } = await services.imageRequests.stream(body, context);
    return stream(value, replayed ? REPLAYED : {});
  },
});
