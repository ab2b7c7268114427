import { invalidField } from '../contract/issues.ts';
import type { CapabilityDocument } from '../contract/provider.ts';
import type { Routing } from '../contract/routing.ts';
import type { Provider } from '../providers/provider-port.ts';
import type { ProviderRegistry } from '../providers/registry.ts';

/** A provider, one of its models, and what that model can do. */
export interface Route {
  readonly provider: Provider;
  readonly model: string;
  readonly capabilities: CapabilityDocument;
}

/**
 * The route that a request asks for (contract.md 1, `routing`). Throws `invalid_request` for a provider that is not
 * registered, `unsupported_capability` for a model that nobody lists.
 */
export function resolvePrimary(
  { provider: name, model }: Routing,
  registry: ProviderRegistry,
): Route {
  const provider = name === null ? providerFor(model, registry) : registry.find(name);
  if (!provider) {
    throw invalidField('routing.provider', 'unknown_provider', 'must be a registered provider');
  }
  const chosen = model ?? provider.describe().defaultModel;
  return {
    provider,
    model: chosen,
    capabilities: registry.capabilities(provider, chosen, 'routing.model'),
  };
}

/** A model on its own goes to the default provider, or else to the first by name that lists it. */
function providerFor(model: string | null, registry: ProviderRegistry): Provider | undefined {
  const lists = (provider: Provider) =>
    model !== null && provider.describe().models.includes(model);
  const preferred = registry.find(registry.defaultName);
  if (model === null || !preferred || lists(preferred)) return preferred;
  return registry.all.find(lists) ?? preferred;
}
