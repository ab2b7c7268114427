import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { loadConfig } from '../../../../lib/config/load-config.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { enabledProviders } from '../../../../lib/providers/enabled-providers.ts';
import type { ProviderEvent, ProviderRequest } from '../../../../lib/providers/provider-port.ts';
import {
  createGeminiUpstream,
  type GeminiOptions,
} from '../../../support/gemini-upstream/gemini-upstream.ts';
import { slices } from '../../../support/slices.ts';

export type GeminiRig = Awaited<ReturnType<typeof openGeminiRig>>;

interface Options extends GeminiOptions {
  /** Settings of the provider, as TOML. */
  readonly set?: Readonly<Record<string, string>>;
}

/** The provider `gem` as the program builds it, with the emulator as its backend and a key in a file. */
export async function openGeminiRig({ set = {}, ...options }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gemini-'));
  const upstream = await createGeminiUpstream({ imageBytes: 40_000, ...options });
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, `${upstream.key}\n`, { mode: 0o600 });
  const settings = { base_url: upstream.url, api_key_file: keyFile, ...set };
  const loaded = await loadConfig({
    env: {},
    cwd: folder,
    set: [
      'providers.agent_responses.enabled=false',
      'default_provider=gem',
      ...Object.entries(settings).map(([name, value]) => `providers.gemini.gem.${name}=${value}`),
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const { config } = loaded;
  const clock = systemClock;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const ids = createIds(clock.nowMs);
  const enabled = enabledProviders(config, { engine, httpClient, slices, clock, ids, env: {} });
  const [provider] = enabled.providers;
  if (!provider) throw new Error('the provider is not enabled');

  return {
    upstream,
    provider,
    keyFile,

    /** One call; `ended` is its result, or what it rejects with. */
    run(request: ProviderRequest, signal = new AbortController().signal) {
      const reported: ProviderEvent[] = [];
      const onEvent = (event: ProviderEvent) => reported.push(event);
      const result = provider.execute(request, {
        requestId: 'a-request',
        attempt: 1,
        signal,
        onEvent,
      });
      return { reported, result, ended: result.catch((thrown: unknown) => thrown) };
    },

    async close(): Promise<void> {
      await provider.close();
      await enabled.close();
      await httpClient.close();
      await engine.close();
      await upstream.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A rig of its own for each test of the file. */
export function useGeminiRig(options: Options = {}): () => GeminiRig {
  let rig: GeminiRig;
  beforeEach(async () => {
    rig = await openGeminiRig(options);
  });
  afterEach(() => rig.close());
  return () => rig;
}
