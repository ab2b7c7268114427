import type { ProviderKind, SingleKey } from '../config/settings/provider-names.ts';
import type { Config } from '../config/settings/settings.ts';
import { toProviderName } from '../contract/resources/provider.ts';
import { createAgentAppServerProvider } from './agent-app-server/provider.ts';
import { createAgentResponsesProvider } from './agent-responses/provider.ts';
import { createComfyuiProvider } from './comfyui/provider.ts';
import { type CredentialSource, createCredentialSource } from './credentials/credential-source.ts';
import { createKeySource } from './credentials/key-source.ts';
import { agentHome } from './credentials/login-file.ts';
import { createGeminiProvider } from './gemini/provider.ts';
import { createOpenaiImagesProvider } from './openai-images/provider.ts';
import type { NamedProviderParts, ProviderParts, SharedParts } from './provider-parts.ts';
import type { Provider } from './provider-port.ts';
import { createSandboxProvider } from './sandbox/provider.ts';
import { createTaskProvider } from './task/provider.ts';

interface Deps extends Pick<SharedParts, 'engine' | 'httpClient' | 'clock' | 'ids' | 'slices'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The login of `agent-responses` in the database. If undefined, its login is in a file. */
  readonly login?: CredentialSource | undefined;
}

type Create<Key extends SingleKey> = (parts: ProviderParts<Key>) => Provider;
type CreateNamed<Kind extends ProviderKind> = (parts: NamedProviderParts<Kind>) => Provider;

type NamedSettings = {
  readonly [Kind in ProviderKind]: Readonly<Record<string, Config['providers'][Kind][string]>>;
};

/**
 * Constructors of the providers that can have only one instance, by settings key. The provider's name is derived from
 * the key.
 */
const SINGLE: { readonly [Key in SingleKey]: Create<Key> } = {
  agent_app_server: createAgentAppServerProvider,
  agent_responses: createAgentResponsesProvider,
  sandbox: createSandboxProvider,
};

/** Constructors of the provider kinds whose settings can define several named providers. */
const NAMED: { readonly [Kind in ProviderKind]: CreateNamed<Kind> } = {
  openai_images: createOpenaiImagesProvider,
  gemini: createGeminiProvider,
  comfyui: createComfyuiProvider,
  task: createTaskProvider,
};

/** Creates the providers that are enabled in the settings. */
export function enabledProviders(config: Config, { env, login, ...deps }: Deps) {
  const logins = createLogins(config, { env, login, ...deps });
  const shared: SharedParts = {
    ...deps,
    images: config.images,
    stateDirectory: config.state.directory,
    searchPath: env['PATH'],
  };

  const named: NamedSettings = config.providers;

  function open<Key extends SingleKey>(key: Key): readonly Provider[] {
    const create: Create<Key> = SINGLE[key];
    const settings = config.providers[key];
    if (!settings.enabled) return [];
    const ofState = key === 'agent_responses' ? login : undefined;
    const credentials = ofState ?? logins.of('home' in settings ? settings.home : undefined);
    return [create({ ...shared, credentials, name: toProviderName(key), settings })];
  }

  function openNamed<Kind extends ProviderKind>(kind: Kind): readonly Provider[] {
    const create: CreateNamed<Kind> = NAMED[kind];
    return Object.entries(named[kind])
      .filter(([, { enabled }]) => enabled)
      .map(([name, settings]) => {
        const apiKey = createKeySource({ ...deps, settings, env });
        return create({ ...shared, apiKey, name, settings });
      });
  }

  // The casts restore the key types, which `Object.keys` widens to `string`.
  const providers: readonly Provider[] = [
    ...(Object.keys(SINGLE) as SingleKey[]).flatMap(open),
    ...(Object.keys(NAMED) as ProviderKind[]).flatMap(openNamed),
  ];
  return {
    providers,
    /** Closes the resources that the providers share. Call it after closing the providers. */
    close: logins.close,
  };
}

/** Creates one credential source for each login folder. Providers that use the same folder share one source. */
function createLogins(config: Config, { env, login, ...deps }: Deps) {
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
      await Promise.all([login, ...sources.values()].map((source) => source?.close()));
    },
  };
}
