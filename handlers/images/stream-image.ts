import { StreamEvent } from '../../lib/contract/reply/stream-events.ts';
import {
  IdempotencyHeaders,
  ImageRequest,
  REPLAYED,
} from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/codes.ts';
import { stream } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images/stream: generates or edits images in the same way as POST /v1/images, and reports progress as events. */
export const handler = operation<'imageRequests'>()({
  id: 'streamImage',
  summary: 'Generate or edit images with progress events',
  protection: 'images',
  request: { headers: IdempotencyHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description:
      'A stream of events. The first event is `started`, and the last event is `completed` or `error`. A request that is rejected before the start receives an ordinary error reply. If the client closes the connection, the work is cancelled, unless the request has an idempotency key.',
    events: StreamEvent,
    headers: {
      'idempotent-replayed':
        'Present and `true` if the stream repeats the outcome of an equal request. The stream then contains only `started` and the last event.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }) {
    const { value, replayed } = await services.imageRequests.stream(body, context);
    return stream(value, replayed ? REPLAYED : {});
  },
});
