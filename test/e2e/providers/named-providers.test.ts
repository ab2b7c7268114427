import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseExposition } from '../../lib/metrics/exposition.ts';
import { createImage } from '../../support/create-image.ts';
import {
  createGeminiUpstream,
  type GeminiUpstream,
} from '../../support/gemini-upstream/gemini-upstream.ts';
import {
  createImagesUpstream,
  type ImagesUpstream,
} from '../../support/images-upstream/images-upstream.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

let openai: ImagesUpstream;
let gemini: GeminiUpstream;
let bridge: StartedBridge;
let keyFile: string;

const metadata = { response_format: 'metadata' };

beforeAll(async () => {
  openai = await createImagesUpstream({ imageBytes: 40_000, organization: 'org-secret' });
  gemini = await createGeminiUpstream({ imageBytes: 40_000 });
  keyFile = join(await freshFolder(), 'key-that-stays-secret');
  bridge = await startBridge({
    command: 'serve',
    set: [
      'default_provider=work',
      'providers.agent_responses.enabled=false',
      'providers.sandbox.enabled=true',
      `providers.openai_images.work.base_url=${openai.baseUrl}`,
      'providers.openai_images.work.api_key_env=WORK_KEY',
      'providers.openai_images.work.organization=org-secret',
      'providers.openai_images.work.transient_backoff_ms=1',
      `providers.openai_images.team-2.base_url=${openai.baseUrl}`,
      `providers.openai_images.team-2.api_key_file=${keyFile}`,
      'providers.openai_images.team-2.organization=org-secret',
      `providers.gemini.google.base_url=${gemini.url}`,
      'runtime.providers.team-2.max_concurrent=3',
      'server.metrics.enabled=true',
    ],
    env: {
      WORK_KEY: openai.key() ?? '',
      GOOGLE_KEY: gemini.key,
      IMAGE_BRIDGE__PROVIDERS__GEMINI__GOOGLE__API_KEY_ENV: 'GOOGLE_KEY',
    },
  });
});
afterAll(async () => {
  await cleanUp();
  await openai.close();
  await gemini.close();
});

async function get<T>(path: string): Promise<T> {
  return (await fetch(bridge.address + path)).json() as Promise<T>;
}

interface State {
  readonly providers: readonly {
    readonly name: string;
    readonly ready: boolean;
    readonly error_code?: string;
  }[];
}

const stateOf = async (name: string) =>
  (await get<State>('/v1/diagnostics')).providers.find((one) => one.name === name);

