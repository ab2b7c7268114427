import type {
  Normalization,
  NormalizationReason,
  Warning,
} from '../../contract/reply/image-response.ts';
import type { OutputFormat, Parameters } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { BridgeError, type Detail } from '../../errors/bridge-error.ts';
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
  /** Every parameter that differs between what was requested and `effective` has a row. */
  readonly normalizations: readonly Normalization[];
  readonly warnings: readonly Warning[];
}

/** The state of a negotiation: its rules add what they change and what they refuse. */
export interface Negotiation {
  readonly request: PlannedRequest;
  readonly capabilities: CapabilityDocument;
  readonly mode: Compatibility;
  readonly effective: { -readonly [K in keyof Parameters]: Parameters[K] };
  readonly normalizations: Normalization[];
  readonly refusals: Refusal[];
}

interface Refusal {
  readonly field: string;
  readonly details: { readonly [key: string]: Detail };
}

export function startNegotiation(
  request: PlannedRequest,
  capabilities: CapabilityDocument,
): Negotiation {
  return {
    request,
    capabilities,
    mode: request.policies.compatibility,
    effective: { ...request.parameters },
    normalizations: [],
    refusals: [],
  };
}

/** Adds a refusal; all of them are reported together. */
export function refuse(
  negotiation: Negotiation,
  field: string,
  details: { readonly [key: string]: Detail } = {},
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

/** `record` where the mode allows a change, a refusal under `strict`. */
export function normalize<K extends keyof Parameters>(
  negotiation: Negotiation,
  name: K,
  value: Parameters[K],
  reason: NormalizationReason,
): void {
  if (negotiation.mode === 'strict') refuse(negotiation, `parameters.${name}`);
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
