import { Refusal } from '../../upstream/refusal.ts';
import type { SentImage } from '../request/image-call.ts';
import { readLocalRequest } from '../request/local-request.ts';
import { toSentImage } from '../request/sent-image.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';
import { openAiError } from './openai.ts';

const MODELS = ['some-model'];
const DEFAULTS = { width: 1024, height: 1024, format: 'png', responseFormat: 'url' } as const;

/** A server that accepts the fields of the first image API and ignores all others. */
export const generic: Dialect = {
  about: 'some compatible server: size and response_format; a URL unless asked for base64',
  basePath: '/v1',
  routes: { '/v1/images/generations': 'generate', '/v1/images/edits': 'edit' },
  models: MODELS,
  hasKey: false,

  checkHead: checkBearer,
  async toCall(operation, fields) {
    const call = readLocalRequest(operation, fields, DEFAULTS);
    if (call.model !== undefined && !MODELS.includes(call.model)) {
      throw new Refusal({ status: 404, code: 'model_not_found', message: 'no such model' });
    }
    const images: SentImage[] = [];
    for (const { bytes, name } of fields.files) {
      const image = await toSentImage(bytes);
      if (!image)
        throw new Refusal({ status: 400, code: 'invalid_image_file', message: 'no image' });
      if (name === 'image' || name === 'image[]') images.push(image);
    }
    return { ...call, format: 'png', images };
  },
  toErrorBody: openAiError,
  replyMembers: () => ({}),
  itemMembers: () => ({}),
  replyHeaders: (ids) => ({ 'x-request-id': ids.newUuid() }),
};
