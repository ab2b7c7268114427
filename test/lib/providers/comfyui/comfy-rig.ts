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
  type ComfyOptions,
  createComfyUpstream,
} from '../../../support/comfyui-upstream/comfyui-upstream.ts';
import { writeWorkflows } from '../../../support/comfyui-upstream/workflows.ts';
import { slices } from '../../../support/slices.ts';

export type ComfyRig = Awaited<ReturnType<typeof openComfyRig>>;

interface Options extends ComfyOptions {
  /** Settings of the provider, as TOML. */
  readonly set?: Readonly<Record<string, string>>;
}

/** The provider `comfy` as the program builds it, with the emulator as its server. */
export async function openComfyRig({ set = {}, ...options }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'comfyui-'));
  const upstream = await createComfyUpstream({ imageBytes: 30_000, ...options });
  const keyFile = join(folder, 'key');
  if (options.token !== undefined) await writeFile(keyFile, options.token, { mode: 0o600 });
  const settings = {
    ...(options.token === undefined ? {} : { api_key_file: keyFile }),
    base_url: upstream.url,
    workflows: await writeWorkflows(folder),
    image_model: 'draw',
    ...set,
  };
  const loaded = await loadConfig({
    env: {},
    cwd: folder,
    set: [
      'providers.agent_responses.enabled=false',
      'default_provider=comfy',
      ...Object.entries(settings).map(
        ([name, value]) => `providers.comfyui.comfy.${name}=${value}`,
      ),
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
    folder,
    keyFile,

    /** One call; `ended` is its result, or what it rejects with. */
    run(request: ProviderRequest, signal = new AbortController().signal) {
      const reported: ProviderEvent[] = [];
      const onEvent = (event: ProviderEvent) => reported.push(event);
      const context = { requestId: 'a-request', attempt: 1, signal, onEvent };
      const result = provider.execute(request, context);
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
export function useComfyRig(options: Options = {}): () => ComfyRig {
  let rig: ComfyRig;
  beforeEach(async () => {
    rig = await openComfyRig(options);
  });
  afterEach(() => rig.close());
  return () => rig;
}
