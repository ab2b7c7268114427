import {
  ARTIFACT_RESPONSE,
  CREATED,
  DELIVERED,
  type Examples,
  IMAGE_RESPONSE,
  PARAMETERS,
  PNG_BASE64,
  REQUEST_ID,
  TIMINGS,
} from './shared-values.ts';

const DESCRIPTOR = {
  name: 'sandbox',
  display_name: 'Sandbox',
  version: '1',
  experimental: false,
  models: ['sandbox-image', 'sandbox-basic'],
  default_model: 'sandbox-image',
  default: true,
};

const IMAGES = {
  support: 'native',
  max_count: 5,
  max_bytes_each: 33_554_432,
  max_bytes_total: 67_108_864,
};

const CAPABILITIES = {
  provider: 'sandbox',
  model: 'sandbox-image',
  implementation_version: '1',
  experimental: false,
  generation: true,
  edits: true,
  count: { min: 1, max: 255 },
  batching: { mode: 'fan_out', native_count: { min: 1, max: 4 }, max_parallel_outputs: 255 },
  sizes: { auto: true, allowed: [], arbitrary: true, min_edge: 16, max_edge: 4096 },
  aspect_ratio: 'native',
  resolution: 'native',
  negative_prompt: 'native',
  revised_prompt: 'unsupported',
  transparent_background: 'native',
  user_attribution: 'unsupported',
  qualities: ['auto', 'low', 'medium', 'high'],
  output_formats: ['png', 'jpeg', 'webp'],
  backgrounds: ['auto', 'opaque', 'transparent'],
  moderation: ['auto', 'low'],
  actions: ['auto', 'generate', 'edit'],
  input_fidelities: ['low', 'high'],
  reference_images: IMAGES,
  edit_images: IMAGES,
  masks: { ...IMAGES, max_count: 1 },
  partial_images: { min: 0, max: 3 },
  persistent_sessions: false,
  explicit_threads: false,
  source_transport: 'local',
};

const STARTED = { type: 'started', request_id: REQUEST_ID, created: CREATED };
const PROGRESS = { type: 'progress', stage: 'generating', index: 0 };
const PARTIAL = {
  type: 'partial_image',
  index: 0,
  partial_index: 0,
  format: 'png',
  width: 1,
  height: 1,
  b64_json: PNG_BASE64,
};
const COMPLETED = { type: 'completed', response: IMAGE_RESPONSE };

const PLANNED = {
  provider: 'sandbox',
  model: 'sandbox-basic',
  ready: true,
  effective: { ...PARAMETERS, background: 'transparent' },
};

const PLAN = {
  chosen: 0,
  routes: [
    {
      ...PLANNED,
      calls: 1,
      normalizations: [
        {
          field: 'parameters.background',
          requested: 'transparent',
          effective: 'transparent',
          reason: 'provider_alpha_emulated_with_local_chroma_key',
        },
      ],
      warnings: [],
      transparency: { mode: 'chroma_key', key_color: '#00FF00' },
    },
  ],
};

const REFUSED_PLAN = {
  chosen: null,
  routes: [
    {
      ...PLANNED,
      calls: 0,
      normalizations: [],
      warnings: [],
      error: {
        code: 'input',
        message: 'image in the request cannot be used',
        retryable: false,
        details: { field: 'images[0]', reason: 'too_many_bytes' },
        suggestions: ['Send a complete, single-frame PNG, JPEG or WebP image within the limits.'],
      },
    },
  ],
};

const FREE_SUM = {
  requests: 2,
  calls: 2,
  images: 2,
  unpriced: 0,
  free: 2,
  cost: { amount: '0', currency: 'USD', basis: 'free', bound: 'exact' },
};

const PLAN_BATCH = {
  routes: [
    {
      provider: 'sandbox',
      model: 'sandbox-image',
      ready: true,
      ...FREE_SUM,
      normalizations: [],
      warnings: [],
      refused: [],
    },
  ],
  total: FREE_SUM,
};

/** Examples of replies about providers and images, by component. */
export const REPLY_EXAMPLES: Examples = {
  Liveness: { live: { summary: 'The process is running', value: { status: 'live' } } },
  Ready: { ready: { summary: 'Requests are accepted', value: { status: 'ready' } } },
  NotReady: { not_ready: { summary: 'Requests are not accepted', value: { status: 'not_ready' } } },
  ProviderDescriptor: { sandbox: { summary: 'The embedded provider', value: DESCRIPTOR } },
  ProviderPage: {
    only: { summary: 'A bridge with one provider', value: { items: [DESCRIPTOR] } },
  },
  CapabilityDocument: {
    sandbox: { summary: 'The default model of the embedded provider', value: CAPABILITIES },
  },
  ImageResponse: {
    inline: { summary: 'The image inside the reply', value: IMAGE_RESPONSE },
    artifact: { summary: 'The image as an artifact', value: ARTIFACT_RESPONSE },
  },
  ImagePlan: {
    taken: { summary: 'A route that accepts the request', value: PLAN },
    refused: { summary: 'A route that rejects the request', value: REFUSED_PLAN },
  },
  ImagePlanBatchResult: {
    race: { summary: 'Two prompts on one model', value: PLAN_BATCH },
  },
  StreamEvent: {
    started: { summary: 'The work is queued or running', value: STARTED },
    progress: { summary: 'The next stage of the work', value: PROGRESS },
    partial_image: { summary: 'A partial image', value: PARTIAL },
    completed: { summary: 'The final result', value: COMPLETED },
  },
};

const MODEL = { id: 'sandbox-image', object: 'model', created: CREATED, owned_by: 'sandbox' };

const EVENT = {
  b64_json: PNG_BASE64,
  created_at: CREATED,
  size: 'auto',
  quality: 'auto',
  background: 'auto',
  output_format: 'png',
};

/** Examples of replies of the OpenAI-compatible routes, by component. */
export const OPENAI_EXAMPLES: Examples = {
  OpenAiImages: {
    inline: {
      summary: 'The image inside the reply',
      value: {
        created: CREATED,
        data: [{ b64_json: PNG_BASE64 }],
        background: 'opaque',
        output_format: 'png',
        size: '1x1',
        bridge_ext: {
          id: REQUEST_ID,
          provider: 'sandbox',
          model: 'sandbox-image',
          effective: PARAMETERS,
          normalizations: [],
          timings: TIMINGS,
          delivered: DELIVERED,
          ignored_parameters: ['style'],
          warnings: ['sandbox_output', 'ignored_parameters'],
        },
      },
    },
  },
  OpenAiGenerationEvent: {
    partial: {
      summary: 'A partial image',
      value: { type: 'image_generation.partial_image', partial_image_index: 0, ...EVENT },
    },
    completed: {
      summary: 'A finished image',
      value: { type: 'image_generation.completed', ...EVENT },
    },
  },
  OpenAiEditEvent: {
    completed: { summary: 'A finished image', value: { type: 'image_edit.completed', ...EVENT } },
  },
  Model: { sandbox: { summary: 'One model', value: MODEL } },
  ModelList: { list: { summary: 'All models', value: { object: 'list', data: [MODEL] } } },
};
