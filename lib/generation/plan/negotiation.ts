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
  knownBytes,
  mapInputs,
} from '../../inputs/input-source.ts';
import type { MaskForm } from '../../providers/provider-port.ts';
import type { GenerationRequest, PlannedRequest } from '../generation-request.ts';

type Compatibility = GenerationRequest['policies']['compatibility'];

/** How the image gets its transparent background, if it was asked for one. */
export type TransparencyPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'native' }
  | {
      readonly kind: 'chroma_key';
      /** `#RRGGBB`: the background to ask the provider for. */
      readonly keyColor: string;
    };

/** A mask that the model does not honour exactly: what lies outside it is put back here. */
export interface MaskPlan {
  /** What the model draws; undefined as long as the edges of the image are not known. */
  readonly canvas: Canvas | undefined;
  /** The size to ask for. */
  readonly size: string;
  /** How the model reads the mask; undefined where it gets it as one more image. */
  readonly form: MaskForm | undefined;
  /** The longest image in bytes that the model takes. */
  readonly maxBytes: number;
}

/** What a request becomes for one route. */
export interface NegotiatedRequest {
  /** What takes effect, as the reply reports it. */
  readonly effective: Parameters;
  /** The format that the provider is asked for; the bridge converts where it differs from `effective`. */
  readonly providerFormat: OutputFormat;
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly dropsReferences: boolean;
  readonly transparency: TransparencyPlan;
  /** Undefined without a mask, and for a mask that the model honours itself. */
  readonly mask: MaskPlan | undefined;
  /** Every parameter that differs between what was requested and `effective` has a row. */
  readonly normalizations: readonly Normalization[];
  readonly warnings: readonly Warning[];
}

/** A request without its prompts: no rule depends on them. */
type NegotiableRequest = Omit<PlannedRequest, 'prompt' | 'negative_prompt'>;

/** The state of a negotiation: its rules add what they change and what they refuse. */
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

/** What a negotiation needs besides the request and the capabilities. */
export interface Circumstances {
  /** By default only the lengths that are known before the images are loaded. */
  readonly inputs?: InputSet<InputFacts> | undefined;
  /** How the model reads an emulated mask, if it does. */
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

/** What is known of the images of a request before they are loaded. */
export function knownLengths({ inputs }: Pick<NegotiableRequest, 'inputs'>): InputSet<InputFacts> {
  return mapInputs(inputs, (source) => ({ byteLength: knownBytes(source) }));
}

/** Adds a refusal; all of them are reported together. */
export function refuse(
  negotiation: Negotiation,
  field: string,
  details: Refusal['details'] = {},
): void {
  negotiation.refusals.push({ field, details });
}

/** Adds what became of a field, under its path in the request. */
export function note(
  { normalizations }: Negotiation,
  field: string,
  requested: Normalization['requested'],
  effective: Normalization['effective'],
  reason: NormalizationReason,
): void {
  normalizations.push({ field, requested, effective, reason });
}

/** Sets an effective parameter and records the change, whatever the mode. */
export function record<K extends keyof Parameters>(
  negotiation: Negotiation,
  name: K,
  value: Parameters[K],
  reason: NormalizationReason,
): void {
  const { effective } = negotiation;
  const requested = effective[name];
  effective[name] = value;
  note(negotiation, `parameters.${name}`, requested, value, reason);
}

/** `record` where the mode allows a change, a refusal with `details` under `strict`. */
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

/** `record` for what can only be left out: a refusal unless the mode is `best_effort`. */
export function drop<K extends keyof Parameters>(
  negotiation: Negotiation,
  name: K,
  value: Parameters[K],
): void {
  if (negotiation.mode !== 'best_effort') refuse(negotiation, `parameters.${name}`);
  else record(negotiation, name, value, 'provider_unsupported');
}

/** Throws `unsupported_capability` if anything was refused: the first field, and all of them in the details. */
export function throwRefusals({ refusals, capabilities }: Negotiation): void {
  // A mask is reported first: the client must not repeat the request without it.
  const first = refusals.find(({ field }) => field === 'mask') ?? refusals[0];
  if (!first) return;
  throw new BridgeError('unsupported_capability', 'the model cannot do what the request asks for', {
    param: first.field,
    provider: capabilities.provider,
    details: {
      field: first.field,
      fields: [...new Set(refusals.map(({ field }) => field))],
      ...first.details,
    },
  });
}
