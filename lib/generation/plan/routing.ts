import type { Routing } from '../../contract/request/routing.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { invalidField } from '../../contract/schema/issues.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Provider } from '../../providers/provider-port.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';

/** A provider and the model that the request names. The model may not exist. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** The path of the request field that names the model. */
  readonly modelField: string;
}

/** A provider, one of its models, and the capabilities of that model. */
export interface Route {
  readonly provider: Provider;
  readonly model: string;
  readonly capabilities: CapabilityDocument;
}

/**
 * Returns the routes that a request asks for, in the order in which they are tried. Throws `invalid_request` for a provider
 * that is not registered, and `configuration` if the request names no provider and there is no default provider.
 */
export function resolveCandidates(routing: Routing, registry: ProviderRegistry): Candidate[] {
  const { provider: name, model, fallbacks } = routing;
  const primary =
    name === null ? providerFor(model, registry) : findNamed(name, registry, 'routing');
  return [
    toCandidate(primary, model, 'routing'),
    ...fallbacks.map((fallback, index) => {
      const field = `routing.fallbacks[${index}]`;
      return toCandidate(findNamed(fallback.provider, registry, field), fallback.model, field);
    }),
  ];
}

/** Adds the capabilities of the model. Throws `unsupported_capability` for a model that the provider does not list. */
export function toRoute(candidate: Candidate, registry: ProviderRegistry): Route {
  const { provider, model, modelField } = candidate;
  return { provider, model, capabilities: registry.capabilities(provider, model, modelField) };
}

function toCandidate(
  provider: Provider,
  model: string | null | undefined,
  field: string,
): Candidate {
  const chosen = model ?? provider.describe().defaultModel;
  return { provider, model: chosen, modelField: `${field}.model` };
}

function findNamed(name: string, registry: ProviderRegistry, field: string): Provider {
  const provider = registry.find(name);
  if (provider) return provider;
  throw invalidField(`${field}.provider`, 'unknown_provider', 'must be a registered provider');
}

/**
 * Returns the provider of a request that names none: the default provider if it lists the model, otherwise the first provider
 * by name that lists the model, and the default provider for a model that is not listed at all.
 */
function providerFor(model: string | null, registry: ProviderRegistry): Provider {
  const preferred = registry.find(registry.defaultName);
  if (!preferred) {
    throw new BridgeError('configuration', 'default_provider: provider is not enabled');
  }
  if (model === null) return preferred;
  return listerOf(model, registry) ?? preferred;
}

/** Returns the provider of a request that names only a model. Undefined if no provider lists the model. */
export function listerOf(model: string, registry: ProviderRegistry): Provider | undefined {
  const preferred = registry.find(registry.defaultName);
  const lists = (provider: Provider) => provider.describe().models.includes(model);
  return [...(preferred ? [preferred] : []), ...registry.all].find(lists);
}

/** The provider could not begin the work. Another provider may be able to. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
]);

/** The provider failed or rejected this request, and the outcome is known. */
const FAILED: ReadonlySet<ErrorCode> = new Set([
  'upstream',
  'protocol',
  'internal',
  'refused_by_provider',
]);

/**
 * Returns true if the next route may be tried after a failure. Returns false after an unknown outcome and after outputs that
 * succeeded, because these may be paid for and another route would make all of them again.
 */
export function fallsBack(error: BridgeError, policy: Routing['fallback_policy']): boolean {
  const { outcome, succeeded_outputs: succeeded } = error.details;
  if (outcome === 'unknown' || succeeded !== undefined) return false;
  return UNAVAILABLE.has(error.code) || (policy === 'on_error' && FAILED.has(error.code));
}
