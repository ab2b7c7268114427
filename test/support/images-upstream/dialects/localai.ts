import { Refusal } from '../../upstream/refusal.ts';
import type { SentImage } from '../request/image-call.ts';
import { readLocalRequest } from '../request/local-request.ts';
import { toSentImage } from '../request/sent-image.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';

const MODELS = ['stablediffusion'];
const DEFAULTS = { width: 512, height: 512, format: 'png', responseFormat: 'url' } as const;

/** LocalAI (core/http/endpoints/openai/image.go): one JSON route, PNG only, the negative prompt after `|`. */
export const localai: Dialect = {
  about: 'LocalAI: one JSON route, images as base64 in `files`',
  basePath: '/v1',
  routes: { '/v1/images/generations': 'generate' },
  models: MODELS,
  hasKey: false,

  checkHead: checkBearer,
  async toCall(_operation, fields) {
    const call = readLocalRequest('generate', fields, DEFAULTS);
    if (call.model !== undefined && !MODELS.includes(call.model)) {
      throw new Refusal({ status: 404, code: 'model', message: 'model not found' });
    }
    const images = await readFiles(fields.values['files']);
    const [prompt = '', negativePrompt] = call.prompt.split('|');
    const operation = images.length > 0 ? 'edit' : 'generate';
    return { ...call, operation, prompt, negativePrompt, format: 'png', images };
  },
  toErrorBody: ({ status, message }) => ({ error: { code: status, message, type: '' } }),
  replyMembers: (_call, ids) => ({
    id: ids.newUuid(),
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  }),
  itemMembers: () => ({ embedding: null, index: 0 }),
  replyHeaders: () => ({}),
};

async function readFiles(files: unknown): Promise<SentImage[]> {
  const images: SentImage[] = [];
  for (const file of Array.isArray(files) ? files : []) {
    const image = await toSentImage(Buffer.from(String(file), 'base64'));
    if (!image) throw new Refusal({ status: 500, code: 'file', message: 'failed reading file' });
    images.push(image);
  }
  return images;
}
