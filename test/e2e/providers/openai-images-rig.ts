import type { ImageReply } from '../../support/create-image.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
  type ImagesUpstreamOptions,
} from '../../support/images-upstream/images-upstream.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { startBridge } from '../../support/start-bridge.ts';

export interface Reply extends ImageReply {
  readonly headers: Readonly<Record<string, string>>;
}

interface Options extends ImagesUpstreamOptions {
  /** Further settings of the provider. */
  readonly provider?: Readonly<Record<string, unknown>>;
  /** Further settings of the bridge. */
  readonly set?: readonly string[];
}

/** The name of the provider in the bridge of a rig. */
export const PROVIDER = 'own';
const KEY_VARIABLE = 'OWN_KEY';

export type ImagesBridge = Awaited<ReturnType<typeof startImagesBridge>>;

/**
 * Returns the settings, in the form of `--set`, with which a provider of this name calls this server. Undefined removes a
 * setting.
 */
export function providerSettings(
  name: string,
  { dialect, baseUrl, models, key }: ImagesUpstream,
  changes: Readonly<Record<string, unknown>> = {},
): string[] {
  const settings = {
    dialect,
    base_url: baseUrl,
    ...(key() === undefined ? {} : { api_key_env: KEY_VARIABLE }),
    models,
    image_model: models[0],
    transient_backoff_ms: 1,
    ...changes,
  };
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `providers.openai_images.${name}.${field}=${toToml(value)}`);
}

/** Starts the program and the emulator of its only remote provider. */
export async function startImagesBridge({ provider, set = [], ...options }: Options = {}) {
  const upstream = await createImagesUpstream(options);
  const bridge = await startBridge({
    command: 'serve',
    env: { [KEY_VARIABLE]: upstream.key() ?? '' },
    set: [
      `default_provider=${PROVIDER}`,
      ...providerSettings(PROVIDER, upstream, provider),
      // Tests cause many failures in a row, so the breaker must stay closed.
      'runtime.circuit_breaker.enabled=false',
      ...set,
    ],
  });
  const document = await (await fetch(`${bridge.address}/v1/openapi.json`)).json();
  // Other tests check these replies. Here they only have to be objects.
  const checker = createReplyChecker(document as Record<string, unknown>);

  return {
    bridge,
    upstream,

    /** Requests images and checks the reply against the OpenAPI document. */
    async create(body: object, signal?: AbortSignal): Promise<Reply> {
      const response = await fetch(`${bridge.address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
      const headers = Object.fromEntries(response.headers);
      const text = await response.text();
      const json: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
      checker.check({ method: 'POST', path: '/v1/images' }, response.status, headers, json);
      return { status: response.status, headers, json: json as Reply['json'] };
    },

    close: () => upstream.close(),
  };
}

function toToml(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
