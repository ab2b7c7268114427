import { Refusal } from '../../upstream/refusal.ts';
import type { Fields } from '../request/fields.ts';
import type { SentImage } from '../request/image-call.ts';
import { readLocalRequest } from '../request/local-request.ts';
import { toSentImage } from '../request/sent-image.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';

const MODELS = ['stablediffusion'];
const DEFAULTS = { width: 512, height: 512, format: 'png', responseFormat: 'url' } as const;

/**
 * LocalAI (core/http/endpoints/openai/image.go): one JSON route, PNG only, the negative prompt after `|`. The first of `files`
 * is the source; `ref_images` are references.
 */
export const localai: Dialect = {
  about: 'LocalAI: one JSON route, a source in `files`, references in `ref_images`',
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
    const images = await readImages(fields.values);
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

/**
 * LocalAI reads images with stb_image: no WebP, and no image with fewer than three channels
 * (stablediffusion-ggml/cpp/gosd.cpp).
 */
async function readImages({ files, ref_images }: Fields['values']): Promise<SentImage[]> {
  const [first] = Array.isArray(files) ? files : [];
  const references = await Promise.all((Array.isArray(ref_images) ? ref_images : []).map(decoded));
  // LocalAI skips references that it cannot read.
  const readable = references.filter((image) => image !== undefined);
  if (first === undefined) return readable;
  const source = await decoded(first);
  if (!source) throw new Refusal({ status: 500, code: 'file', message: 'failed to load image' });
  return [source, ...readable];
}

async function decoded(file: unknown): Promise<SentImage | undefined> {
  const image = await toSentImage(Buffer.from(String(file), 'base64'));
  return image && image.format !== 'webp' && image.channels >= 3 ? image : undefined;
}
