import * as v from 'valibot';
import { falModel, falPage } from '../../catalogue-replies.ts';
import { readJson } from '../../images-upstream/request/fields.ts';
import { Refusal } from '../../upstream/refusal.ts';
import type { EmulatedService, EmulatedTask, Order, Phase } from '../emulated-service.ts';
import { checkImage } from './sent-url.ts';

const PRESETS = {
  square_hd: [1024, 1024],
  square: [512, 512],
  portrait_4_3: [768, 1024],
  landscape_4_3: [1024, 768],
} as const;

const Edge = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14_142));
const Size = v.union([
  v.picklist(['square_hd', 'square', 'portrait_4_3', 'landscape_4_3']),
  v.strictObject({ width: Edge, height: Edge }),
]);
const COMMON = {
  prompt: v.pipe(v.string(), v.minLength(1)),
  num_images: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4)), 1),
  seed: v.optional(v.pipe(v.number(), v.integer())),
  output_format: v.optional(v.picklist(['jpeg', 'png']), 'jpeg'),
};

/** The inputs of each endpoint. fal also has inputs that change the safety checks, which the bridge must not send. */
const ENDPOINTS: Readonly<Record<string, v.GenericSchema<unknown, Inputs>>> = {
  'fal-ai/flux/dev': v.strictObject({ ...COMMON, image_size: v.optional(Size) }),
  'fal-ai/flux/dev/image-to-image': v.strictObject({
    ...COMMON,
    image_url: v.string(),
    strength: v.optional(v.number()),
  }),
};

interface Inputs {
  readonly prompt: string;
  readonly num_images: number;
  readonly output_format: 'jpeg' | 'png';
  readonly image_size?: v.InferOutput<typeof Size> | undefined;
  readonly image_url?: string;
}

/** Price of a megapixel in units of 10^-10 USD. */
export const FAL_MEGAPIXEL = 250_000_000n;

const STATUS: Readonly<Record<Phase, string>> = {
  queued: 'IN_QUEUE',
  running: 'IN_PROGRESS',
  unheard_of: 'WARMING_UP',
  done: 'COMPLETED',
  failed: 'COMPLETED',
  moderated: 'COMPLETED',
  aborted: 'COMPLETED',
  canceled: 'COMPLETED',
  lost: '',
};

const BillingQuery = v.strictObject({
  request_id: v.pipe(
    v.string(),
    v.transform((ids) => ids.split(',')),
    v.maxLength(50),
  ),
  start: v.pipe(v.string(), v.isoDate()),
  limit: v.pipe(v.string(), v.digits()),
});

const LIFETIME = 'x-fal-object-lifecycle-preference';
const TIMEOUT = 'x-fal-request-timeout';

