import type { Routing } from '../../contract/request/routing.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { invalidField } from '../../contract/schema/issues.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { interruption } from '../../errors/interruption.ts';
import type { Provider } from '../../providers/provider-port.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';
import type { EarlierWork } from '../earlier-work-port.ts';

/** A provider and the model that the request names. The model may not exist. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** The path of the field in the request that names the model. */
  readonly modelField: string;
}

/** A provider, one of its models, and the capabilities of that model. */
export interface Route {
  readonly provider: Provider;
  readonly model: string;
  readonly capabilities: CapabilityDocument;
}

/**
 * Returns the routes that a request asks for, in the order in which they are tried. Throws `invalid_request` if a provider is not
 * registered, and `configuration` if the request names no provider and there is no default provider.
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

/**
 * Returns the routes of a request whose first route was begun by an ended process. The first route is the same again, even if the
 * configuration would choose another route today. Throws an interruption if the provider is no longer registered.
 */
export function continuedCandidates(
  routing: Routing,
  registry: ProviderRegistry,
  { provider: name, model }: Pick<EarlierWork, 'provider' | 'model'>,
): Candidate[] {
  const candidates = candidatesOrNone(routing, registry);
  const begun = candidates.findIndex((it) => it.provider.name === name && it.model === model);
  if (begun >= 0) return candidates.slice(begun);
  const provider = registry.find(name);
  if (!provider) throw interruption();
  return [{ provider, model, modelField: 'routing.model' }];
}

function candidatesOrNone(routing: Routing, registry: ProviderRegistry): Candidate[] {
  try {
    return resolveCandidates(routing, registry);
  } catch {
    // Another provider of the request is no longer registered.
    return [];
  }
}

/**
 * Returns the route of a candidate, with the capabilities of the model. Throws `unsupported_capability` if the provider does not
 * list the model.
 */
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
 * Returns the provider for a request that does not name a provider. The default provider is used if it lists the model or if no
 * provider lists the model. Otherwise the first provider by name that lists the model is used.
 */
function providerFor(model: string | null, registry: ProviderRegistry): Provider {
  const preferred = registry.find(registry.defaultName);
  if (!preferred) {
    throw new BridgeError('configuration', 'default_provider: provider is not enabled');
  }
  return (model === null ? undefined : listerOf(model, registry)) ?? preferred;
}

/** Returns the provider for a request that names only a model. Returns undefined if no provider lists the model. */
export function listerOf(model: string, registry: ProviderRegistry): Provider | undefined {
  const preferred = registry.find(registry.defaultName);
  const lists = (provider: Provider) => provider.describe().models.includes(model);
  return preferred && lists(preferred) ? preferred : registry.all.find(lists);
}

/** Errors of a provider that could not begin the work. Another provider may be able to do the work. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
]);

/** Errors of a provider that failed or rejected this request with a known outcome. */
const FAILED: ReadonlySet<ErrorCode> = new Set([
  'upstream',
  'protocol',
  'internal',
  'refused_by_provider',
]);

/**
 * Returns true if the next route may be tried after a failure. Returns false if the outcome is unknown or if outputs succeeded,
 * because these outputs may be paid for and another route would make all outputs again.
 */
export function fallsBack(error: BridgeError, policy: Routing['fallback_policy']): boolean {
  const { outcome, succeeded_outputs: succeeded } = error.details;
  if (outcome === 'unknown' || succeeded !== undefined) return false;
  return UNAVAILABLE.has(error.code) || (policy === 'on_error' && FAILED.has(error.code));
}
