import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../../lib/config/load-config.ts';
import type { Config } from '../../../../lib/config/settings/settings.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { enabledProviders } from '../../../../lib/providers/enabled-providers.ts';
import {
  createResponsesUpstream,
  type UpstreamOptions,
} from '../../../support/responses-upstream/responses-upstream.ts';
import { slices } from '../../../support/slices.ts';

export type AgentRig = Awaited<ReturnType<typeof openAgentRig>>;

interface Options extends UpstreamOptions {
  /** Settings, as `--set` takes them. */
  readonly set?: readonly string[];
}

/** The provider as the program builds it, with a login of the emulator that replaces the backend. */
export async function openAgentRig({ set = [], ...options }: Options = {}) {
  const home = await mkdtemp(join(tmpdir(), 'agent-'));
  const upstream = await createResponsesUpstream({ imageBytes: 40_000, ...options });
  await upstream.writeLogin(home);
  const config = await configOf(home, [
    `providers.agent_responses.endpoint=${upstream.url}`,
    `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
    `providers.agent_responses.home=${home}`,
    ...set,
  ]);
  const clock = systemClock;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const ids = createIds(clock.nowMs);
  const enabled = enabledProviders(config, { engine, httpClient, slices, clock, ids, env: {} });
  const [provider] = enabled.providers;
  if (!provider) throw new Error('agent-responses is not enabled');
  return {
    home,
    upstream,
    provider,
    config,
    engine,
    /** Closes the provider and the parts that it shares with others, as the program does. */
    async closeProviders(): Promise<void> {
      await provider.close();
      await enabled.close();
    },
    async close(): Promise<void> {
      await provider.close();
      await enabled.close();
      await httpClient.close();
      await engine.close();
      await upstream.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function configOf(cwd: string, set: readonly string[]): Promise<Config> {
  const loaded = await loadConfig({ env: {}, cwd, set });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}
