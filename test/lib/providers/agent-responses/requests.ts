import type { Parameters } from '../../../../lib/contract/request/parameters.ts';
import type { ProviderInput, ProviderRequest } from '../../../../lib/providers/provider-port.ts';

export type RequestParts = Partial<Omit<ProviderRequest, 'parameters'>> & {
  readonly parameters?: Partial<Parameters>;
};

/** Returns a request for one image with the default of every parameter that `parts` does not set. */
export function agentRequest({ parameters, ...parts }: RequestParts = {}): ProviderRequest {
  const indices = parts.indices ?? [0];
  return {
    model: 'gpt-image-2',
    operation: (parts.images ?? []).length > 0 ? 'edit' : 'generate',
    prompt: 'A lighthouse in a storm',
    images: [],
    references: [],
    ...parts,
    indices,
    parameters: {
      n: indices.length,
      size: 'auto',
      aspect_ratio: null,
      resolution: null,
      quality: 'auto',
      output_format: 'png',
      output_compression: null,
      background: 'auto',
      moderation: 'auto',
      partial_images: 0,
      failure_policy: 'fail_fast',
      action: 'auto',
      input_fidelity: null,
      ...parameters,
    },
  };
}

/** Returns bytes as a verified input. */
export function inputOf(
  bytes: Buffer,
  mediaType: ProviderInput['mediaType'] = 'image/png',
): ProviderInput {
  return { bytes, mediaType, width: 1, height: 1, orientation: 1, sha256: '' };
}

/** Returns small inputs, which need not be images. */
export function someInputs(count: number): readonly ProviderInput[] {
  return Array.from({ length: count }, () => inputOf(Buffer.from('x')));
}
