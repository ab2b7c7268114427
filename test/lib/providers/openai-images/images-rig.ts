import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../../../lib/config/resolve-config.ts';
import type { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import type { ImagesSettings } from '../../../../lib/providers/openai-images/dialects/dialect.ts';
import { createOpenaiImagesProvider } from '../../../../lib/providers/openai-images/provider.ts';
import type { ProviderEvent, ProviderRequest } from '../../../../lib/providers/provider-port.ts';
import { slices } from '../../../support/slices.ts';
import { agentRequest, type RequestParts } from '../agent-responses/requests.ts';

/** Settings with their defaults. */
export function settingsOf(parts: Partial<ImagesSettings> = {}): ImagesSettings {
  return {
    enabled: true,
    dialect: 'openai',
    base_url: 'https://api.openai.example/v1',
    allow_plain_http: false,
    api_key_env: undefined,
    api_key_file: undefined,
    organization: undefined,
    project: undefined,
    api_version: undefined,
    key_kind: 'api-key',
    deployments: {},
    upstreams: [],
    models: ['gpt-image-2', 'gpt-image-2.5-sunburst'],
    image_model: 'gpt-image-2',
    model_profiles: {},
    catalogue: 'off',
    catalogue_hours: 24,
    native_count: 1,
    stream: 'auto',
    result_hosts: [],
    max_outputs: 255,
    max_parallel_outputs: 'auto',
    max_transient_attempts: 2,
    transient_backoff_ms: 750,
    ...parts,
  };
}

interface Options {
  readonly settings?: Partial<ImagesSettings>;
  /** The keys in the order of the source. A rejected key is replaced by the next one. */
  readonly keys?: readonly string[];
  readonly maxImageBytes?: number;
}

export type ImagesRig = ReturnType<typeof openImagesRig>;

/** Creates the provider with real connections and a scripted key source. */
export function openImagesRig({ settings, keys = [], maxImageBytes = 1_048_576 }: Options = {}) {
  const defaults = resolveConfig([]);
  if (!defaults.ok) throw new Error('the defaults are not valid');
  const limits = { ...defaults.config.images, max_encoded_bytes: maxImageBytes };
  const stateDirectory = mkdtempSync(join(tmpdir(), 'provider-'));
  const clock = systemClock;
  const httpClient = createHttpClient();
  const engine = createImageEngine({ limits, clock, slices });
  const [first] = keys;
  let key = first;
  const provider = createOpenaiImagesProvider({
    name: 'images',
    settings: settingsOf(settings),
    engine,
    httpClient,
    clock,
    ids: createIds(clock.nowMs),
    slices,
    images: limits,
    stateDirectory,
    searchPath: undefined,
    apiKey: {
      key: async () => key,
      async changed(since) {
        key = keys[keys.indexOf(since) + 1] ?? since;
        return key !== since;
      },
      problem: async () => undefined,
      readiness: async () => ({ ready: true }),
    },
  });
  const reported: ProviderEvent[] = [];

  return {
    provider,
    /** The events that the calls so far have reported. */
    reported,
    call(parts: RequestParts = {}, signal = new AbortController().signal) {
      const onEvent = (event: ProviderEvent) => reported.push(event);
      const accepted = async () => false;
      const context = { requestId: 'r', attempt: 1, signal, onEvent, accepted };
      return provider.execute(requestOf(parts), context);
    },
    async close() {
      await provider.close();
      await httpClient.close();
      await engine.close();
      rmSync(stateDirectory, { recursive: true });
    },
  };
}

export function requestOf(parts: RequestParts = {}): ProviderRequest {
  return agentRequest(parts);
}

/** Returns the part of an error that a client and the retry rules see. */
export function shown({ code, param, retryable, transient, details }: BridgeError) {
  return { code, param, retryable, transient, details };
}
