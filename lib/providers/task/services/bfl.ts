import * as v from 'valibot';
import { parseSize } from '../../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../../contract/resources/provider.ts';
import { FAILURES } from '../../backend/failures.ts';
import { optionalMember } from '../../backend/reply-members.ts';
import { INPUT_LIMITS, NO_IMAGES, sentImages, toPromptText } from '../../backend/sent-images.ts';
import { unsupported } from '../../failed-calls.ts';
import { requestFieldOf } from '../input-fields.ts';
import { TASK_FAILURES } from '../task-failures.ts';
import type { ImageTexts, TaskCall, TaskModel, TaskService, TaskState } from '../task-service.ts';

// Source: the OpenAPI document of Black Forest Labs, 2026-05.

const LIMITS = { ...INPUT_LIMITS, max_bytes_each: 20_971_520 };
const RATIOS = ['21:9', '16:9', '3:2', '4:3', '5:4', '1:1', '4:5', '3:4', '2:3', '9:16', '9:21'];

type Sizes = CapabilityDocument['sizes'];

const COMMON_SIZES = ['1024x1024', '1152x864', '864x1152', '1280x720', '720x1280'];
const BY_RATIO: Sizes = { auto: true, allowed: [], arbitrary: false };
const UP_TO_1440: Sizes = {
  auto: true,
  allowed: ['1024x1024', '1152x864', '864x1152', '1280x704', '704x1280', '1440x1440'],
  arbitrary: true,
  min_edge: 256,
  max_edge: 1440,
  edge_multiple: 32,
};
const UP_TO_4_MP: Sizes = {
  auto: true,
  allowed: [...COMMON_SIZES, '1536x1024', '1024x1536', '2048x2048', '2048x1152', '1152x2048'],
  arbitrary: true,
  min_edge: 64,
  max_edge: 4096,
  edge_multiple: 16,
  max_pixels: 4_194_304,
};

interface Family {
  readonly sizes: Sizes;
  /** Maximum number of input images. */
  readonly images?: number;
}

const FILL = 'flux-pro-1.0-fill';
const FAMILIES: Readonly<Record<string, Family>> = {
  'flux-2-pro': { sizes: UP_TO_4_MP, images: 8 },
  'flux-2-max': { sizes: UP_TO_4_MP, images: 8 },
  'flux-2-flex': { sizes: UP_TO_4_MP, images: 8 },
  'flux-2-klein-4b': { sizes: UP_TO_4_MP, images: 4 },
  'flux-2-klein-9b': { sizes: UP_TO_4_MP, images: 4 },
  'flux-kontext-pro': { sizes: BY_RATIO, images: 4 },
  'flux-kontext-max': { sizes: BY_RATIO, images: 4 },
  'flux-pro-1.1': { sizes: UP_TO_1440 },
  'flux-dev': { sizes: UP_TO_1440 },
  'flux-pro-1.1-ultra': { sizes: BY_RATIO },
};

const MODELS: ReadonlyMap<string, TaskModel> = new Map([
  ...Object.entries(FAMILIES).map(([name, family]) => [name, toModel(family)] as const),
  [FILL, fillModel()] as const,
]);

function toModel({ sizes, images = 0 }: Family): TaskModel {
  const inputs = images > 0 ? { ...LIMITS, max_count: images } : NO_IMAGES;
  const hasRatios = sizes === BY_RATIO;
  return {
    capabilities: {
      edits: images > 0,
      sizes,
      ...(hasRatios ? { aspect_ratio: 'native', aspect_ratios: RATIOS } : {}),
      resolution: hasRatios ? 'unsupported' : 'emulated',
      output_formats: ['png', 'jpeg'],
      reference_images: inputs,
      edit_images: inputs,
    },
    inputLimits: inputs,
    inputs(call, { base64 }) {
      const named = sentImages(call.request).map((image, index) => {
        const name = index === 0 ? 'input_image' : `input_image_${index + 1}`;
        return [name, base64(image)] as const;
      });
      const { aspect_ratio: ratio, size } = call.request.parameters;
      const edges = parseSize(size);
      return {
        ...commonInputs(call),
        ...(ratio === null ? {} : { aspect_ratio: ratio }),
        ...edges,
        ...Object.fromEntries(named),
      };
    },
  };
}

