import { toBridgeError } from '../../errors/bridge-error.ts';
import type { VerifiedImage } from '../../images/image.ts';
import { type InputFacts, type InputSet, mapInputs } from '../../inputs/input-source.ts';
import type { CallOutline, ProviderInput, ProviderRequest } from '../../providers/provider-port.ts';
import type { AskPlan } from './ask-plan.ts';

/** One call of a fan-out, in the provider's terms. */
export function toProviderRequest(
  ask: AskPlan,
  inputs: InputSet<VerifiedImage>,
  indices: readonly number[],
  threadId: string | undefined,
): ProviderRequest {
  const { request } = ask;
  return {
    ...request,
    parameters: { ...request.parameters, n: indices.length },
    indices,
    ...toCallImages(ask, mapInputs(inputs, toProviderInput)),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/** Throws what the provider would reject the calls with before it sends them, as far as that is known without the images. */
export function refuseCall(ask: AskPlan, inputs: InputSet<InputFacts>): void {
  const { provider } = ask;
  try {
    provider.refuse?.(toCallOutline(ask, inputs));
  } catch (thrown) {
    throw toBridgeError(thrown).with({ provider: provider.name });
  }
}

function toCallOutline(ask: AskPlan, inputs: InputSet<InputFacts>): CallOutline {
  const known = mapInputs(inputs, ({ byteLength }) => ({ bytes: { length: byteLength } }));
  // The source of an emulated mask is drawn anew.
  const redrawn = { images: [UNKNOWN, ...known.images.slice(1)], mask: UNKNOWN };
  return { ...ask.request, ...toCallImages(ask, ask.mask ? { ...known, ...redrawn } : known) };
}

const UNKNOWN = { bytes: { length: 0 } };

/** Each image where the provider takes it. */
function toCallImages<Image>(
  { sendsReferences, mask: plan }: AskPlan,
  { images, mask, references }: InputSet<Image>,
) {
  const isImage = plan !== undefined && plan.form === undefined;
  return {
    images,
    ...(mask && !isImage ? { mask } : {}),
    ...(mask && isImage ? { maskImage: mask } : {}),
    references: sendsReferences ? references : [],
  };
}

function toProviderInput({ format, ...image }: VerifiedImage): ProviderInput {
  return { ...image, mediaType: `image/${format}` };
}
