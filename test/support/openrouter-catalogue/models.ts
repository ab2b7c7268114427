/**
 * The facts of the 59 models in the reply of OpenRouter's `GET /api/v1/images/models` of 2026-10-09. Source: the recording
 * `data/media_snapshots/2026-10-09/openrouter_image_models.json` in the public repository `gelson-ai/llm-analysis`. Names,
 * descriptions and dates of the models are omitted.
 */
interface Facts {
  readonly id: string;
  readonly streams?: true;
  readonly ratios?: string;
  readonly resolutions?: string;
  readonly qualities?: string;
  readonly formats?: string;
  readonly backgrounds?: string;
  /** The minimum and the maximum number of input images. */
  readonly references?: readonly [number, number];
  /** The maximum of `n`, whose minimum is 1. */
  readonly n?: number;
  readonly compression?: true;
  readonly seed?: true;
  /** True if the model lists `size` without its values. */
  readonly size?: true;
}

const GEMINI = '1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9';
const GEMINI_LONG = '1:1 1:4 1:8 2:3 3:2 3:4 4:1 4:3 4:5 5:4 8:1 9:16 16:9 21:9';
const GPT = '1:1 3:2 2:3 4:3 3:4 16:9 9:16 21:9 auto';
const GPT_SHORT = '1:1 3:2 2:3 auto';
const SEEDREAM =
  '1:1 1:2 2:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 9:19.5 19.5:9 9:20 20:9 9:21 21:9 auto';
const GROK = '1:1 3:4 4:3 9:16 16:9 2:3 3:2 9:19.5 19.5:9 9:20 20:9 1:2 2:1 auto';
const QWEN = '1:1 1:2 1:4 2:1 2:3 3:2 3:4 4:1 4:3 4:5 5:4 9:16 16:9';
const FLUX_3 = '21:9 2:1 16:9 3:2 7:5 4:3 5:4 1:1 4:5 3:4 5:7 2:3 9:16 1:2 9:21 auto';
const WIDE = '1:1 4:3 3:4 3:2 2:3 16:9 9:16 21:9 auto';
const MAI = '1:1 4:3 3:4 16:9 9:16 3:2 2:3 auto';
const KREA = '1:1 4:3 3:2 16:9 4:5 2:3 9:16';
const RECRAFT = '1:1 4:3 3:4 16:9 9:16 auto';
const STYLES = '1:1 2:1 1:2 3:2 2:3 4:3 3:4 5:4 4:5 16:9 9:16 auto';

const LEVELS = 'auto low medium high';
const ANY_BACKGROUND = 'auto transparent opaque';

function gpt(id: string, facts: Omit<Facts, 'id'> = {}): Facts {
  return {
    ...{ id: `openai/${id}`, streams: true, ratios: GPT, qualities: LEVELS },
    ...{ backgrounds: ANY_BACKGROUND, n: 10, references: [0, 16], compression: true, ...facts },
  };
}

function gemini(id: string, resolutions: string, ratios = GEMINI_LONG): Facts {
  return { id: `google/${id}`, resolutions, ratios, n: 1, references: [0, 14] };
}

function seedream(id: string, resolutions: string, n: number): Facts {
  const name = `bytedance-seed/${id}`;
  return { id: name, resolutions, ratios: SEEDREAM, n, references: [0, 14], seed: true };
}

const qwen = (id: string): Facts => ({
  ...{ id: `qwen/${id}`, resolutions: '1K 2K', ratios: QWEN, n: 6, references: [0, 4], seed: true },
});
const krea = (id: string): Facts => ({
  ...{ id: `krea/${id}`, resolutions: '1K', ratios: KREA, references: [0, 1], seed: true },
});
const mai = (id: string, most: number): Facts => ({
  ...{ id: `microsoft/${id}`, ratios: MAI, n: 1, references: [0, most] },
});
const flux2 = (id: string, most: number): Facts => ({
  ...{ id: `black-forest-labs/${id}`, ratios: WIDE, formats: 'png jpeg' },
  ...{ n: 1, references: [0, most], seed: true },
});
const styles = (id: string, formats?: string): Facts => ({
  ...{ id: `recraft/${id}`, ratios: STYLES, n: 6, references: [1, 10] },
  ...(formats ? { formats } : {}),
});
const recraft = (id: string, formats?: string): Facts => ({
  ...{ id: `recraft/${id}`, ratios: RECRAFT, n: 6, references: [0, 1] },
  ...(formats ? { formats } : {}),
});
const river = (
  id: string,
  resolutions: string,
  most: number,
  facts: Partial<Facts> = {},
): Facts => ({
  ...{ id: `sourceful/${id}`, resolutions, ratios: WIDE, n: 1, references: [0, most], ...facts },
});
const grok = (id: string, facts: Partial<Facts> = {}): Facts => ({
  ...{ id: `x-ai/${id}`, resolutions: '1K 2K', ratios: GROK, n: 1, references: [0, 3], ...facts },
});

