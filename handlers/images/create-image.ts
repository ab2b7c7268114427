import { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import {
  ImageRequest,
  REPLAYED,
  SynchronousHeaders,
} from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/generation-errors.ts';
import { ok } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images: generates or edits images and replies with all of them, verified. */
export const handler = operation<'imageRequests'>()({
  id: 'createImage',
  summary: 'Generate or edit images',
  protection: 'images',
  request: { headers: SynchronousHeaders, body: ImageRequest },
  reply: {
    status: 200,
    description: 'The images, each verified to its last byte and pixel.',
    body: ImageResponse,
    holdsBytes: true,
    headers: {
      'idempotent-replayed':
        'There, and `true`, when the work was that of an equal request; the body is the one that it got.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }) {
    const { value, replayed } = await services.imageRequests.create(body, context);
    return ok(value, replayed ? REPLAYED : {});
  },
});
