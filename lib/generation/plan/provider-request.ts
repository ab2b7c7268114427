import type { VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { ProviderInput, ProviderRequest } from '../../providers/provider-port.ts';
import type { AskPlan } from './plan.ts';

/** One call of a fan-out, in the provider's terms. */
export function toProviderRequest(
  { request, sendsReferences, mask: plan }: AskPlan,
  inputs: InputSet<VerifiedImage>,
  indices: readonly number[],
  threadId: string | undefined,
): ProviderRequest {
  const mask = inputs.mask && toProviderInput(inputs.mask);
  const isImage = plan !== undefined && plan.form === undefined;
  return {
    ...request,
    parameters: { ...request.parameters, n: indices.length },
    indices,
    images: inputs.images.map(toProviderInput),
    ...(mask && !isImage ? { mask } : {}),
    ...(mask && isImage ? { maskImage: mask } : {}),
    references: sendsReferences ? inputs.references.map(toProviderInput) : [],
    ...(threadId === undefined ? {} : { threadId }),
  };
}

function toProviderInput({ format, ...image }: VerifiedImage): ProviderInput {
  return { ...image, mediaType: `image/${format}` };
}
