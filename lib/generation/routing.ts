import { invalidField } from '../contract/issues.ts';
import type { CapabilityDocument } from '../contract/provider.ts';
import type { Routing } from '../contract/routing.ts';
import { BridgeError } from '../errors/bridge-error.ts';
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
 * registered, `unsupported_capability` for a model that nobody lists, `configuration` without a default provider.
 */
export function resolvePrimary(
  { provider: name, model }: Routing,
  registry: ProviderRegistry,
): Route {
  const provider = name === null ? providerFor(model, registry) : findNamed(name, registry);
  const chosen = model ?? provider.describe().defaultModel;
  return {
    provider,
    model: chosen,
    capabilities: registry.capabilities(provider, chosen, 'routing.model'),
  };
}

function findNamed(name: string, registry: ProviderRegistry): Provider {
  const provider = registry.find(name);
  if (provider) return provider;
  throw invalidField('routing.provider', 'unknown_provider', 'must be a registered provider');
}

/** A model on its own goes to the default provider, or else to the first by name that lists it. */
function providerFor(model: string | null, registry: ProviderRegistry): Provider {
  const preferred = registry.find(registry.defaultName);
  if (!preferred) {
    throw new BridgeError('configuration', 'default_provider: is not an enabled provider');
  }
  if (model === null) return preferred;
  const lists = (provider: Provider) => provider.describe().models.includes(model);
  return [preferred, ...registry.all].find(lists) ?? preferred;
}
