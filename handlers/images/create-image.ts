import { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import { AsyncHeaders, ImageRequest, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/generation-errors.ts';
import { ACCEPTED, ACCEPTED_HEADERS, acceptedReply } from '../../lib/http/reply/accepted-reply.ts';
import { ok, type Reply } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images: generates or edits images and replies with all of them, verified. */
export const handler = operation<'imageRequests'>()({
  id: 'createImage',
  summary: 'Generate or edit images',
  protection: 'images',
  request: { headers: AsyncHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description: 'The images, each verified to its last byte and pixel.',
    body: ImageResponse,
    holdsBytes: true,
    also: [ACCEPTED],
    headers: {
      ...ACCEPTED_HEADERS,
      'idempotent-replayed':
        'There, and `true`, when the work was that of an equal request; the body is the one that it got.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }): Promise<Reply<unknown>> {
    const served = await services.imageRequests.serve(body, context);
    if (served.accepted) return acceptedReply(served);
    return ok(served.value, served.replayed ? REPLAYED : {});
  },
});
