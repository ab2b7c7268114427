import type { Routing } from '../../contract/request/routing.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { invalidField } from '../../contract/schema/issues.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Provider } from '../../providers/provider-port.ts';
import type { ProviderRegistry } from '../../providers/registry.ts';

/** A provider and the model that the request names, which may not exist. */
export interface Candidate {
  readonly provider: Provider;
  readonly model: string;
  /** Where the request names the model. */
  readonly modelField: string;
}

/** A provider, one of its models, and what that model can do. */
export interface Route {
  readonly provider: Provider;
  readonly model: string;
  readonly capabilities: CapabilityDocument;
}

/**
 * The routes that a request asks for, in the order in which they are tried (contract.md 1, `routing`). Throws
 * `invalid_request` for a provider that is not registered, `configuration` without a default provider.
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

/** Throws `unsupported_capability` for a model that the provider does not list. */
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

/** A model on its own goes to the default provider, or else to the first by name that lists it. */
function providerFor(model: string | null, registry: ProviderRegistry): Provider {
  const preferred = registry.find(registry.defaultName);
  if (!preferred) {
    throw new BridgeError('configuration', 'default_provider: is not an enabled provider');
  }
  if (model === null) return preferred;
  return listerOf(model, registry) ?? preferred;
}

/** The provider that a model on its own goes to; undefined when none lists it. */
export function listerOf(model: string, registry: ProviderRegistry): Provider | undefined {
  const preferred = registry.find(registry.defaultName);
  const lists = (provider: Provider) => provider.describe().models.includes(model);
  return [...(preferred ? [preferred] : []), ...registry.all].find(lists);
}
