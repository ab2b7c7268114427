import * as v from 'valibot';
import { Refusal } from '../../upstream/refusal.ts';
import { readDataUrls } from '../request/data-urls.ts';
import { checkMembers, edgesOf, PLAIN_CALL } from '../request/json-request.ts';
import type { Dialect } from './dialect.ts';

const MODELS = [
  'grok-imagine-image',
  'grok-imagine-image-pro',
  'grok-imagine-image-quality',
  'grok-imagine-image-2.0',
];

const RATIOS = '1:1 3:4 4:3 9:16 16:9 2:3 3:2 9:19.5 19.5:9 9:20 20:9 1:2 2:1 auto'.split(' ');

/** Price of one image in ticks, of which a dollar has 10^10. */
const PRICE = 200_000_000n;

const Image = v.strictObject({ url: v.string(), type: v.literal('image_url') });
const COMMON = {
  model: v.string(),
  prompt: v.pipe(v.string(), v.minLength(1)),
  n: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10))),
  aspect_ratio: v.optional(v.picklist(RATIOS)),
  resolution: v.optional(v.picklist(['1k', '2k'])),
  quality: v.optional(v.picklist(['low', 'medium', 'high'])),
  response_format: v.literal('b64_json'),
};
const Generate = v.strictObject(COMMON);
const Edit = v.pipe(
  v.strictObject({
    ...COMMON,
    image: v.optional(Image),
    images: v.optional(v.pipe(v.array(Image), v.minLength(1), v.maxLength(3))),
  }),
  v.check(({ image, images }) => (image === undefined) !== (images === undefined)),
);

/** The image API of xAI (its reference, and the provider of the AI SDK, 2026-11). Images are JPEG. */
export const xai: Dialect = {
  about: "xAI's image API: ratios instead of sizes, JSON edits, a cost in every reply",
  basePath: '/v1',
  routes: { '/v1/images/generations': 'generate', '/v1/images/edits': 'edit' },
  hasJsonEdits: true,
  models: MODELS,
  hasKey: true,
  price: PRICE,

  checkHead({ headers }, { key }) {
    if (headers.authorization === `Bearer ${key}`) return;
    const message = 'Incorrect API key provided: sk***. You can obtain an API key from a console.';
    throw new Refusal({ status: 400, code: 'invalid-argument', message });
  },
  async toCall(operation, fields) {
    const sent =
      operation === 'edit'
        ? checkMembers(Edit, fields)
        : { ...checkMembers(Generate, fields), image: undefined, images: undefined };
    if (!MODELS.includes(sent.model)) {
      throw new Refusal({ status: 404, code: 'not-found', message: 'The model does not exist' });
    }
    const urls = [...(sent.image ? [sent.image] : []), ...(sent.images ?? [])].map(
      ({ url }) => url,
    );
    return {
      ...PLAIN_CALL,
      operation,
      model: sent.model,
      prompt: sent.prompt,
      n: sent.n ?? 1,
      ...edgesOf(sent.aspect_ratio, sent.resolution),
      format: 'jpeg',
      quality: sent.quality ?? 'auto',
      images: await readDataUrls(urls, sent.image ? 'image' : 'images'),
      fields: fields.values,
    };
  },
  toErrorBody: ({ code, message }) => ({ code: code ?? 'unknown', error: message }),
  replyMembers: (call) => ({ usage: { cost_in_usd_ticks: Number(PRICE) * call.n } }),
  itemMembers: () => ({ respect_moderation: true, mime_type: 'image/jpeg' }),
  replyHeaders: (ids) => ({ 'x-request-id': ids.newUuid() }),
};
