import { toProviderName } from '../../contract/resources/provider-name.ts';
import type { Keyed } from '../values/field.ts';
import { PROVIDERS } from './providers.ts';
import type { Config } from './settings.ts';

type Sections = typeof PROVIDERS.entries;

/** The key of a provider's settings, or of those of a kind of providers: `providers.agent_responses`. */
export type ProviderKey = keyof Sections;

/** A kind of which the settings may name any number of providers. */
export type ProviderKind = {
  [Key in ProviderKey]: Sections[Key] extends Keyed<infer _> ? Key : never;
}[ProviderKey];

/** The key of a provider that there is once. */
export type SingleKey = Exclude<ProviderKey, ProviderKind>;

/** A provider that the settings know, enabled or not. */
export interface RegisteredProvider {
  readonly name: string;
  /** The path of its settings. */
  readonly path: string;
  readonly settings: Config['providers'][SingleKey] | Config['providers'][ProviderKind][string];
}

// `Object.keys` forgets what the keys are.
const KEYS = Object.keys(PROVIDERS.entries) as ProviderKey[];
const SINGLE_KEYS = KEYS.filter((key): key is SingleKey => !isKind(key));
export const KINDS: readonly ProviderKind[] = KEYS.filter(isKind);

/** The names of the providers that there are once. */
export const SINGLE_NAMES: readonly string[] = SINGLE_KEYS.map(toProviderName);

/** Every provider of a configuration: those that there are once, then those that it names, kind by kind. */
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

/** The names of those that take requests. */
export function enabledNames(config: Config): readonly string[] {
  return registeredProviders(config)
    .filter(({ settings }) => settings.enabled)
    .map(({ name }) => name);
}

function isKind(key: ProviderKey): key is ProviderKind {
  return PROVIDERS.entries[key].kind === 'keyed';
}
