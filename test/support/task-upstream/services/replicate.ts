import * as v from 'valibot';
import { readJson } from '../../images-upstream/request/fields.ts';
import { Refusal } from '../../upstream/refusal.ts';
import type { EmulatedService, EmulatedTask, Order, Phase } from '../emulated-service.ts';
import { checkImage } from './sent-url.ts';

const Edge = v.pipe(v.number(), v.integer(), v.minValue(256), v.maxValue(1440), v.multipleOf(32));
const Input = v.strictObject({
  prompt: v.pipe(v.string(), v.minLength(1)),
  aspect_ratio: v.optional(v.picklist(['1:1', '16:9', '9:16', 'custom']), '1:1'),
  width: v.optional(Edge),
  height: v.optional(Edge),
  num_outputs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4)), 1),
  seed: v.optional(v.pipe(v.number(), v.integer())),
  output_format: v.optional(v.picklist(['webp', 'jpg', 'png']), 'webp'),
  image_prompt: v.optional(v.string()),
});
type Input = v.InferOutput<typeof Input>;

const MODEL = 'black-forest-labs/flux-1.1-pro';
const VERSION = 'a'.repeat(64);
const Body = v.strictObject({ input: Input });
const VersionBody = v.strictObject({ input: Input, version: v.literal(VERSION) });

/** Time of one prediction, and the price of a second in units of 10^-10 USD. */
const PREDICT_SECS = 2.5;
export const REPLICATE_SECOND = 10_000_000;

const STATUS: Readonly<Record<Phase, string>> = {
  queued: 'starting',
  running: 'processing',
  unheard_of: 'warming',
  done: 'succeeded',
  failed: 'failed',
  moderated: 'failed',
  aborted: 'aborted',
  canceled: 'canceled',
  lost: '',
};

/** Replicate. The reply to a submission and the replies to polls have the same form. */
export const REPLICATE_UPSTREAM: EmulatedService = {
  name: 'replicate',
  model: MODEL,
  keyHeader: { name: 'authorization', prefix: 'Bearer ' },
  isSubmission: (path) =>
    path === '/predictions' || /^\/models\/[^/]+\/[^/]+\/predictions$/.test(path),
  async check({ path, headers, body }) {
    const isVersion = path === '/predictions';
    if (!isVersion && path !== `/models/${MODEL}/predictions`) {
      throw new Refusal({ status: 404, code: 'not_found', message: 'no such model' });
    }
    const [, secs] = /^(\d+)s$/.exec(String(headers['cancel-after'])) ?? [];
    if (!(Number(secs) >= 5)) {
      throw new Refusal({
        status: 422,
        code: 'invalid',
        message: 'Cancel-After must be 5s or more',
      });
    }
    const { values } = readJson(headers, body);
    const parsed = v.safeParse(isVersion ? VersionBody : Body, values);
    if (!parsed.success) {
      throw new Refusal({ status: 422, code: 'invalid', message: 'Input validation failed' });
    }
    const { image_prompt: image } = parsed.output.input;
    if (image !== undefined) await checkImage(image, 'image_prompt');
    return toOrder(parsed.output.input);
  },
  paths: (id) => ({ poll: `/predictions/${id}`, cancel: `/predictions/${id}/cancel` }),
  accepted: (task) => ({ status: 201, json: prediction(task) }),
  polled: (task) =>
    task.phase === 'lost'
      ? { status: 404, json: { detail: 'The requested resource could not be found.' } }
      : { status: 200, json: prediction(task) },
  cancel: {
    method: 'POST',
    statesNotBegun: true,
    reply: (task) => ({ status: 200, json: prediction(task) }),
  },
  errorBody: ({ status, message }) => ({
    detail: message,
    status,
    ...(status === 429 ? { retry_after: 7 } : {}),
  }),
  charge: () => BigInt(PREDICT_SECS * REPLICATE_SECOND),
};

function prediction({ id, phase, urls, images, order }: EmulatedTask) {
  const [only] = images;
  const error = phase === 'moderated' ? 'NSFW content detected. (E005)' : 'the model failed';
  return {
    id,
    model: MODEL,
    input: order.fields,
    status: STATUS[phase],
    // A model with one image returns a URL, and a model with several images returns a list.
    output: phase === 'done' ? (images.length === 1 ? only : images) : null,
    error: phase === 'failed' || phase === 'moderated' ? error : null,
    logs: '',
    metrics: phase === 'done' ? { predict_time: PREDICT_SECS, total_time: 3 } : {},
    urls: { get: urls.poll, cancel: urls.cancel, web: `https://replicate.com/p/${id}` },
  };
}

function toOrder(input: Input): Order {
  const { aspect_ratio: ratio, width, height, num_outputs: count, output_format } = input;
  const isFree = ratio === 'custom' && width !== undefined && height !== undefined;
  const edges = { '1:1': [1024, 1024], '16:9': [1344, 768], '9:16': [768, 1344] } as const;
  const [wide, high] = isFree ? [width, height] : edges[ratio === 'custom' ? '1:1' : ratio];
  return {
    model: MODEL,
    prompt: input.prompt,
    count,
    width: wide,
    height: high,
    format: output_format === 'jpg' ? 'jpeg' : output_format,
    inputs: input.image_prompt === undefined ? 0 : 1,
    fields: { ...input },
  };
}
