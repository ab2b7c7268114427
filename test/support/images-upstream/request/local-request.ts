import { Refusal } from '../../upstream/refusal.ts';
import type { Fields } from './fields.ts';
import type { ImageCall } from './image-call.ts';

interface Defaults {
  readonly width: number;
  readonly height: number;
  readonly format: ImageCall['format'];
  readonly responseFormat: ImageCall['responseFormat'];
  readonly seed?: number;
}

/** Parses the fields that all local servers read. Unknown fields of any type are ignored. */
export function readLocalRequest(
  operation: ImageCall['operation'],
  { values }: Fields,
  defaults: Defaults,
): ImageCall {
  const prompt = text(values['prompt']);
  if (!prompt) throw new Refusal({ status: 400, code: 'no_prompt', message: 'prompt required' });
  const format = text(values['output_format']) ?? defaults.format;
  if (format !== 'png' && format !== 'jpeg' && format !== 'webp') {
    const message = 'unsupported output_format';
    throw new Refusal({ status: 400, code: 'output_format', message, param: 'output_format' });
  }
  const { n, seed = defaults.seed } = values;
  return {
    operation,
    model: text(values['model']),
    prompt,
    negativePrompt: text(values['negative_prompt']),
    seed: typeof seed === 'number' ? seed : defaults.seed,
    n: typeof n === 'number' ? n : 1,
    ...(toSize(text(values['size'])) ?? { width: defaults.width, height: defaults.height }),
    format,
    background: 'opaque',
    quality: 'auto',
    isStream: false,
    partialImages: 0,
    responseFormat: toResponseFormat(text(values['response_format'])) ?? defaults.responseFormat,
    images: [],
    fields: values,
  };
}

/** Parses `WxH` to numbers. Returns undefined for any other text. */
export function toSize(size: string | undefined) {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size ?? '') ?? [];
  return width && height ? { width: Number(width), height: Number(height) } : undefined;
}

function toResponseFormat(name: string | undefined): ImageCall['responseFormat'] | undefined {
  return name === 'url' || name === 'b64_json' ? name : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
