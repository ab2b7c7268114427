import type {
  Normalization,
  NormalizationReason,
  Warning,
} from '../../contract/reply/image-response.ts';
import type { OutputFormat, Parameters } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { BridgeError, type Detail } from '../../errors/bridge-error.ts';
import type { Canvas } from '../../images/image.ts';
import {
  type InputFacts,
  type InputSet,
  knownByteLength,
  mapInputs,
} from '../../inputs/input-source.ts';
import type { MaskForm } from '../../providers/provider-port.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';

type Compatibility = GenerationRequest['policies']['compatibility'];

/** The method that makes the background of the image transparent. `none` if no transparency was requested. */
export type TransparencyPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'native' }
  | {
      readonly kind: 'chroma_key';
      /** The background to request from the provider, as `#RRGGBB`. */
      readonly keyColor: string;
    };

/** The plan of a mask that the model does not honour exactly. The bridge restores the pixels outside the mask. */
export interface MaskPlan {
  /** The canvas that the model draws. Undefined while the dimensions of the image are not known. */
  readonly canvas: Canvas | undefined;
  /** The size to request from the provider. */
  readonly size: string;
  /** The form in which the model reads the mask. Undefined if the mask is sent as one more image. */
  readonly form: MaskForm | undefined;
  /** The maximum size of an image that the model accepts, in bytes. */
  readonly maxBytes: number;
}

/** A request after it was fitted to one route. */
export interface NegotiatedRequest {
  /** The parameters that take effect, as the reply reports them. */
  readonly effective: Parameters;
  /** The format requested from the provider. The bridge converts the image if `effective` has another format. */
  readonly providerFormat: OutputFormat;
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly dropsReferences: boolean;
  readonly transparency: TransparencyPlan;
  /** Undefined if there is no mask, or if the model honours the mask exactly. */
  readonly mask: MaskPlan | undefined;
  /** One row for each parameter that differs between the request and `effective`. */
  readonly normalizations: readonly Normalization[];
  readonly warnings: readonly Warning[];
}

/** A request without its prompts. The prompts are omitted because no rule depends on them. */
type NegotiableRequest = Omit<PlannedRequest, 'prompt' | 'negative_prompt'>;

/** The state of a negotiation. Each rule adds its changes and its refusals. */
export interface Negotiation {
  readonly request: NegotiableRequest;
  readonly capabilities: CapabilityDocument;
  readonly mode: Compatibility;
  readonly inputs: InputSet<InputFacts>;
  readonly maskForm: MaskForm | undefined;
  readonly effective: { -readonly [K in keyof Parameters]: Parameters[K] };
  readonly normalizations: Normalization[];
  readonly refusals: Refusal[];
}

interface Refusal {
  readonly field: string;
  readonly details: { readonly [key: string]: Detail };
}

/** The facts that a negotiation needs besides the request and the capabilities. */
export interface Circumstances {
  /** The known facts of the images. The default contains only the lengths that are known before the images are loaded. */
  readonly inputs?: InputSet<InputFacts> | undefined;
  /** The form in which the model reads an emulated mask. Undefined if the model reads no mask. */
  readonly maskForm?: MaskForm | undefined;
}

export function startNegotiation(
  request: NegotiableRequest,
  capabilities: CapabilityDocument,
  { inputs = knownLengths(request), maskForm }: Circumstances,
): Negotiation {
  return {
    request,
    capabilities,
    mode: request.policies.compatibility,
    inputs,
    maskForm,
    effective: { ...request.parameters },
    normalizations: [],
    refusals: [],
  };
}

/** Returns the facts of the images of a request that are known before the images are loaded. */
export function knownLengths({ inputs }: Pick<NegotiableRequest, 'inputs'>): InputSet<InputFacts> {
  return mapInputs(inputs, (source) => ({ byteLength: knownByteLength(source) }));
}

/** Adds a refusal. All refusals are reported together. */
export function refuse(
  negotiation: Negotiation,
  field: string,
  details: Refusal['details'] = {},
): void {
  negotiation.refusals.push({ field, details });
}

/** Adds a normalization that reports the change of a field. `field` is the path of the field in the request. */
export function note(
  { normalizations }: Negotiation,
  field: string,
  requested: Normalization['requested'],
  effective: Normalization['effective'],
  reason: NormalizationReason,
): void {
  normalizations.push({ field, requested, effective, reason });
}

/** Sets an effective parameter and records the change, in every mode. */
export function record<K extends keyof Parameters>(
  negotiation: Negotiation,
  name: K,
  value: Parameters[K],
  reason: NormalizationReason,
): void {
  const { effective } = negotiation;
  const requested = effective[name];
  effective[name] = value;
  note(negotiation, `parameters.${name}`, requested ?? null, value ?? null, reason);
}

/** Changes a parameter as `record` does. If the mode is `strict`, adds a refusal with `details` instead. */
export function normalize<K extends keyof Parameters>(
  negotiation: Negotiation,
  name: K,
  value: Parameters[K],
  reason: NormalizationReason,
  details: Refusal['details'] = {},
): void {
  if (negotiation.mode === 'strict') refuse(negotiation, `parameters.${name}`, details);
  else record(negotiation, name, value, reason);
}

/** Drops a parameter that cannot be changed to a supported value. If the mode is not `best_effort`, adds a refusal instead. */
export function drop<K extends keyof Parameters>(
  negotiation: Negotiation,
  name: K,
  value: Parameters[K],
): void {
  if (negotiation.mode !== 'best_effort') refuse(negotiation, `parameters.${name}`);
  else record(negotiation, name, value, 'provider_unsupported');
}

/** Throws `unsupported_capability` if there are refusals. `param` names the first field, and the details name all fields. */
export function throwRefusals({ refusals, capabilities }: Negotiation): void {
  // A refused mask is reported first, because a client must not repeat the request without the mask.
  const first = refusals.find(({ field }) => field === 'mask') ?? refusals[0];
  if (!first) return;
  throw new BridgeError('unsupported_capability', 'the model does not support this request', {
    param: first.field,
    provider: capabilities.provider,
    details: {
      field: first.field,
      fields: [...new Set(refusals.map(({ field }) => field))],
      ...first.details,
    },
  });
}
