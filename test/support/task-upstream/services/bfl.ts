import * as v from 'valibot';
import { readJson } from '../../images-upstream/request/fields.ts';
import { toSentImage } from '../../images-upstream/request/sent-image.ts';
import { Refusal } from '../../upstream/refusal.ts';
import type { EmulatedService, Order, Phase } from '../emulated-service.ts';

const SEED = v.optional(v.nullable(v.pipe(v.number(), v.integer())));
const FORMAT = v.optional(v.nullable(v.picklist(['jpeg', 'png'])));
const COMMON = { prompt: v.pipe(v.string(), v.minLength(1)), seed: SEED, output_format: FORMAT };
const Ratio = v.optional(v.nullable(v.pipe(v.string(), v.regex(/^\d{1,2}:\d{1,2}$/))));
const Edge = (min: number, max: number, multiple: number) =>
  v.optional(v.pipe(v.number(), v.minValue(min), v.maxValue(max), v.multipleOf(multiple)));
const images = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      index === 0 ? 'input_image' : `input_image_${index + 1}`,
      v.optional(v.string()),
    ]),
  );

const FREE = { width: Edge(64, 4096, 16), height: Edge(64, 4096, 16) };
const DEV = { width: Edge(256, 1440, 32), height: Edge(256, 1440, 32) };

interface Model {
  readonly schema: v.GenericSchema<unknown, Readonly<Record<string, unknown>>>;
  /** Cents for the first megapixel and for each further one. */
  readonly cents: readonly [first: number, further: number];
}

const model = (entries: v.ObjectEntries, first: number, further = 0): Model => ({
  schema: v.strictObject({ ...COMMON, ...entries }),
  cents: [first, further],
});

const MODELS: Readonly<Record<string, Model>> = {
  'flux-2-pro': model({ ...FREE, ...images(8) }, 3, 1.5),
  'flux-2-max': model({ ...FREE, ...images(8) }, 7, 3),
  'flux-2-flex': model({ ...FREE, ...images(8), steps: v.optional(v.number()) }, 6, 6),
  'flux-2-klein-4b': model({ ...FREE, ...images(4) }, 1.4, 0.1),
  'flux-2-klein-9b': model({ ...FREE, ...images(4) }, 1.5, 0.2),
  'flux-kontext-pro': model({ aspect_ratio: Ratio, ...images(4) }, 4),
  'flux-kontext-max': model({ aspect_ratio: Ratio, ...images(4) }, 8),
  'flux-pro-1.1': model(DEV, 4),
  'flux-dev': model(DEV, 2.5),
  'flux-pro-1.1-ultra': model({ aspect_ratio: Ratio }, 6),
  'flux-pro-1.0-fill': model({ image: v.string(), mask: v.string() }, 5),
};

const STATUS: Readonly<Record<Phase, string>> = {
  queued: 'Pending',
  running: 'Pending',
  unheard_of: 'Warming Up',
  done: 'Ready',
  failed: 'Error',
  moderated: 'Content Moderated',
  aborted: 'Error',
  canceled: 'Error',
  lost: 'Task not found',
};

/** Black Forest Labs. Images are bare base64, and a missing `output_format` means JPEG. */
export const BFL_UPSTREAM: EmulatedService = {
  name: 'bfl',
  model: 'flux-2-pro',
  hasOneImage: true,
  keyHeader: { name: 'x-key', prefix: '' },
  isSubmission: (path) => /^\/v1\/flux-[a-z0-9.-]+$/.test(path),
  async check({ path, headers, body }) {
    const name = path.slice('/v1/'.length);
    const known = Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
    if (!known) throw new Refusal({ status: 404, code: 'not_found', message: 'Not Found' });
    const parsed = v.safeParse(known.schema, readJson(headers, body).values);
    if (!parsed.success) {
      const param = v.getDotPath(parsed.issues[0]) ?? undefined;
      throw new Refusal({ status: 422, code: 'value_error', message: 'invalid input', param });
    }
    return toOrder(name, parsed.output);
  },
  paths: (id) => ({ poll: `/v1/get_result?id=${id}` }),
  accepted: ({ id, urls, order, charge }) => ({
    status: 200,
    json: {
      id,
      polling_url: urls.poll,
      cost: Number(charge) / 1e8,
      input_mp: 0,
      output_mp: (order.width * order.height) / 1e6,
    },
  }),
  polled: ({ id, phase, images: [sample] }) => ({
    status: 200,
    json: {
      id,
      status: STATUS[phase],
      result: phase === 'done' ? { ...(sample ? { sample } : {}), seed: 1 } : null,
    },
  }),
  errorBody: ({ status, code, message, param }) => ({
    detail: status === 422 ? [{ type: code, loc: ['body', param], msg: message }] : message,
  }),
  charge({ model: name, width, height }) {
    const [first, further] = MODELS[name]?.cents ?? [0, 0];
    const megapixels = Math.ceil((width * height) / 1_048_576);
    return BigInt(Math.round((first + further * (megapixels - 1)) * 1e8));
  },
};

async function toOrder(name: string, fields: Readonly<Record<string, unknown>>): Promise<Order> {
  const sent = Object.entries(fields).filter(([key]) => /^(input_image|image|mask)/.test(key));
  const edges = new Set<string>();
  for (const [param, base64] of sent) {
    const image = await toSentImage(Buffer.from(String(base64), 'base64'));
    if (!image || String(base64).startsWith('data:')) {
      throw new Refusal({ status: 422, code: 'value_error', message: 'no image', param });
    }
    edges.add(`${image.width}x${image.height}`);
  }
  if ('mask' in fields && edges.size !== 1) {
    throw new Refusal({ status: 422, code: 'value_error', message: 'unequal', param: 'mask' });
  }
  const { width = 1024, height = 1024, output_format: format } = fields;
  return {
    model: name,
    prompt: String(fields['prompt']),
    count: 1,
    width: Number(width),
    height: Number(height),
    format: format === 'png' ? 'png' : 'jpeg',
    inputs: sent.length,
    fields,
  };
}
