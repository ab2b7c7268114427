import { StreamEvent } from '../../lib/contract/reply/stream-events.ts';
import {
  IdempotencyHeaders,
  ImageRequest,
  REPLAYED,
} from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/generation-errors.ts';
import { stream } from '../../lib/http/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images/stream: the same as POST /v1/images, told as it happens. */
export const handler = operation<'imageRequests'>()({
  id: 'streamImage',
  summary: 'Generate or edit images, and watch',
  protection: 'bearer',
  request: { headers: IdempotencyHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description:
      'What happens, from `started` to `completed` or `error`; a refusal before the start is an answer of its own. Closing the connection cancels the work, but for work under a key.',
    events: StreamEvent,
    headers: {
      'idempotent-replayed':
        'There, and `true`, when the work is that of an equal request; only its beginning and its end are told then.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }) {
    const { value, replayed } = await services.imageRequests.stream(body, context);
    return stream(value, replayed ? REPLAYED : {});
  },
});
