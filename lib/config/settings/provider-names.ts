import { toProviderName } from '../../contract/resources/provider.ts';
import type { Keyed } from '../values/field.ts';
import { PROVIDERS } from './providers.ts';
import type { Config } from './settings.ts';

type Sections = typeof PROVIDERS.entries;

/** The settings key of a provider or of a kind of providers, such as `agent_responses` in `providers.agent_responses`. */
export type ProviderKey = keyof Sections;

/** The settings key of a kind of providers. The settings may define any number of providers of a kind. */
export type ProviderKind = {
  [Key in ProviderKey]: Sections[Key] extends Keyed<infer _> ? Key : never;
}[ProviderKey];

/** The settings key of a provider that can have only one instance. */
export type SingleKey = Exclude<ProviderKey, ProviderKind>;

/** A provider that has settings. The provider may be disabled. */
export interface RegisteredProvider {
  readonly name: string;
  /** The path of the provider's settings in the configuration, such as `providers.agent_app_server`. */
  readonly path: string;
  readonly settings: Config['providers'][SingleKey] | Config['providers'][ProviderKind][string];
}

/** The settings keys of all providers and kinds. The cast restores the key type, which `Object.keys` widens to `string`. */
export const PROVIDER_KEYS = Object.keys(PROVIDERS.entries) as ProviderKey[];
const SINGLE_KEYS = PROVIDER_KEYS.filter((key): key is SingleKey => !isKind(key));
export const KINDS: readonly ProviderKind[] = PROVIDER_KEYS.filter(isKind);

/** The names of the providers that can have only one instance. */
export const SINGLE_NAMES: readonly string[] = SINGLE_KEYS.map(toProviderName);

/**
 * Returns every provider of a configuration: first the providers that can have only one instance, then the named providers
 * by kind.
 */
export function registeredProviders({ providers }: Config): readonly RegisteredProvider[] {
  return [
    ...SINGLE_KEYS.map((key) => ({
      name: toProviderName(key),
      path: `providers.${key}`,
      settings: providers[key],
    })),
    ...KINDS.flatMap((kind) =>
      Object.entries(providers[kind]).map(([name, settings]) => ({
        name,
        path: `providers.${kind}.${name}`,
        settings,
      })),
    ),
  ];
}

/** Returns the names of the enabled providers. */
export function enabledNames(config: Config): readonly string[] {
  return registeredProviders(config)
    .filter(({ settings }) => settings.enabled)
    .map(({ name }) => name);
}

function isKind(key: ProviderKey): key is ProviderKind {
  return PROVIDERS.entries[key].kind === 'keyed';
}
