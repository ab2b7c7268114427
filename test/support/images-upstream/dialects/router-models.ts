/** A model in the list of OpenRouter, with the fields that it accepts beside `model` and `prompt`. */
export interface RouterModel {
  readonly supported_parameters: Readonly<Record<string, object>>;
  readonly supports_streaming: boolean;
}

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '9:19.5', '16:9', '21:9'];

/** Models whose descriptors differ in every kind of parameter. */
export const ROUTER_MODELS: Readonly<Record<string, RouterModel>> = {
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
  'maker/upscale': {
    supported_parameters: { resolution: listed('2K', '4K'), input_references: range(1, 1) },
    supports_streaming: false,
  },
};

function listed(...values: readonly string[]) {
  return { type: 'enum', values };
}

function range(min: number, max: number) {
  return { type: 'range', min, max };
}