describe('named providers', () => {
  it('are registered under their names, and two accounts of one kind are distinguished', async () => {
    const { items } = await get<{ items: readonly object[] }>('/v1/providers');

    expect(items).toMatchObject([
      { name: 'google', display_name: 'Gemini', default: false },
      { name: 'sandbox', display_name: 'Sandbox', default: false },
      { name: 'team-2', display_name: 'OpenAI Images (team-2)', default: false },
      { name: 'work', display_name: 'OpenAI Images (work)', default: true },
    ]);
  });

  it('are all in the list of models, and shadowed models are listed under their provider', async () => {
    const { data } = await get<{ data: readonly { id: string; owned_by: string }[] }>('/v1/models');

    const owners = new Map(data.map(({ id, owned_by }) => [id, owned_by]));
    expect(owners.get('gpt-image-2')).toBe('work');
    expect(owners.get('team-2/gpt-image-2')).toBe('team-2');
    expect(owners.get('gemini-nano-banana-2.1')).toBe('google');
    expect(owners.get('sandbox-image')).toBe('sandbox');
    expect(owners.has('work/gpt-image-2')).toBe(false);
  });

  it('start with a warning for an unusable key, and are ready when the key is usable', async () => {
    await expect
      .poll(() => bridge.stderr())
      .toContain(
        'providers.openai_images.team-2.api_key_file (warning): the file in `api_key_file` does not exist\n',
      );
    const before = await stateOf('team-2');
    const refused = await createImage(bridge, {
      prompt: 'a fox',
      routing: { provider: 'team-2' },
      output: metadata,
    });

    await writeFile(`${keyFile}.new`, `${openai.key()}\n`, { mode: 0o600 });
    await rename(`${keyFile}.new`, keyFile);
    const made = await createImage(bridge, {
      prompt: 'a fox',
      routing: { provider: 'team-2' },
      output: metadata,
    });

    expect(before).toMatchObject({ ready: false, error_code: 'authentication' });
    expect(refused).toMatchObject({
      status: 503,
      json: { error: { code: 'provider_authentication', bridge_ext: { provider: 'team-2' } } },
    });
    expect(made).toMatchObject({ status: 200, json: { provider: 'team-2' } });
    await expect.poll(() => stateOf('team-2'), { timeout: 15_000 }).toMatchObject({ ready: true });
  });

  it('are selected by their names only', async () => {
    const { status, json } = await createImage(bridge, {
      prompt: 'a fox',
      routing: { provider: 'openai_images' },
    });

    expect(status).toBe(422);
    expect(json.error.bridge_ext.details).toMatchObject({
      issues: [{ field: 'routing.provider', code: 'unknown_provider' }],
    });
  });

  it('are rejected in presets if they are not enabled, as in requests', async () => {
    const template = { routing: { provider: 'work', fallbacks: [{ provider: 'absent' }] } };

    const made = await fetch(`${bridge.address}/v1/presets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'icons', template }),
    });
    const requested = await createImage(bridge, { prompt: ' ', ...template });

    expect(made.status).toBe(422);
    expect(await made.json()).toMatchObject({
      error: { param: 'template.routing.fallbacks[0].provider' },
    });
    expect(requested.json.error.bridge_ext.details).toMatchObject({
      issues: [
        { field: 'prompt' },
        { field: 'routing.fallbacks[0].provider', code: 'unknown_provider' },
      ],
    });
  });

  it('fall back from a limited account to another kind and to the sandbox in one request', async () => {
    openai.script('status=429,quota-type');
    gemini.script('status=429,per-day');

    const { status, json } = await createImage(bridge, {
      prompt: 'a fox',
      routing: { fallbacks: [{ provider: 'google' }, { provider: 'sandbox' }] },
      output: metadata,
    });

    expect(status).toBe(200);
    expect(json).toMatchObject({
      provider: 'sandbox',
      attempts: [
        { provider: 'work', outcome: 'failed', error_code: 'rate_limited' },
        { provider: 'google', outcome: 'failed', error_code: 'rate_limited' },
        { provider: 'sandbox', outcome: 'succeeded' },
      ],
    });
  });

  it('have gates, breakers and metrics under their names', async () => {
    const { runtime } = await get<{ runtime: { providers: object } }>('/v1/diagnostics');
    const families = parseExposition(await (await fetch(`${bridge.address}/metrics`)).text());
    const labelsOf = (name: string, label: string) =>
      new Set(families.get(`image_bridge_${name}`)?.samples.map(({ labels }) => labels[label]));

    expect(runtime.providers).toMatchObject({
      work: { max_concurrent: 'unlimited', breaker: { state: 'closed' } },
      'team-2': { max_concurrent: 3 },
      google: {},
    });
    expect([...labelsOf('circuit_state', 'provider')].sort()).toEqual([
      'google',
      'sandbox',
      'team-2',
      'work',
    ]);
    expect(labelsOf('requests_total', 'provider')).toContain('team-2');
  });

  it('never show keys, addresses or organizations', async () => {
    const texts = await Promise.all(
      ['/v1/diagnostics', '/v1/providers', '/v1/models', '/metrics'].map(async (path) =>
        (await fetch(bridge.address + path)).text(),
      ),
    );

    const shown = [...texts, bridge.stdout(), bridge.stderr()].join('\n');
    for (const secret of [
      openai.key(),
      gemini.key,
      'org-secret',
      'key-that-stays',
      openai.origin,
    ]) {
      expect(shown).not.toContain(secret);
    }
  });
});
