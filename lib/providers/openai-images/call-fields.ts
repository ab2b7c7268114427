import type { ProviderRequest } from '../provider-port.ts';
import type { CallField, Dialect, ImagesSettings } from './dialects.ts';

type Value = string | number | boolean;

interface Options {
  readonly dialect: Dialect;
  readonly stream: ImagesSettings['stream'];
  readonly seed: number;
}

/** Whether the reply to a call is asked for as a stream of events. */
function isStreamed({ parameters }: ProviderRequest, stream: ImagesSettings['stream']): boolean {
  return stream === 'always' || (stream === 'auto' && parameters.partial_images > 0);
}

/** The fields of a call that its dialect knows, in a fixed order; what is left to the model is not among them. */
export function callFields(
  request: ProviderRequest,
  { dialect, stream, seed }: Options,
): readonly (readonly [CallField, Value])[] {
  const { parameters, indices, images, references, negativePrompt } = request;
  const hasInputs = images.length + references.length > 0;
  const values: Readonly<Record<CallField, Value | null | undefined>> = {
    n: indices.length > 1 ? indices.length : undefined,
    size: chosen(parameters.size),
    quality: chosen(parameters.quality),
    output_format: parameters.output_format,
    output_compression: parameters.output_compression,
    background: chosen(parameters.background),
    moderation: chosen(parameters.moderation),
    input_fidelity: hasInputs ? parameters.input_fidelity : undefined,
    partial_images: parameters.partial_images > 0 ? parameters.partial_images : undefined,
    stream: isStreamed(request, stream) ? true : undefined,
    seed,
    negative_prompt: negativePrompt,
    // Others give a URL by default, or a file of their own.
    response_format: 'b64_json',
  };
  return dialect.fields.flatMap((field) => {
    const value = values[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
}

function chosen(value: string): string | undefined {
  return value === 'auto' ? undefined : value;
}
