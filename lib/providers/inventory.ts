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

/** Creates the list of providers and of the capabilities of their models. */
export function createProviderInventory({ registry }: Deps) {
  const displayNames = registry.all.map((provider) => provider.describe().displayName);
  const descriptors = registry.all.map((provider) =>
    describe(provider, {
      isDefault: provider.name === registry.defaultName,
      isShared: (name) => displayNames.indexOf(name) !== displayNames.lastIndexOf(name),
    }),
  );
  return {
    /**
     * Returns one page, ordered by name. A cursor encodes the last name of the previous page. Throws `invalid_request`
     * for any other cursor.
     */
    list(limit: number, cursor: string | undefined): Page<ProviderDescriptor> {
      const start = cursor === undefined ? 0 : indexAfter(descriptors, cursor);
      const items = descriptors.slice(start, start + limit);
      const last = items.at(-1);
      return last !== undefined && start + limit < descriptors.length
        ? { items, next_cursor: toCursor(last.name) }
        : { items };
    },

    /**
     * Returns the capability document of a model, by default of the provider's default model. Throws `not_found` if the
     * provider does not exist and `unsupported_capability` if the provider does not list the model.
     */
    capabilities(name: string, model: string | undefined): CapabilityDocument {
      const provider = registry.find(name);
      if (!provider) throw new BridgeError('not_found', 'no such provider is registered');
      return registry.capabilities(provider, model ?? provider.describe().defaultModel, 'model');
    },
  };
}

/**
 * Describes a provider. Adds the provider's name to a display name that several providers share, such as two accounts
 * at one backend.
 */
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
  if (index === -1)
    throw invalidField('cursor', 'invalid_cursor', 'does not belong to this collection');
  return index + 1;
}
