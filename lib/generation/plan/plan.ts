import type { Warning } from '../../contract/reply/image-response.ts';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { EncodeOptions, MatteOptions } from '../../images/image.ts';
import { type InputFacts, type InputSet, toList } from '../../inputs/input-source.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';
import { type AskPlan, toAskPlan } from './ask-plan.ts';
import { negotiate } from './negotiate.ts';
import { isExact } from './negotiate-mask.ts';
import { knownLengths, type NegotiatedRequest } from './negotiation.ts';
import { refuseCall } from './provider-request.ts';
import {
  isEmbedded,
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
  /** True if the metadata record goes into the image. */
  readonly embedsRecord: boolean;
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
  inputs: InputSet<InputFacts> = knownLengths(request),
): Plan {
  const { provider, model, capabilities } = route;
  const maskForm = provider.maskForm?.(model);
  const negotiated = negotiate(request, capabilities, { inputs, maskForm });
  const record = toRecordEssentials(requestId, request, route, negotiated);
  refuseLongRecord(record, request.output.metadata);
  const { normalizations, warnings } = negotiated;
  const ask = toAskPlan(request, route, negotiated);
  refuseCall(ask, inputs);
  const plan: Plan = {
    ask,
    finish: toFinishPlan(request, negotiated),
    report: { record, normalizations, warnings },
    output: request.output,
    withInputs: (known) =>
      toList(known).length === 0 ? plan : makePlan(requestId, request, route, known),
  };
  return Object.freeze(plan);
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
    embedsRecord: isEmbedded(output.metadata),
    requested: { parameters, formatNamed },
  };
}
