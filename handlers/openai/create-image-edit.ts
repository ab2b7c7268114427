import { EDIT_FILES, EditsForm, EditsFormFields } from '../../lib/contract/openai/form.ts';
import { EditsBody } from '../../lib/contract/openai/images.ts';
import { EditStreamEvent, ImagesResponse } from '../../lib/contract/openai/response.ts';
import { AsyncHeaders, REPLAYED } from '../../lib/contract/request/image-request.ts';
import { GENERATION_ERRORS } from '../../lib/errors/codes.ts';
import { ACCEPTED, ACCEPTED_HEADERS, acceptedReply } from '../../lib/http/reply/accepted-reply.ts';
import type { Reply } from '../../lib/http/reply/reply.ts';
import { operation } from '../operation.ts';

/** POST /v1/images/edits: edits images for clients of the OpenAI API. */
export const handler = operation<'openAiImages'>()({
  id: 'createImageEdit',
  summary: 'Edit images (OpenAI-compatible)',
  protection: 'images',
  request: {
    headers: AsyncHeaders,
    form: { schema: EditsForm, fields: EditsFormFields, files: EDIT_FILES },
    body: EditsBody,
    ignoresQuery: true,
  },
  reply: {
    status: 200,
    description:
      'The images. If `stream` is true, the reply is a stream of events: partial images, one `completed` event per image, or an `error`.',
    body: ImagesResponse,
    holdsBytes: true,
    events: EditStreamEvent,
    also: [ACCEPTED],
    headers: {
      ...ACCEPTED_HEADERS,
      'idempotent-replayed':
        'Present and `true` if this reply repeats the images of an earlier equal request.',
    },
  },
  errors: GENERATION_ERRORS,
  async handle({ form, body, context, services }): Promise<Reply<unknown>> {
    const created = await services.openAiImages.edit(form ?? body, context);
    if ('accepted' in created) return acceptedReply(created);
    const { replayed, ...reply } = created;
    return { ...reply, headers: replayed ? REPLAYED : {} };
  },
});