/** The queue of fal. Its result is at a URL of its own, and says why a task failed. */
export const FAL_UPSTREAM: EmulatedService = {
  name: 'fal',
  model: 'fal-ai/flux/dev',
  // Failures of a runner are replies with a 5xx status, which fal does not charge.
  failsFree: true,
  keyHeader: { name: 'authorization', prefix: 'Key ' },
  isSubmission: (path) => /^\/fal-ai\/[\w./-]+$/.test(path) && !path.includes('/requests/'),
  async check({ path, headers, body }) {
    const name = path.slice(1);
    const schema = Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
    if (!schema) throw new Refusal({ status: 404, code: 'not_found', message: 'no such app' });
    if (headers[LIFETIME] !== '{"expiration_duration_seconds":86400}') {
      throw new Refusal({ status: 400, code: 'lifetime', message: 'files would stay public' });
    }
    if (!(Number(headers[TIMEOUT]) > 1)) {
      throw new Refusal({ status: 400, code: 'timeout', message: 'not more than one second' });
    }
    const parsed = v.safeParse(schema, readJson(headers, body).values);
    if (!parsed.success) {
      const param = v.getDotPath(parsed.issues[0]) ?? undefined;
      throw new Refusal({ status: 422, code: 'value_error', message: 'invalid input', param });
    }
    const { image_url: image } = parsed.output;
    if (image !== undefined) await checkImage(image, 'image_url');
    return toOrder(name, parsed.output);
  },
  paths(id, { model }) {
    // The URLs contain only the name of the app.
    const app = model.split('/').slice(0, 2).join('/');
    const task = `/${app}/requests/${id}`;
    return { poll: `${task}/status`, result: task, cancel: `${task}/cancel` };
  },
  accepted: ({ id, urls }) => ({
    status: 200,
    json: {
      status: 'IN_QUEUE',
      request_id: id,
      status_url: urls.poll,
      response_url: urls.result,
      cancel_url: urls.cancel,
      queue_position: 0,
    },
  }),
  polled: ({ id, phase, urls }) => ({
    status: phase === 'lost' ? 404 : phase === 'running' ? 202 : 200,
    json:
      phase === 'lost'
        ? { detail: 'Request not found' }
        : {
            status: STATUS[phase],
            request_id: id,
            response_url: urls.result,
            ...(phase === 'failed'
              ? { error: 'the runner failed', error_type: 'runner_server_error' }
              : {}),
          },
  }),
  result({ phase, images, order, charge }) {
    if (phase === 'moderated') {
      const detail = [{ loc: ['body', 'prompt'], type: 'content_policy_violation', msg: '' }];
      return { status: 422, json: { detail } };
    }
    if (phase !== 'done') return { status: 404, json: { detail: 'Request not found' } };
    const { width, height, format } = order;
    return {
      status: 200,
      headers: { 'x-fal-billable-units': String(charge / FAL_MEGAPIXEL) },
      json: {
        images: images.map((url) => ({ url, width, height, content_type: `image/${format}` })),
        seed: 1,
        prompt: order.prompt,
      },
    };
  },
  cancel: {
    method: 'PUT',
    reply: ({ phase }) =>
      phase === 'done'
        ? { status: 400, json: { status: 'ALREADY_COMPLETED' } }
        : { status: 202, json: { status: 'CANCELLATION_REQUESTED' } },
  },
  catalogue: {
    '/v1/models'(query) {
      const isOfEdits = query.get('category') === 'image-to-image';
      const names = Object.keys(ENDPOINTS).filter(
        (name) => name.endsWith('/image-to-image') === isOfEdits,
      );
      return { status: 200, json: falPage(names.map((name) => falModel(name, isOfEdits))) };
    },
    '/v1/models/pricing'(query) {
      const names = query.getAll('endpoint_id');
      if (names.length > 50 || names.some((name) => !Object.hasOwn(ENDPOINTS, name))) {
        return { status: 404, json: { detail: 'no such endpoint' } };
      }
      const unit_price = Number(FAL_MEGAPIXEL) / 1e10;
      const price = { unit_price, unit: 'megapixels', currency: 'USD' };
      const prices = names.map((endpoint_id) => ({ endpoint_id, ...price }));
      return { status: 200, json: { prices, next_cursor: null, has_more: false } };
    },
  },
  billing: {
    path: '/v1/models/billing-events',
    reply(query, tasks) {
      const parsed = v.safeParse(BillingQuery, Object.fromEntries(query));
      if (!parsed.success) {
        throw new Refusal({ status: 422, code: 'value_error', message: 'invalid query' });
      }
      const ids = parsed.output.request_id;
      const billed = tasks.filter(({ id, charge }) => ids.includes(id) && charge > 0n);
      return {
        status: 200,
        json: { billing_events: billed.map(toEvent), next_cursor: null, has_more: false },
      };
    },
  },
  errorBody: ({ status, code, message, param }) => ({
    detail:
      status === 422
        ? [{ type: code, loc: ['body', ...(param?.split('.') ?? [])], msg: message }]
        : message,
  }),
  charge({ width, height, count }) {
    const megapixels = Math.ceil((width * height) / 1_000_000);
    return BigInt(megapixels * count) * FAL_MEGAPIXEL;
  },
};

function toEvent({ id, order, charge }: EmulatedTask) {
  return {
    request_id: id,
    endpoint_id: order.model,
    timestamp: new Date().toISOString(),
    output_units: Number(charge / FAL_MEGAPIXEL),
    unit_price: Number(FAL_MEGAPIXEL) / 1e10,
    percent_discount: null,
    cost_total: Number(charge) / 1e10,
  };
}

function toOrder(model: string, inputs: Inputs): Order {
  const { prompt, num_images: count, output_format: format, image_size: size } = inputs;
  const [width, height] =
    typeof size === 'object' ? [size.width, size.height] : PRESETS[size ?? 'landscape_4_3'];
  return {
    model,
    prompt,
    count,
    width,
    height,
    format,
    inputs: inputs.image_url === undefined ? 0 : 1,
    fields: { ...inputs },
  };
}
