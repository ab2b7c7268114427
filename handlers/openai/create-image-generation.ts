import { GenerationsBody } from '../../lib/contract/openai/images.ts';
import { GenerationStreamEvent, ImagesResponse } from '../../lib/contract/openai/response.ts';
import { AsyncHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/codes.ts';
import { ACCEPTED, ACCEPTED_HEADERS, acceptedReply } from '../../lib/http/reply/accepted-reply.ts';
import type { Reply } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images/generations: generates images for clients of the OpenAI API. */
export const handler = operation<'openAiImages'>()({
  id: 'createImageGeneration',
  summary: 'Generate images (OpenAI-compatible)',
  protection: 'images',
  request: { headers: AsyncHeaders, body: GenerationsBody, ignoresQuery: true },
  reply: {
    status: 200,
    description:
      'The images. If `stream` is true, the reply is a stream of events: partial images, one `completed` event per image, or an `error`.',
    body: ImagesResponse,
    holdsBytes: true,
    events: GenerationStreamEvent,
    also: [ACCEPTED],
    headers: {
      ...ACCEPTED_HEADERS,
      'idempotent-replayed':
        'Present and `true` if this reply repeats the images of an earlier equal request.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ body, context, services }): Promise<Reply<unknown>> {
    const created = await services.openAiImages.generate(body, context);
    if ('accepted' in created) return acceptedReply(created);
    const { replayed, ...reply } = created;
    return { ...reply, headers: replayed ? REPLAYED : {} };
  },
});
