import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImage } from '../../support/create-image.ts';
import {
  createGeminiUpstream,
  type GeminiUpstream,
} from '../../support/gemini-upstream/gemini-upstream.ts';
import type { DialectName } from '../../support/images-upstream/dialects/dialects.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';
import { providerSettings } from './openai-images-rig.ts';

const DIALECTS = ['openai', 'litellm', 'localai', 'sdcpp', 'vllm-omni'] as const;
const THRESHOLD = 3;

let gemini: GeminiUpstream;
let servers: ReadonlyMap<DialectName, ImagesUpstream>;
let bridge: StartedBridge;

beforeAll(async () => {
  gemini = await createGeminiUpstream({ imageBytes: 20_000 });
  const opened = DIALECTS.map(
    async (dialect) =>
      [dialect, await createImagesUpstream({ dialect, imageBytes: 20_000 })] as const,
  );
  servers = new Map(await Promise.all(opened));
  const settings = [...servers].flatMap(([dialect, server]) => {
    const key = server.key();
    const variable = { api_key_env: key === undefined ? undefined : `KEY_OF_${dialect}` };
    return providerSettings(dialect, server, variable);
  });
  const keys = [...servers].map(([dialect, server]) => [`KEY_OF_${dialect}`, server.key() ?? '']);
  bridge = await startBridge({
    command: 'serve',
    set: [
      'default_provider=openai',
      'providers.agent_responses.enabled=false',
      'providers.sandbox.enabled=true',
      `providers.gemini.google.base_url=${gemini.url}`,
      'providers.gemini.google.api_key_env=GOOGLE_KEY',
      ...settings,
      `runtime.circuit_breaker.failure_threshold=${THRESHOLD}`,
    ],
    env: { GOOGLE_KEY: gemini.key, ...Object.fromEntries(keys) },
  });
});
afterAll(async () => {
  await cleanUp();
  await gemini.close();
  await Promise.all([...servers.values()].map((server) => server.close()));
});

const ask = (provider: string, behaviour: string, routing: object = {}) =>
  createImage(bridge, {
    prompt: `a fox [[fail:${behaviour}]]`,
    routing: { provider, ...routing },
    output: { response_format: 'metadata' },
  });

async function breakerOf(provider: string): Promise<object | undefined> {
  const response = await fetch(`${bridge.address}/v1/diagnostics`);
  const { runtime } = (await response.json()) as {
    runtime: { providers: Record<string, { breaker: object }> };
  };
  return runtime.providers[provider]?.breaker;
}

const REFUSED = { status: 400, code: 'invalid_request' };
const UNSUPPORTED = { status: 400, code: 'unsupported_capability' };
const NO_IMAGE = { status: 502, code: 'upstream_error' };

const ROWS = [
  ['openai', 'status=400', REFUSED],
  ['openai', 'status=413', REFUSED],
  ['openai', 'status=404', UNSUPPORTED],
  ['openai', 'count=none', NO_IMAGE],
  ['litellm', 'status=400', REFUSED],
  ['localai', 'status=404', UNSUPPORTED],
  ['sdcpp', 'status=400', REFUSED],
  ['vllm-omni', 'status=422', REFUSED],
  ['google', 'status=400', REFUSED],
  ['google', 'finish=NO_IMAGE', NO_IMAGE],
] as const;

describe('a provider that rejects the requests of one caller', () => {
  it.each(ROWS)('stays available for others: %s with %s', async (provider, behaviour, expected) => {
    for (let sent = 0; sent <= THRESHOLD; sent += 1) {
      const { status, json } = await ask(provider, behaviour);

      expect({ status, code: json.error.code }).toEqual(expected);
      expect(json.error.bridge_ext).toMatchObject({ provider, retryable: false });
    }

    expect(await breakerOf(provider)).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('stays available for others when a caller sets too short a deadline', async () => {
    for (let sent = 0; sent <= THRESHOLD; sent += 1) {
      const { json } = await createImage(bridge, {
        prompt: 'a fox [[fail:silence=before-headers]]',
        routing: { provider: 'litellm' },
        timeout_ms: 200,
      });

      expect(json.error.code).toBe('timeout');
    }

    expect(await breakerOf('litellm')).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('reports the error, and names the field of the request', async () => {
    const { json } = await ask('openai', 'status=400,unknown_parameter');
    const { json: other } = await ask('vllm-omni', 'status=400');

    expect(json.error.param).toBe('parameters.quality');
    expect(other.error.bridge_ext).toMatchObject({
      code: 'invalid_request',
      details: { reason: 'refused_by_provider' },
    });
  });

  it('is followed by a fallback only under on_error', async () => {
    const fallbacks = [{ provider: 'sandbox' }];

    const refused = await ask('sdcpp', 'status=400', { fallbacks });
    const drawn = await ask('sdcpp', 'status=400', { fallbacks, fallback_policy: 'on_error' });

    expect(refused.status).toBe(400);
    expect(drawn.status).toBe(200);
    expect(drawn.json.attempts).toMatchObject([
      { provider: 'sdcpp', outcome: 'failed', error_code: 'invalid_request' },
      { provider: 'sandbox', outcome: 'succeeded' },
    ]);
  });

  it('becomes unavailable after its own failures', async () => {
    for (let sent = 0; sent < THRESHOLD; sent += 1) await ask('sdcpp', 'status=500');

    expect(await breakerOf('sdcpp')).toMatchObject({ state: 'open' });
  });
});
