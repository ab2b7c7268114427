import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ProviderKey } from '../config/settings/provider-names.ts';
import type { Config } from '../config/settings/settings.ts';
import { toProviderName } from '../contract/resources/provider-name.ts';
import { createAgentResponsesProvider } from './agent-responses/provider.ts';
import { createCredentialSource } from './credentials/credential-source.ts';
import type { ProviderParts, SharedParts } from './provider-parts.ts';
import type { Provider } from './provider-port.ts';
import { createSandboxProvider } from './sandbox/provider.ts';

interface Deps extends Pick<SharedParts, 'engine' | 'httpClient' | 'clock' | 'ids' | 'slices'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface EnabledProviders {
  readonly providers: readonly Provider[];
  /** Ends what they share, once they are closed themselves. */
  close(): Promise<void>;
}

type Create<Key extends ProviderKey> = (parts: ProviderParts<Key>) => Provider;

/** One line a provider: the key of its settings, which gives its name, and what builds it. */
const PROVIDERS: { readonly [Key in ProviderKey]?: Create<Key> } = {
  agent_responses: createAgentResponsesProvider,
  sandbox: createSandboxProvider,
};

/** The providers that the settings turn on. */
export function enabledProviders(config: Config, { env, ...deps }: Deps): EnabledProviders {
  const { home, token_endpoint: tokenEndpoint } = config.providers.agent_responses;
  const credentials = createCredentialSource({
    ...deps,
    // A variable that is set to nothing is as good as unset.
    home: home ?? (env['CODEX_HOME'] || join(homedir(), '.codex')),
    tokenEndpoint,
  });
  const parts: SharedParts = { ...deps, credentials, images: config.images };

  function open<Key extends ProviderKey>(key: Key): readonly Provider[] {
    const create: Create<Key> | undefined = PROVIDERS[key];
    const settings = config.providers[key];
    const name = toProviderName(key);
    return create && settings.enabled ? [create({ ...parts, name, settings })] : [];
  }

  return {
    // `Object.keys` forgets what the keys are.
    providers: (Object.keys(PROVIDERS) as ProviderKey[]).flatMap(open),
    close: credentials.close,
  };
}
