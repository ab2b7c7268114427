import * as v from 'valibot';
import { Refusal } from '../../upstream/refusal.ts';
import { readDataUrls } from '../request/data-urls.ts';
import { checkMembers, PLAIN_CALL } from '../request/json-request.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';
import { openAiError } from './openai.ts';

/** The models with the number of images that each reads, and the member for these images. */
const MODELS: Readonly<Record<string, { readonly max: number; readonly isKontext?: true }>> = {
  'black-forest-labs/FLUX.2-pro': { max: 8 },
  'black-forest-labs/FLUX.2-dev': { max: 8 },
  'black-forest-labs/FLUX.1-kontext-pro': { max: 1, isKontext: true },
  'black-forest-labs/FLUX.1-schnell': { max: 0 },
};

const Edge = v.pipe(v.number(), v.integer(), v.minValue(64), v.maxValue(2048), v.multipleOf(8));

const Request = v.strictObject({
  model: v.string(),
  prompt: v.pipe(v.string(), v.minLength(1)),
  n: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4))),
  width: v.optional(Edge),
  height: v.optional(Edge),
  seed: v.optional(v.pipe(v.number(), v.integer())),
  negative_prompt: v.optional(v.string()),
  output_format: v.optional(v.picklist(['jpeg', 'png'])),
  response_format: v.literal('base64'),
  image_url: v.optional(v.string()),
  reference_images: v.optional(v.pipe(v.array(v.string()), v.minLength(1))),
});

/** The image API of Together (its reference and its SDK, 2026-11). It reports no cost. */
export const together: Dialect = {
  about: "Together's image API: width and height, JPEG by default",
  basePath: '/v1',
  routes: { '/v1/images/generations': 'generate' },
  models: Object.keys(MODELS),
  hasKey: true,

  checkHead: checkBearer,
  async toCall(_operation, fields) {
    const sent = checkMembers(Request, fields);
    const model = Object.hasOwn(MODELS, sent.model) ? MODELS[sent.model] : undefined;
    if (!model) {
      throw new Refusal({ status: 404, code: 'model_not_available', message: 'no such model' });
    }
    const { image_url: one, reference_images: several = [] } = sent;
    const wrong = model.isKontext ? several.length > 0 : one !== undefined;
    const urls = [...(one === undefined ? [] : [one]), ...several];
    if (wrong || urls.length > model.max) {
      const param = one === undefined ? 'reference_images' : 'image_url';
      throw new Refusal({ status: 400, code: 'invalid_value', message: 'not of the model', param });
    }
    return {
      ...PLAIN_CALL,
      operation: urls.length > 0 ? 'edit' : 'generate',
      model: sent.model,
      prompt: sent.prompt,
      negativePrompt: sent.negative_prompt,
      seed: sent.seed,
      n: sent.n ?? 1,
      width: sent.width ?? 1024,
      height: sent.height ?? 1024,
      format: sent.output_format ?? 'jpeg',
      images: await readDataUrls(urls, one === undefined ? 'reference_images' : 'image_url'),
      fields: fields.values,
    };
  },
  toErrorBody: openAiError,
  replyMembers: ({ model }, ids) => ({ id: ids.newUuid(), model, object: 'list' }),
  itemMembers: () => ({ index: 0, type: 'b64_json' }),
  replyHeaders: (ids) => ({ 'x-request-id': ids.newUuid() }),
};
