import type { Provider, ProviderRequest } from '../../providers/provider-port.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';
import type { MaskPlan, NegotiatedRequest } from './negotiation.ts';
import type { Route } from './routing.ts';

/** What to ask of the provider, and in which calls. */
export interface AskPlan {
  readonly provider: Provider;
  /** Of each call; `parameters.n` is set call by call. */
  readonly request: Omit<ProviderRequest, 'indices' | 'images' | 'mask' | 'references'>;
  readonly sendsReferences: boolean;
  /** A mask that the bridge makes exact; undefined where there is none. */
  readonly mask: MaskPlan | undefined;
  /** The outputs that each call is asked for, by their indices: 0..n-1 in all. */
  readonly calls: readonly (readonly number[])[];
  /** How many calls of the provider may run at the same time, those of other operations included. */
  readonly maxParallelCalls: number;
  /** One call after the other. */
  readonly isSequential: boolean;
  /** The first failure ends all other calls. */
  readonly isFailFast: boolean;
  readonly partialImages: number;
  readonly session: GenerationRequest['session'];
}

/** What to ask of a route for a request that was fitted to it. */
export function toAskPlan(
  { operation, policies, session }: PlannedRequest,
  { provider, model, capabilities }: Route,
  { effective, providerFormat, prompt, negativePrompt, ...negotiated }: NegotiatedRequest,
): AskPlan {
  const { transparency, mask } = negotiated;
  const isMadeHere = mask !== undefined || providerFormat !== effective.output_format;
  const isKeyed = transparency.kind === 'chroma_key';
  const flatBackground = capabilities.backgrounds.includes('opaque') ? 'opaque' : 'auto';
  return {
    provider,
    request: {
      model,
      operation,
      prompt,
      ...(negativePrompt === undefined ? {} : { negativePrompt }),
      parameters: {
        ...effective,
        // A background that is removed afterwards has to be generated first.
        background: isKeyed ? flatBackground : effective.background,
        ...(mask ? { size: mask.size } : {}),
        output_format: providerFormat,
        output_compression: isMadeHere ? null : effective.output_compression,
      },
      ...(isKeyed ? { keyColor: transparency.keyColor } : {}),
    },
    sendsReferences: !negotiated.dropsReferences,
    mask,
    calls: toCalls(effective.n, capabilities.batching.native_count.max),
    maxParallelCalls: capabilities.batching.max_parallel_outputs,
    // Sessions that are not isolated run one turn at a time (specification 2.10.5).
    isSequential: policies.batch_execution === 'sequential' || session.mode !== 'isolated',
    isFailFast: effective.failure_policy === 'fail_fast',
    partialImages: effective.partial_images,
    session,
  };
}

/** 0..n-1 in calls of at most `size`. */
function toCalls(n: number, size: number): number[][] {
  const all = Array.from({ length: n }, (_, index) => index);
  return Array.from({ length: Math.ceil(n / size) }, (_, call) =>
    all.slice(call * size, (call + 1) * size),
  );
}
