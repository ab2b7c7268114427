import { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import { AsyncHeaders, ImageRequest, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/codes.ts';
import { ACCEPTED, ACCEPTED_HEADERS, acceptedReply } from '../../lib/http/reply/accepted-reply.ts';
import { ok, type Reply } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images: generates or edits images and returns the verified images. */
export const handler = operation<'imageRequests'>()({
  id: 'createImage',
  summary: 'Generate or edit images',
  protection: 'images',
  request: { headers: AsyncHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description: 'The images. All bytes and pixels of each image are verified.',
    body: ImageResponse,
    holdsBytes: true,
    also: [ACCEPTED],
    headers: {
      ...ACCEPTED_HEADERS,
      'idempotent-replayed':
        'Present and `true` if this reply repeats the reply to an earlier equal request.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }): Promise<Reply<unknown>> {
    const served = await services.imageRequests.serve(body, context);
    if (served.accepted) return acceptedReply(served);
    return ok(served.value, served.replayed ? REPLAYED : {});
  },
});
