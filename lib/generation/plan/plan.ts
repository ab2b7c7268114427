import type { PlannedEdit } from '../../contract/reply/image-plan.ts';
import type { Warning } from '../../contract/reply/image-response.ts';
import type { OutputFormat } from '../../contract/request/parameters.ts';
import type { SourceType } from '../../contract/resources/source-type.ts';
import { toBridgeError } from '../../errors/bridge-error.ts';
import type { EncodeOptions, MatteOptions, VerifiedImage } from '../../images/image.ts';
import { type InputFacts, type InputSet, mapInputs, toList } from '../../inputs/input-source.ts';
import type { PricedWork } from '../../prices/price-list.ts';
import type { Provider, ProviderInput, ProviderRequest } from '../../providers/provider-port.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';
import type { TurnRequest } from '../session-turns-port.ts';
import { negotiate } from './negotiate.ts';
import { isExact } from './negotiate-mask.ts';
import { knownLengths, type MaskPlan, type NegotiatedRequest } from './negotiation.ts';
import { plannedEdit } from './planned-edit.ts';
import { toPricedWork } from './priced-work.ts';
import {
  isEmbedded,
  type RecordEssentials,
  refuseLongRecord,
  toRecordEssentials,
} from './record-essentials.ts';
import type { Route } from './routing.ts';

/** The plan of one request on one route. Contains everything that later steps need from the request and from the route. */
export interface Plan {
  readonly ask: AskPlan;
  readonly finish: FinishPlan;
  readonly report: ReportPlan;
  /** The form in which the finished images are delivered. */
  readonly output: GenerationRequest['output'];
  /**
   * Plans the same request again with more facts about its images. The length of a remote image, for example, is known only
   * after it is loaded. Throws `unsupported_capability` and `input`.
   */
  readonly withInputs: (inputs: InputSet<InputFacts>) => Plan;
}

/** The steps that turn an output of the provider into the image that was requested. */
export interface FinishPlan {
  /** The format requested from the provider. */
  readonly providerFormat: OutputFormat;
  /** The encoding of the delivered image. */
  readonly encoding: EncodeOptions;
  /** The options of background removal. Undefined if the provider delivers alpha itself or no transparency was requested. */
  readonly matte: MatteOptions | undefined;
  readonly compatibility: GenerationRequest['policies']['compatibility'];
  readonly revisedPrompt: GenerationRequest['policies']['revised_prompt'];
  /** True if the metadata record is embedded in the image. */
  readonly embedsRecord: boolean;
  readonly model: string;
  /** The source of the generated pixels. */
  readonly sourceType: SourceType;
  /** The requested values that the delivered image is compared with. */
  readonly requested: Pick<GenerationRequest, 'parameters' | 'formatNamed'>;
}

/** The facts of the request and its route that the reply and the metadata record report. */
interface ReportPlan extends Pick<NegotiatedRequest, 'normalizations'> {
  readonly record: RecordEssentials;
  readonly warnings: readonly Warning[];
  readonly edit: PlannedEdit | undefined;
}

/**
 * Fits a request to one route. `inputs` are the known facts of its images. Throws `unsupported_capability`, `invalid_request`,
 * `input`.
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
  const priced = toPricedWork(request, route, negotiated, inputs);
  const ask = { ...toAskPlan(request, route, negotiated), priced };
  refuseCall(ask, inputs);
  const plan: Plan = {
    ask,
    finish: toFinishPlan(request, route, negotiated),
    report: { record, normalizations, warnings, edit: plannedEdit(negotiated, inputs) },
    output: request.output,
    withInputs: (known) =>
      toList(known).length === 0 ? plan : makePlan(requestId, request, route, known),
  };
  return Object.freeze(plan);
}

function toFinishPlan(
  { parameters, formatNamed, policies, output }: PlannedRequest,
  { provider, model }: Route,
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
    model,
    sourceType: provider.sourceType,
    requested: { parameters, formatNamed },
  };
}

/** The calls to make, and the provider request that all calls share. */
export interface AskPlan {
  readonly provider: Provider;
  /** The request of every call. `parameters.n` is set for each call. */
  readonly request: Omit<ProviderRequest, 'indices' | 'images' | 'mask' | 'references'>;
  readonly sendsReferences: boolean;
  /** The plan of a mask that the bridge emulates. Undefined unless the mask is emulated. */
  readonly mask: MaskPlan | undefined;
  /** The output indices of each call. All calls together cover 0 to n-1. */
  readonly calls: readonly (readonly number[])[];
  /** True if a call starts only after the previous call has ended. */
  readonly isSequential: boolean;
  /** True if the first failure ends all other calls. */
  readonly isFailFast: boolean;
  readonly partialImages: number;
  /** Everything that the price of all calls together depends on. */
  readonly priced: PricedWork;
  readonly session: GenerationRequest['session'];
}

/** Converts a request that was fitted to a route into the calls to make on that route. */
function toAskPlan(
  { operation, policies, session }: PlannedRequest,
  { provider, model, capabilities }: Route,
  { effective, providerFormat, prompt, negativePrompt, ...negotiated }: NegotiatedRequest,
): Omit<AskPlan, 'priced'> {
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
        // The bridge removes this background later, so the background must be opaque.
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
    // A session that is not isolated runs one turn at a time.
    isSequential: policies.batch_execution === 'sequential' || session.mode !== 'isolated',
    isFailFast: effective.failure_policy === 'fail_fast',
    partialImages: effective.partial_images,
    session,
  };
}

/** Returns the session turn that a plan needs. Undefined for an isolated session. */
export function toTurnRequest(
  { provider, session, request: { model } }: AskPlan,
  { scope, requestId }: Pick<TurnRequest, 'scope' | 'requestId'>,
): TurnRequest | undefined {
  return session.mode === 'isolated' ? undefined : { session, provider, model, scope, requestId };
}

/** Splits the indices 0 to n-1 into calls of at most `size` outputs. */
function toCalls(n: number, size: number): number[][] {
  const all = Array.from({ length: n }, (_, index) => index);
  return Array.from({ length: Math.ceil(n / size) }, (_, call) =>
    all.slice(call * size, (call + 1) * size),
  );
}

/** Creates the provider request of one call. */
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

/** Throws the error with which the provider would reject the calls regardless of the bytes of the images. */
function refuseCall(ask: AskPlan, inputs: InputSet<InputFacts>): void {
  const { provider, request, mask } = ask;
  const known = mapInputs(inputs, ({ byteLength }) => ({ bytes: { length: byteLength } }));
  // If the mask is emulated, the source and the mask are drawn again later, so their lengths are not known yet.
  const redrawn = { images: [UNKNOWN, ...known.images.slice(1)], mask: UNKNOWN };
  try {
    provider.refuse?.({
      ...request,
      ...toCallImages(ask, mask ? { ...known, ...redrawn } : known),
    });
  } catch (thrown) {
    throw toBridgeError(thrown).with({ provider: provider.name });
  }
}

const UNKNOWN = { bytes: { length: 0 } };

/** Assigns each image to the field in which the provider expects it. */
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
