import type { ProviderKey } from '../config/settings/provider-names.ts';
import type { Config } from '../config/settings/settings.ts';
import { toProviderName } from '../contract/resources/provider-name.ts';
import { createAgentAppServerProvider } from './agent-app-server/provider.ts';
import { createAgentResponsesProvider } from './agent-responses/provider.ts';
import { agentHome } from './credentials/agent-login.ts';
import { type CredentialSource, createCredentialSource } from './credentials/credential-source.ts';
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
const PROVIDERS: { readonly [Key in ProviderKey]: Create<Key> } = {
  agent_app_server: createAgentAppServerProvider,
  agent_responses: createAgentResponsesProvider,
  sandbox: createSandboxProvider,
};

/** The providers that the settings turn on. */
export function enabledProviders(config: Config, { env, ...deps }: Deps): EnabledProviders {
  const logins = createLogins(config, { env, ...deps });
  const shared: Omit<SharedParts, 'credentials'> = {
    ...deps,
    images: config.images,
    stateDirectory: config.state.directory,
    searchPath: env['PATH'],
  };

  function open<Key extends ProviderKey>(key: Key): readonly Provider[] {
    const create: Create<Key> = PROVIDERS[key];
    const settings = config.providers[key];
    if (!settings.enabled) return [];
    const name = toProviderName(key);
    return [
      create({
        ...shared,
        credentials: logins.of('home' in settings ? settings.home : undefined),
        name,
        settings,
      }),
    ];
  }

  return {
    // `Object.keys` forgets what the keys are.
    providers: (Object.keys(PROVIDERS) as ProviderKey[]).flatMap(open),
    close: logins.close,
  };
}

/** One source of credentials for each folder, whichever providers use it. */
function createLogins(config: Config, { env, ...deps }: Deps) {
  const tokenEndpoint = config.providers.agent_responses.token_endpoint;
  const sources = new Map<string, CredentialSource>();
  return {
    of(setting: string | undefined): CredentialSource {
      const home = agentHome(setting, env);
      const source = sources.get(home) ?? createCredentialSource({ ...deps, home, tokenEndpoint });
      sources.set(home, source);
      return source;
    },

    async close(): Promise<void> {
      await Promise.all([...sources.values()].map((source) => source.close()));
    },
  };
}