/** Returns the model that repaints the white part of a mask. */
function fillModel(): TaskModel {
  const one = { ...LIMITS, max_count: 1 };
  return {
    capabilities: {
      generation: false,
      edits: true,
      sizes: BY_RATIO,
      aspect_ratio: 'unsupported',
      resolution: 'unsupported',
      output_formats: ['png', 'jpeg'],
      reference_images: NO_IMAGES,
      edit_images: one,
      masks: { ...one, support: 'emulated' },
    },
    maskForm: 'white',
    inputLimits: one,
    refuse({ mask }) {
      if (!mask)
        throw unsupported('mask', 'the model edits only the part of an image that a mask selects');
    },
    inputs(call, { base64 }) {
      const { images, mask } = call.request;
      return {
        ...commonInputs(call),
        image: images.map(base64)[0],
        mask: mask && base64(mask),
      };
    },
  };
}

function commonInputs({ request, seed }: TaskCall) {
  return { prompt: toPromptText(request), seed, output_format: request.parameters.output_format };
}

const Cost = optionalMember(v.pipe(v.number(), v.minValue(0), v.maxValue(1e6)));
const Accepted = v.object({ id: v.string(), polling_url: v.string(), cost: Cost });
const Polled = v.object({
  status: v.string(),
  result: optionalMember(v.object({ sample: v.string() })),
});
const Located = v.looseTuple([v.object({ loc: v.looseTuple([v.unknown(), v.string()]) })]);
const ErrorBody = v.object({ detail: v.unknown() });

// One cent in units of 10^-10 USD.
const CENT = 1e8;

const BY_STATUS: Readonly<Record<string, TaskState>> = {
  'Request Moderated': {
    phase: 'failed',
    failure: { row: FAILURES.safety, moderationStage: 'input' },
  },
  'Content Moderated': {
    phase: 'failed',
    failure: { row: TASK_FAILURES.safetyOfOutput, moderationStage: 'output' },
  },
  Error: { phase: 'failed', failure: { row: TASK_FAILURES.failed } },
  Failed: { phase: 'failed', failure: { row: TASK_FAILURES.failed } },
  'Task not found': { phase: 'lost' },
};

/** Black Forest Labs. */
export const BFL: TaskService = {
  displayName: 'Black Forest Labs',
  baseUrl: 'https://api.bfl.ai',
  apiHosts: ['*.bfl.ai'],
  resultHosts: ['*.bfl.ai'],
  // The number of tasks is documented. The number of requests is not.
  limits: { requestsPerMinute: 1200, parallelTasks: 24 },
  keyHeaders: (key) => ({ 'x-key': key }),
  model: (name) => MODELS.get(name),
  submission: (call) => ({
    path: `/v1/${encodeURIComponent(call.request.model)}`,
    body: {
      json: (images: ImageTexts) => ({ ...call.model.inputs(call, images), ...call.constants }),
    },
  }),
  accepted({ value }) {
    const parsed = v.safeParse(Accepted, value);
    if (!parsed.success) return undefined;
    const { id, polling_url: poll, cost } = parsed.output;
    const charge =
      typeof cost === 'number' ? { amount: String(Math.round(cost * CENT)) } : undefined;
    return { ticket: { id, poll, ...(charge ? { charge } : {}) }, state: { phase: 'waiting' } };
  },
  polled({ value }) {
    const parsed = v.safeParse(Polled, value);
    if (!parsed.success) return undefined;
    const { status, result } = parsed.output;
    if (status === 'Ready') return { phase: 'done', images: result ? [result.sample] : [] };
    return Object.hasOwn(BY_STATUS, status) ? BY_STATUS[status] : { phase: 'waiting' };
  },
  failure({ value }, { request }) {
    const parsed = v.safeParse(ErrorBody, value);
    if (!parsed.success) return undefined;
    const located = v.safeParse(Located, parsed.output.detail);
    const field = located.success && requestFieldOf(located.output[0].loc[1], request);
    return field ? { field } : {};
  },
};
