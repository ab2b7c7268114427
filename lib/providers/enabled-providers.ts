import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/settings/settings.ts';
import type { ImageEngine } from '../images/image.ts';
import type { HttpClient } from '../net/http-client.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { createBackendClient } from './agent-responses/backend-client.ts';
import { createAgentResponsesProvider } from './agent-responses/provider.ts';
import { type CredentialSource, createCredentialSource } from './credentials/credential-source.ts';
import { streamLimits } from './http/sse-reader.ts';
import type { Provider } from './provider-port.ts';
import { createSandboxProvider } from './sandbox/provider.ts';

interface Deps {
  readonly engine: ImageEngine;
  readonly httpClient: HttpClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface EnabledProviders {
  readonly providers: readonly Provider[];
  /** Ends what they share, once they are closed themselves. */
  close(): Promise<void>;
}

/** The providers that the settings turn on; a new provider adds its line here. */
export function enabledProviders(config: Config, deps: Deps): EnabledProviders {
  const { agent_responses, sandbox } = config.providers;
  const credentials = createCredentialSource({
    ...deps,
    // A variable that is set to nothing is as good as unset.
    home: agent_responses.home ?? (deps.env['CODEX_HOME'] || join(homedir(), '.codex')),
    tokenEndpoint: agent_responses.token_endpoint,
  });
  return {
    providers: [
      ...(agent_responses.enabled ? [agentResponses(config, credentials, deps)] : []),
      ...(sandbox.enabled ? [createSandboxProvider({ ...deps, settings: sandbox })] : []),
    ],
    close: credentials.close,
  };
}

function agentResponses(
  { providers, images }: Config,
  credentials: CredentialSource,
  { httpClient, clock, ids }: Deps,
): Provider {
  const settings = providers.agent_responses;
  const client = createBackendClient({
    httpClient,
    credentials,
    endpoint: settings.endpoint,
    limits: streamLimits(images.max_encoded_bytes),
    clock,
  });
  return createAgentResponsesProvider({ settings, credentials, client, ids });
}
