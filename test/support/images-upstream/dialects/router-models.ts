import { openrouterCatalogue } from '../../openrouter-catalogue/models.ts';

/** A model in the list of OpenRouter, with the fields that it accepts beside `model` and `prompt`. */
export interface RouterModel {
  readonly supported_parameters: Readonly<Record<string, object>>;
  readonly supports_streaming: boolean;
}

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '9:19.5', '16:9', '21:9'];

/** Models whose descriptors differ in every kind of parameter. */
const VARIED_MODELS: Readonly<Record<string, RouterModel>> = {
  'openai/gpt-image-2': {
    supported_parameters: {
      size: listed('1024x1024', '1536x1024', '1024x1536'),
      quality: listed('auto', 'low', 'medium', 'high'),
      output_format: listed('png', 'jpeg', 'webp'),
      output_compression: range(0, 100),
      background: listed('auto', 'opaque'),
      n: range(1, 10),
      input_references: range(0, 16),
      stream: { type: 'boolean' },
    },
    supports_streaming: true,
  },
  'bytedance-seed/seedream-4.5': {
    supported_parameters: {
      aspect_ratio: listed('auto', ...RATIOS),
      resolution: listed('1K', '2K', '4K'),
      seed: { type: 'boolean' },
      input_references: range(0, 10),
    },
    supports_streaming: false,
  },
  'maker/sketch': {
    supported_parameters: { aspect_ratio: listed(...RATIOS) },
    supports_streaming: false,
  },
  'maker/vector': {
    supported_parameters: { aspect_ratio: listed(...RATIOS), output_format: listed('svg') },
    supports_streaming: false,
  },
  'maker/upscale': {
    supported_parameters: { resolution: listed('2K', '4K'), input_references: range(1, 1) },
    supports_streaming: false,
  },
};

/** All models of the emulator: the varied models, and those of a recorded list. */
export const ROUTER_MODELS: Readonly<Record<string, RouterModel>> = {
  ...VARIED_MODELS,
  ...Object.fromEntries(
    openrouterCatalogue()
      .data.filter(({ id }) => !Object.hasOwn(VARIED_MODELS, id))
      .map(({ id, supported_parameters, supports_streaming }) => [
        id,
        { supported_parameters, supports_streaming },
      ]),
  ),
};

/** An upstream of a model, with its own fields and prices. */
interface RouterEndpoint extends RouterModel {
  readonly provider_name: string;
  readonly provider_slug: string;
  readonly provider_tag: string | null;
  readonly allowed_passthrough_parameters: readonly string[];
  readonly pricing: readonly object[];
}

/** Returns the upstreams of a model, whose prices differ in every kind of unit. */
export function routerEndpoints(model: string): readonly RouterEndpoint[] {
  const { supported_parameters, supports_streaming } = ROUTER_MODELS[model] ?? NO_MODEL;
  const endpoint = (tag: string, pricing: readonly object[], own = supported_parameters) => ({
    provider_name: `The upstream ${tag}`,
    provider_slug: tag,
    provider_tag: tag,
    supported_parameters: own,
    allowed_passthrough_parameters: [],
    supports_streaming,
    pricing,
  });
  switch (model) {
    case 'openai/gpt-image-2':
      return [
        endpoint('openai', [
          price('input_text', 'token', 0.000005),
          price('input_image', 'token', 0.000008),
          price('output_image', 'token', 0.00003),
        ]),
      ];
    case 'bytedance-seed/seedream-4.5':
      return [
        endpoint('bytedance', [
          price('output_image', 'image', 0.04, '1k'),
          price('output_image', 'image', 0.04, '2k'),
          price('output_image', 'image', 0.08, '4k'),
          price('input_reference', 'image', 0.003),
        ]),
        endpoint('maker', [price('output_image', 'image', 0.05)], {
          aspect_ratio: listed(...RATIOS),
          resolution: listed('1K'),
        }),
      ];
    case 'maker/sketch':
      return [
        endpoint('maker', [
          price('output_image', 'megapixel', 0.014),
          price('input_font', 'request', 0.01),
        ]),
      ];
    default:
      return [endpoint('maker', [price('output_image', 'furlong', 0.1)])];
  }
}

const NO_MODEL: RouterModel = { supported_parameters: {}, supports_streaming: false };

function price(billable: string, unit: string, cost_usd: number, variant?: string) {
  return { billable, unit, cost_usd, ...(variant === undefined ? {} : { variant }) };
}

function listed(...values: readonly string[]) {
  return { type: 'enum', values };
}

function range(min: number, max: number) {
  return { type: 'range', min, max };
}
