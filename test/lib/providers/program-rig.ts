import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../lib/net/http-client.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { enabledProviders } from '../../../lib/providers/enabled-providers.ts';
import type { ProviderEvent, ProviderRequest } from '../../../lib/providers/provider-port.ts';
import { slices } from '../../support/slices.ts';

/** A provider as the program builds it. The settings, in the form of `--set`, enable only this provider. */
export async function openProgramProvider(folder: string, set: readonly string[]) {
  const loaded = await loadConfig({ env: {}, cwd: folder, set });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const { config } = loaded;
  const clock = systemClock;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const ids = createIds(clock.nowMs);
  const enabled = enabledProviders(config, { engine, httpClient, slices, clock, ids, env: {} });
  const [provider] = enabled.providers;
  if (!provider) throw new Error('the provider is not enabled');

  /** Closes the provider and its shared parts as the program does. */
  async function closeProviders(): Promise<void> {
    await provider?.close();
    await enabled.close();
  }

  return {
    provider,
    config,
    engine,
    closeProviders,

    /** One call. `ended` resolves with its result or with its error. */
    run(request: ProviderRequest, signal = new AbortController().signal) {
      const reported: ProviderEvent[] = [];
      const onEvent = (event: ProviderEvent) => reported.push(event);
      const accepted = async () => false;
      const calls = { accepted, billedAs: () => {}, remainingMs: () => 60_000 };
      const context = { requestId: 'a-request', attempt: 1, signal, onEvent, ...calls };
      const result = provider.execute(request, context);
      return { reported, result, ended: result.catch((thrown: unknown) => thrown) };
    },

    async close(): Promise<void> {
      await closeProviders();
      await httpClient.close();
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A new folder for a test, which `openProgramProvider` deletes afterwards. */
export function makeFolder(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `${name}-`));
}

/** Returns settings that enable only one named provider. */
export function namedSettings(
  kind: string,
  name: string,
  settings: Readonly<Record<string, string>>,
): readonly string[] {
  return [
    'providers.agent_responses.enabled=false',
    `default_provider=${name}`,
    ...Object.entries(settings).map(
      ([field, value]) => `providers.${kind}.${name}.${field}=${value}`,
    ),
  ];
}
