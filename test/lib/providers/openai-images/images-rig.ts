import type { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import type { ImagesSettings } from '../../../../lib/providers/openai-images/dialects/dialect.ts';
import { createOpenaiImagesProvider } from '../../../../lib/providers/openai-images/provider.ts';
import type { ProviderEvent, ProviderRequest } from '../../../../lib/providers/provider-port.ts';
import { openProviderParts } from '../../../support/provider-parts.ts';
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
    digital_source_type: 'trainedAlgorithmicMedia',
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
export function openImagesRig({ settings, keys = [], maxImageBytes }: Options = {}) {
  const opened = openProviderParts({ keys, maxImageBytes });
  const parts = { ...opened.parts, name: 'images', settings: settingsOf(settings) };
  const provider = createOpenaiImagesProvider(parts);
  const reported: ProviderEvent[] = [];
  const billedIds: string[] = [];

  return {
    provider,
    /** The events that the calls so far have reported. */
    reported,
    /** The ids under which the service bills the calls so far. */
    billedIds,
    call(parts: RequestParts = {}, signal = new AbortController().signal) {
      const onEvent = (event: ProviderEvent) => reported.push(event);
      const accepted = async () => false;
      const billedAs = (id: string) => void billedIds.push(id);
      const calls = { accepted, billedAs, remainingMs: () => 60_000 };
      const context = { requestId: 'r', attempt: 1, signal, onEvent, ...calls };
      return provider.execute(requestOf(parts), context);
    },
    async close() {
      await provider.close();
      await opened.close();
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