const MODELS: readonly Facts[] = [
  gemini('gemini-nano-banana-2.1', '1K 2K 4K'),
  {
    ...{ id: 'tencent/hy-image-v3.5-preview', resolutions: '1K 1.5K 2K 4K', ratios: QWEN },
    ...{ n: 1, references: [0, 20], seed: true, size: true },
  },
  seedream('seedream-5-0-flash', '1K 2K', 1),
  {
    ...{ id: 'black-forest-labs/flux-3-image', resolutions: '768 1K 1.5K 2K 4K' },
    ...{ ratios: FLUX_3, n: 1, references: [0, 10] },
  },
  {
    ...{ id: 'inclusionai/ming-image-0.1-design-layer', formats: 'png webp' },
    ...{ n: 1, references: [1, 1], size: true },
  },
  { id: 'recraft/recraft-v4.1-flash', ratios: RECRAFT, n: 6 },
  {
    ...{ id: 'inclusionai/ming-image-0.1-design', formats: 'png jpeg webp' },
    ...{ n: 1, references: [0, 0], size: true },
  },
  gpt('gpt-image-2.5-sunburst', { qualities: `${LEVELS} xhigh max` }),
  gpt('gpt-image-2.5-flare', { qualities: `${LEVELS} xhigh max` }),
  mai('mai-image-2.6', 5),
  mai('mai-image-2.6-flash', 5),
  { id: 'meta/muse-image' },
  styles('recraft-v4-styles-pro'),
  styles('recraft-v4-styles-vector', 'svg'),
  styles('recraft-v4-styles-pro-vector', 'svg'),
  styles('recraft-v4-styles'),
  seedream('seedream-5-0-lite', '2K 4K', 4),
  seedream('seedream-5-0-pro', '1K 2K', 1),
  grok('grok-imagine-image-2.0', { qualities: 'low medium' }),
  qwen('qwen-image-3-pro'),
  qwen('qwen-image-3'),
  mai('mai-image-2.5-pro', 1),
  krea('krea-2-large'),
  krea('krea-2-medium'),
  krea('krea-2-medium-turbo'),
  gemini('gemini-3.1-flash-lite-image', '1K'),
  gpt('gpt-image-2', { backgrounds: 'auto opaque' }),
  gpt('gpt-image-1-mini', { ratios: GPT_SHORT }),
  gpt('gpt-image-1', { ratios: GPT_SHORT }),
  gemini('gemini-3.1-flash-image', '512 1K 2K 4K'),
  gemini('gemini-3-pro-image', '1K 2K 4K', GEMINI),
  river('riverflow-v2.5-pro', '1K 2K 4K', 10, {
    ...{ formats: 'png jpeg webp', backgrounds: ANY_BACKGROUND },
  }),
  river('riverflow-v2.5-fast', '1K 2K', 4, { formats: 'jpeg', backgrounds: ANY_BACKGROUND }),
  mai('mai-image-2.5', 1),
  grok('grok-imagine-image-quality'),
  recraft('recraft-v4.1-pro-vector', 'svg'),
  recraft('recraft-v4.1-vector', 'svg'),
  recraft('recraft-v4.1-utility-pro'),
  recraft('recraft-v4.1-utility'),
  recraft('recraft-v4.1-pro'),
  recraft('recraft-v4.1'),
  recraft('recraft-v4-pro-vector', 'svg'),
  recraft('recraft-v4-vector', 'svg'),
  recraft('recraft-v4-pro'),
  recraft('recraft-v4'),
  recraft('recraft-v3'),
  gpt('gpt-5.4-image-2', { backgrounds: 'auto opaque' }),
  gemini('gemini-3.1-flash-image-preview', '512 1K 2K 4K'),
  river('riverflow-v2-pro', '1K 2K 4K', 10),
  river('riverflow-v2-fast', '1K 2K 4K', 4),
  flux2('flux.2-klein-4b', 4),
  seedream('seedream-4.5', '1K 2K 4K', 10),
  flux2('flux.2-max', 8),
  flux2('flux.2-flex', 8),
  flux2('flux.2-pro', 8),
  gemini('gemini-3-pro-image-preview', '1K 2K 4K', GEMINI),
  gpt('gpt-5-image-mini', { ratios: GPT_SHORT }),
  gpt('gpt-5-image', { ratios: GPT_SHORT }),
  { id: 'google/gemini-2.5-flash-image', ratios: GEMINI, n: 1, references: [0, 3] },
];

/** A model in the form of the service. */
interface RecordedModel {
  readonly id: string;
  readonly supported_parameters: Readonly<Record<string, object>>;
  readonly supports_streaming: boolean;
}

/** Returns the list in the form of the service. */
export function openrouterCatalogue(): { readonly data: readonly RecordedModel[] } {
  return { data: MODELS.map(toItem) };
}

function toItem(facts: Facts): RecordedModel {
  const { id, streams = false, references, n, compression, seed, size } = facts;
  const named = [
    ['resolution', facts.resolutions],
    ['aspect_ratio', facts.ratios],
    ['quality', facts.qualities],
    ['output_format', facts.formats],
    ['background', facts.backgrounds],
  ] as const;
  const parameters = [
    ...named.flatMap(([name, values]) => (values ? [[name, listOf(values)] as const] : [])),
    ...(n ? [['n', { type: 'range', min: 1, max: n }] as const] : []),
    ...(references ? [['input_references', rangeOf(references)] as const] : []),
    ...(compression ? [['output_compression', rangeOf([0, 100])] as const] : []),
    ...(seed ? [['seed', { type: 'boolean' }] as const] : []),
    ...(size ? [['size', { type: 'boolean' }] as const] : []),
  ];
  const item = {
    id,
    name: id,
    description: '',
    created: 1_791_500_000,
    architecture: {
      input_modalities: references || id.startsWith('meta/') ? ['text', 'image'] : ['text'],
      output_modalities: ['image'],
    },
    supported_parameters: Object.fromEntries(parameters),
    supports_streaming: streams,
    endpoints: `/api/v1/images/models/${id}/endpoints`,
  };
  return item;
}

function listOf(values: string): object {
  return { type: 'enum', values: values.split(' ') };
}

function rangeOf([min, max]: readonly [number, number]): object {
  return { type: 'range', min, max };
}
