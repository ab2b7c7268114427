import * as v from 'valibot';
import { Refusal } from '../../upstream/refusal.ts';
import { readDataUrls } from '../request/data-urls.ts';
import type { Fields } from '../request/fields.ts';
import type { ImageCall } from '../request/image-call.ts';
import { checkMembers, edgesOf, PLAIN_CALL } from '../request/json-request.ts';
import { toSize } from '../request/local-request.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect, Failure } from './dialect.ts';
import { ROUTER_MODELS, type RouterModel, routerEndpoints } from './router-models.ts';

/** Upstreams of every model, by their tags. */
const UPSTREAMS = ['openai', 'bytedance', 'maker'];

/** Price of one image, in units of 10^-10 USD. */
const PRICE = 400_000_000n;

const Reference = v.strictObject({
  type: v.literal('image_url'),
  image_url: v.strictObject({ url: v.string() }),
});

const Request = v.strictObject({
  model: v.string(),
  prompt: v.pipe(v.string(), v.minLength(1)),
  n: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10))),
  size: v.optional(v.string()),
  aspect_ratio: v.optional(v.string()),
  resolution: v.optional(v.picklist(['512', '1K', '2K', '4K'])),
  quality: v.optional(v.string()),
  output_format: v.optional(v.picklist(['png', 'jpeg', 'webp'])),
  output_compression: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(100))),
  background: v.optional(v.picklist(['auto', 'opaque', 'transparent'])),
  seed: v.optional(v.pipe(v.number(), v.integer())),
  stream: v.optional(v.boolean()),
  input_references: v.optional(v.pipe(v.array(Reference), v.minLength(1))),
  provider: v.optional(
    v.strictObject({
      only: v.pipe(v.array(v.string()), v.minLength(1)),
      allow_fallbacks: v.literal(false),
    }),
  ),
});
type Request = v.InferOutput<typeof Request>;

/** The image API of OpenRouter (its guide to image generation and its SDK, 2026-11). */
export const openrouter: Dialect = {
  about: "OpenRouter's image API: JSON with references, a cost in every reply",
  basePath: '/api/v1',
  routes: { '/api/v1/images': 'generate' },
  models: Object.keys(ROUTER_MODELS),
  hasKey: true,
  price: PRICE,
  framing: { commentText: '', endsWithDone: true },
  documents: {
    '/api/v1/images/models': {
      data: Object.entries(ROUTER_MODELS).map(([id, model]) => ({
        id,
        name: id,
        description: 'A model.',
        created: 1_692_901_234,
        architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
        ...model,
        endpoints: `/api/v1/images/models/${id}/endpoints`,
      })),
    },
    ...Object.fromEntries(
      Object.keys(ROUTER_MODELS).map((id) => [
        `/api/v1/images/models/${id}/endpoints`,
        { id, endpoints: routerEndpoints(id) },
      ]),
    ),
  },

  billing: {
    path: '/api/v1/generation',
    reply: ({ id, amount }) => ({
      data: { id, total_cost: Number(amount) / 1e10, usage: Number(amount) / 1e10, is_byok: false },
    }),
  },

  checkHead: checkBearer,
  async toCall(_operation, fields) {
    const sent = checkMembers(Request, fields);
    const model = Object.hasOwn(ROUTER_MODELS, sent.model) ? ROUTER_MODELS[sent.model] : undefined;
    if (!model) throw new Refusal({ status: 404, code: '404', message: 'No endpoints found' });
    checkRoute(sent, fields, model);
    const images = await readDataUrls(
      (sent.input_references ?? []).map(({ image_url }) => image_url.url),
      'input_references',
    );
    const isStream = sent.stream === true && model.supports_streaming;
    return {
      ...PLAIN_CALL,
      operation: images.length > 0 ? 'edit' : 'generate',
      model: sent.model,
      prompt: sent.prompt,
      n: sent.n ?? 1,
      ...(toSize(sent.size) ?? edgesOf(sent.aspect_ratio, sent.resolution)),
      format: sent.output_format ?? (sent.model.startsWith('openai/') ? 'png' : 'jpeg'),
      compression: sent.output_compression,
      quality: sent.quality ?? 'auto',
      background: sent.background === 'transparent' ? 'transparent' : 'opaque',
      isStream,
      partialImages: isStream ? 2 : 0,
      images,
      fields: fields.values,
    };
  },
  toErrorBody: ({ status, code, message, metadata }: Failure) => ({
    error: { code: status < 300 ? (code ?? null) : status, message, ...(metadata && { metadata }) },
  }),
  replyMembers: (call) => ({ usage: usageOf(call, call.n) }),
  eventUsage: (call) => usageOf(call, 1),
  itemMembers: ({ format }) => ({ media_type: `image/${format}` }),
  replyHeaders: (ids) => ({ 'x-generation-id': `gen-img-${ids.newUuid()}` }),
};

/** Throws `Refusal` if no upstream supports the members of a request, or if the request allows no known upstream. */
function checkRoute(sent: Request, { values }: Fields, model: RouterModel): void {
  const [only, ...further] = sent.provider?.only ?? [];
  const endpoint =
    further.length === 0 &&
    routerEndpoints(sent.model).find(({ provider_tag: tag }) => tag === only);
  const { supported_parameters } = endpoint || model;
  const routing = ['model', 'prompt', 'provider', ...(sent.stream ? ['stream'] : [])];
  const unsupported = Object.keys(values).find(
    (name) => !routing.includes(name) && !isAccepted(supported_parameters[name], values[name]),
  );
  const references = supported_parameters['input_references'];
  const isMissing = references && 'min' in references && references.min === 1;
  const allowed = sent.provider?.only ?? UPSTREAMS;
  const isRoutable = allowed.some((tag) => UPSTREAMS.includes(tag));
  if (isRoutable && !unsupported && !(isMissing && !sent.input_references)) return;
  throw new Refusal({
    status: isRoutable ? 400 : 404,
    code: 'unrouted',
    message: 'No endpoints found that support the request',
    metadata: { failed_routing_step: isRoutable ? 'supported_parameters' : 'provider_only' },
  });
}

function isAccepted(descriptor: object | undefined, value: unknown): boolean {
  if (!descriptor) return false;
  if ('values' in descriptor)
    return Array.isArray(descriptor.values) && descriptor.values.includes(value);
  const count = Array.isArray(value) ? value.length : Number(value);
  if ('min' in descriptor && 'max' in descriptor) {
    return count >= Number(descriptor.min) && count <= Number(descriptor.max);
  }
  return true;
}

/** Returns a usage with a cost that depends only on the number of images, so that a test can compute it. */
function usageOf({ images }: ImageCall, outputs: number) {
  const [prompt_tokens, completion_tokens] = [12 + 300 * images.length, 1000 * outputs];
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cost: (Number(PRICE) / 1e10) * outputs,
    is_byok: false,
    cost_details: {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: 0,
      upstream_inference_completions_cost: 0,
    },
  };
}
