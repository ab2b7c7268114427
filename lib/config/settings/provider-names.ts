import { type ProviderNameOf, toProviderName } from '../../contract/resources/provider-name.ts';
import { PROVIDERS } from './providers.ts';

/** The key of a provider's own settings: `providers.agent_responses`. */
export type ProviderKey = keyof typeof PROVIDERS.entries;

export type ProviderName = ProviderNameOf<ProviderKey>;

// `Object.keys` forgets what the keys are.
export const PROVIDER_KEYS = Object.keys(PROVIDERS.entries) as ProviderKey[];

/** The registered names, in the order of the settings. */
export const PROVIDER_NAMES: readonly ProviderName[] = PROVIDER_KEYS.map(toProviderName);
