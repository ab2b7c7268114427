import type { Warning } from '../../contract/reply/image-response.ts';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { EncodeOptions, MatteOptions } from '../../images/image.ts';
import { type InputFacts, type InputSet, toList } from '../../inputs/input-source.ts';
import type { Provider, ProviderRequest } from '../../providers/provider-port.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';
import { negotiate } from './negotiate.ts';
import { isExact } from './negotiate-mask.ts';
import type { MaskPlan, NegotiatedRequest } from './negotiation.ts';
import {
  type RecordEssentials,
  refuseLongRecord,
  toRecordEssentials,
} from './record-essentials.ts';
import type { Route } from './routing.ts';

/** What one request becomes on one route: all that the steps after it need to know of either. */
export interface Plan {
  readonly ask: AskPlan;
  readonly finish: FinishPlan;
  readonly report: ReportPlan;
  /** How the finished images are delivered. */
  readonly output: GenerationRequest['output'];
  /**
   * The plan of the same request once more is known of its images: those from elsewhere have a length only when they are
   * loaded. Throws `unsupported_capability`, `input`.
   */
  readonly withInputs: (inputs: InputSet<InputFacts>) => Plan;
}

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

/** How to make what comes back what was asked for. */
export interface FinishPlan {
  /** The format that the provider was asked for. */
  readonly providerFormat: OutputFormat;
  /** The encoding that is delivered. */
  readonly encoding: EncodeOptions;
  /** How the background is removed here; undefined where the provider delivers alpha itself, or none was asked for. */
  readonly matte: MatteOptions | undefined;
  readonly compatibility: GenerationRequest['policies']['compatibility'];
  readonly revisedPrompt: GenerationRequest['policies']['revised_prompt'];
  /** What the delivered image is compared with. */
  readonly requested: Pick<GenerationRequest, 'parameters' | 'formatNamed'>;
}

/** What to report of the request and its route. */
export interface ReportPlan extends Pick<NegotiatedRequest, 'normalizations'> {
  readonly record: RecordEssentials;
  readonly warnings: readonly Warning[];
}

/**
 * Fits a request to one route; `inputs` is all that is known of its images. Throws `unsupported_capability`,
 * `invalid_request`, `input`.
 */
export function makePlan(
  requestId: string,
  request: PlannedRequest,
  route: Route,
  inputs?: InputSet<InputFacts>,
): Plan {
  const { provider, model, capabilities } = route;
  const maskForm = provider.maskForm?.(model);
  const negotiated = negotiate(request, capabilities, { inputs, maskForm });
  const record = toRecordEssentials(requestId, request, route, negotiated);
  refuseLongRecord(record, request.output.metadata);
  const { normalizations, warnings } = negotiated;
  const plan: Plan = {
    ask: toAskPlan(request, route, negotiated),
    finish: toFinishPlan(request, negotiated),
    report: { record, normalizations, warnings },
    output: request.output,
    withInputs: (known) =>
      toList(known).length === 0 ? plan : makePlan(requestId, request, route, known),
  };
  return Object.freeze(plan);
}

function toAskPlan(
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

function toFinishPlan(
  { parameters, formatNamed, policies, output }: PlannedRequest,
  { effective, providerFormat, transparency, mask }: NegotiatedRequest,
): FinishPlan {
  const { output_format: format, output_compression: compression } = effective;
  const { transparent_threshold, opaque_threshold, despill } = output.transparency;
  return {
    providerFormat,
    encoding: {
      format,
      ...(compression === null ? {} : { compression }),
      ...(mask && format === 'webp' && isExact(effective) ? { lossless: true } : {}),
    },
    matte:
      transparency.kind === 'chroma_key'
        ? {
            keyColor: transparency.keyColor,
            transparentThreshold: transparent_threshold,
            opaqueThreshold: opaque_threshold,
            despill,
          }
        : undefined,
    compatibility: policies.compatibility,
    revisedPrompt: policies.revised_prompt,
    requested: { parameters, formatNamed },
  };
}
