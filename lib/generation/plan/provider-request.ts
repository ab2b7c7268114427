import type { VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { ProviderInput, ProviderRequest } from '../../providers/provider-port.ts';
import type { GenerationRequest } from '../generation-request.ts';
import type { NegotiatedRequest } from './negotiation.ts';
import type { Route } from './routing.ts';

/** One call of a fan-out, in the provider's terms. */
export function toProviderRequest(
  request: GenerationRequest,
  route: Route,
  negotiated: NegotiatedRequest,
  inputs: InputSet<VerifiedImage>,
  indices: readonly number[],
): ProviderRequest {
  const { effective, providerFormat, prompt, negativePrompt, transparency } = negotiated;
  const isConverted = providerFormat !== effective.output_format;
  const isKeyed = transparency.kind === 'chroma_key';
  return {
    model: route.model,
    operation: request.operation,
    prompt,
    ...(negativePrompt === undefined ? {} : { negativePrompt }),
    parameters: {
      ...effective,
      n: indices.length,
      // What is cut out afterwards has to be painted first.
      background: isKeyed ? paintedBackground(route) : effective.background,
      output_format: providerFormat,
      output_compression: isConverted ? null : effective.output_compression,
    },
    indices,
    images: inputs.images.map(toProviderInput),
    ...(inputs.mask ? { mask: toProviderInput(inputs.mask) } : {}),
    references: negotiated.dropsReferences ? [] : inputs.references.map(toProviderInput),
    ...(isKeyed ? { keyColor: transparency.keyColor } : {}),
  };
}

function paintedBackground({ capabilities }: Route): 'opaque' | 'auto' {
  return capabilities.backgrounds.includes('opaque') ? 'opaque' : 'auto';
}

function toProviderInput({ format, ...image }: VerifiedImage): ProviderInput {
  return { ...image, mediaType: `image/${format}` };
}
