import type { CapabilityDocument, ProviderDescriptor } from '../contract/resources/provider.ts';
import { invalidField } from '../contract/schema/issues.ts';
import type { Page } from '../contract/schema/page.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Provider } from './provider-port.ts';
import type { ProviderRegistry } from './registry.ts';

interface Deps {
  readonly registry: ProviderRegistry;
}

export type ProviderInventory = ReturnType<typeof createProviderInventory>;

/** Lists the providers and what each model can do. */
export function createProviderInventory({ registry }: Deps) {
  const displayNames = registry.all.map((provider) => provider.describe().displayName);
  const descriptors = registry.all.map((provider) =>
    describe(provider, {
      isDefault: provider.name === registry.defaultName,
      isShared: (name) => displayNames.indexOf(name) !== displayNames.lastIndexOf(name),
    }),
  );
  return {
    /** One page by name. A cursor is the name that the page before ended with; any other is `invalid_request`. */
    list(limit: number, cursor: string | undefined): Page<ProviderDescriptor> {
      const start = cursor === undefined ? 0 : indexAfter(descriptors, cursor);
      const items = descriptors.slice(start, start + limit);
      const last = items.at(-1);
      return last !== undefined && start + limit < descriptors.length
        ? { items, next_cursor: toCursor(last.name) }
        : { items };
    },

    /** Throws `not_found` for the provider, `unsupported_capability` for the model. */
    capabilities(name: string, model: string | undefined): CapabilityDocument {
      const provider = registry.find(name);
      if (!provider) throw new BridgeError('not_found', 'no such provider is registered');
      return registry.capabilities(provider, model ?? provider.describe().defaultModel, 'model');
    },
  };
}

/** Two accounts at one backend have its display name in common, and are distinguished by their own. */
function describe(
  provider: Provider,
  by: { readonly isDefault: boolean; readonly isShared: (displayName: string) => boolean },
): ProviderDescriptor {
  const { displayName, version, experimental, models, defaultModel } = provider.describe();
  return {
    name: provider.name,
    display_name: by.isShared(displayName) ? `${displayName} (${provider.name})` : displayName,
    version,
    experimental,
    models: [...models],
    default_model: defaultModel,
    default: by.isDefault,
  };
}

function toCursor(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url');
}

function indexAfter(descriptors: readonly ProviderDescriptor[], cursor: string): number {
  const index = descriptors.findIndex(({ name }) => toCursor(name) === cursor);
  if (index === -1) throw invalidField('cursor', 'invalid_cursor', 'is not one of this collection');
  return index + 1;
}
