import type { CapabilityDocument, ProviderDescriptor } from '../contract/resources/provider.ts';
import type { Page } from '../contract/schema/page.ts';
import type { SealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Provider } from './provider-port.ts';
import type { ProviderRegistry } from './registry.ts';

interface Deps {
  readonly registry: ProviderRegistry;
  readonly cursors: SealedCursors;
}

// Identifies the list of providers in its cursors.
const LIST = ['providers'];

export type ProviderInventory = ReturnType<typeof createProviderInventory>;

/** Creates the list of providers and of the capabilities of their models. */
export function createProviderInventory({ registry, cursors }: Deps) {
  const displayNames = registry.all.map((provider) => provider.describe().displayName);

  /** Returns the current descriptor. The models of a provider with a catalogue may change. */
  function toDescriptor(provider: Provider): ProviderDescriptor {
    const { displayName, version, experimental, models, defaultModel } = provider.describe();
    // Several providers may have the same display name, such as two accounts at one backend.
    const isShared = displayNames.indexOf(displayName) !== displayNames.lastIndexOf(displayName);
    return {
      name: provider.name,
      display_name: isShared ? `${displayName} (${provider.name})` : displayName,
      version,
      experimental,
      models: [...models],
      default_model: defaultModel,
      default: provider.name === registry.defaultName,
    };
  }

  return {
    /**
     * Returns one page, ordered by name. `cursor` is the `next_cursor` of the previous page. Throws `invalid_request`
     * if the cursor belongs to another list.
     */
    list(limit: number, cursor: string | undefined): Page<ProviderDescriptor> {
      const after = cursor === undefined ? '' : cursors.read(LIST, cursor).toString('utf8');
      const rest = registry.all.filter(({ name }) => name > after);
      const items = rest.slice(0, limit).map(toDescriptor);
      const last = items.at(-1);
      return last !== undefined && rest.length > limit
        ? { items, next_cursor: cursors.write(LIST, Buffer.from(last.name, 'utf8')) }
        : { items };
    },

    /**
     * Returns the capability document of a model. `model` defaults to the provider's default model. Throws `not_found`
     * if the provider does not exist and `unsupported_capability` if the provider does not list the model.
     */
    capabilities(name: string, model: string | undefined): CapabilityDocument {
      const provider = registry.find(name);
      if (!provider) throw new BridgeError('not_found', 'provider not found');
      return registry.capabilities(provider, model ?? provider.describe().defaultModel, 'model');
    },
  };
}
