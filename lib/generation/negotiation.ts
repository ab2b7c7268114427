import type { Normalization, NormalizationReason, Warning } from '../contract/image-response.ts';
import type { OutputFormat, Parameters } from '../contract/parameters.ts';
import type { CapabilityDocument } from '../contract/provider.ts';
import { BridgeError, type Detail } from '../errors/bridge-error.ts';
import type { GenerationRequest } from './generation-request.ts';

type Compatibility = GenerationRequest['policies']['compatibility'];

/** How the picture gets its transparent background, if it was asked for one. */
export type TransparencyPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'native' }
  | { readonly kind: 'chroma_key'; readonly keyColor: string | null };

/** What a request becomes for one route. */
export interface NegotiatedRequest {
  /** What takes effect, as the answer reports it. */
  readonly effective: Parameters;
  /** The format that the provider is asked for; the bridge converts where it differs from `effective`. */
  readonly providerFormat: OutputFormat;
  readonly prompt: string;
  readonly negativePrompt: string | undefined;
  readonly dropsReferences: boolean;
  readonly transparency: TransparencyPlan;
  readonly normalizations: readonly Normalization[];
  readonly warnings: readonly Warning[];
}

/** The table on which the rules of a negotiation note what they change and what they refuse. */
export interface Negotiation {
  readonly request: GenerationRequest;
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
  request: GenerationRequest,
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

/** Notes a refusal; all of them are answered together. */
export function refuse(
  negotiation: Negotiation,
  field: string,
  details: { readonly [key: string]: Detail } = {},
): void {
  negotiation.refusals.push({ field, details });
}

/** Sets an effective parameter to the nearest thing and records that, whatever the mode. */
export function record<K extends keyof Parameters>(
  { effective, normalizations }: Negotiation,
  name: K,
  value: Parameters[K],
  reason: NormalizationReason,
): void {
  const requested = effective[name];
  effective[name] = value;
  normalizations.push({ field: `parameters.${name}`, requested, effective: value, reason });
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

/** Throws `unsupported_capability` if anything was refused: the first field, and all of them in the details. */
export function throwRefusals({ refusals, capabilities }: Negotiation): void {
  // A mask is what a client must hear about first: it must not repeat the request without it.
  const [first] = [...refusals].sort(
    (a, b) => Number(b.field === 'mask') - Number(a.field === 'mask'),
  );
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
