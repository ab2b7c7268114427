import type { CapabilityDocument } from '../contract/resources/provider.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Provider } from './provider-port.ts';

/** The enabled providers; fixed once the service has started. */
export interface ProviderRegistry {
  /** By name, ascending. */
  readonly all: readonly Provider[];
  readonly defaultName: string;
  find(name: string): Provider | undefined;
  /** Throws `unsupported_capability` with the models that the provider lists. */
  capabilities(provider: Provider, model: string, param: string): CapabilityDocument;
  /** Resolves when nothing of any provider runs any more. */
  close(): Promise<void>;
}

export function createProviderRegistry(
  providers: readonly Provider[],
  defaultName: string,
): ProviderRegistry {
  const all = [...providers].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byName = new Map(all.map((provider) => [provider.name, provider]));
  return {
    all,
    defaultName,
    find: (name) => byName.get(name),
    capabilities(provider, model, param) {
      const document = provider.capabilities(model);
      if (document) return document;
      throw new BridgeError('unsupported_capability', 'the provider does not list this model', {
        param,
        provider: provider.name,
        details: { field: param, supported_models: [...provider.describe().models] },
      });
    },
    async close() {
      await Promise.all(all.map((provider) => provider.close()));
    },
  };
}
