import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createImage } from '../../support/create-image.ts';
import { createGeminiUpstream } from '../../support/gemini-upstream/gemini-upstream.ts';
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
import { providerSettings } from './openai-images-rig.ts';

const KEY = 'sk-made-up-of-the-tests';
const SETTINGS = [
  'providers.agent_responses.enabled=false',
  'runtime.circuit_breaker.enabled=false',
];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await cleanUp();
  for (const close of closing.splice(0)) await close();
});

async function openServer(): Promise<ImagesUpstream> {
  const upstream = await createImagesUpstream({ key: KEY, imageBytes: 30_000 });
  closing.push(upstream.close);
  return upstream;
}

/** Starts a bridge whose default provider is `account` at this server. */
function startAt(
  upstream: ImagesUpstream,
  {
    changes = {},
    set = [],
    env = { OWN_KEY: KEY },
    cwd,
  }: {
    readonly changes?: Readonly<Record<string, unknown>>;
    readonly set?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
  } = {},
): Promise<StartedBridge> {
  const own = providerSettings('account', upstream, changes);
  return startBridge({
    command: 'serve',
    env,
    set: ['default_provider=account', ...own, ...SETTINGS, ...set],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

const REQUEST = { prompt: 'a fox', output: { response_format: 'metadata' } } as const;

describe('a request with fallbacks', () => {
  async function openThree() {
    const upstream = await openServer();
    const gemini = await createGeminiUpstream({ key: KEY, imageBytes: 30_000 });
    closing.push(gemini.close);
    const bridge = await startAt(upstream, {
      set: [
        'providers.sandbox.enabled=true',
        `providers.gemini.gem.base_url=${gemini.url}`,
        'providers.gemini.gem.api_key_env=OWN_KEY',
        'providers.gemini.gem.transient_backoff_ms=1',
      ],
    });
    const fallbacks = [{ provider: 'gem' }, { provider: 'sandbox' }];
    const create = (prompt: string, policy = 'on_unavailable') =>
      createImage(bridge, { ...REQUEST, prompt, routing: { fallbacks, fallback_policy: policy } });
    return { upstream, gemini, create };
  }

  it('goes from a rate-limited account to Gemini to the sandbox, and reports each attempt', async () => {
    const { upstream, gemini, create } = await openThree();

    const { status, json } = await create('a fox [[fail:status=429]]');

    expect(status).toBe(200);
    expect(json.provider).toBe('sandbox');
    expect(json.attempts).toMatchObject([
      { provider: 'account', outcome: 'failed', error_code: 'rate_limited' },
      { provider: 'gem', outcome: 'failed', error_code: 'rate_limited' },
      { provider: 'sandbox', outcome: 'succeeded' },
    ]);
    expect([upstream.calls.length, gemini.calls.length]).toEqual([2, 2]);
    expect(upstream.counters().drawn).toBe(0);
  });

  it('ends at the first provider that generates an image', async () => {
    const { upstream, gemini, create } = await openThree();
    upstream.setDefaultBehaviour('status=429,insufficient_quota');

    const { json } = await create('a fox');

    expect(json.provider).toBe('gem');
    expect(json.attempts?.map(({ provider, outcome }) => [provider, outcome])).toEqual([
      ['account', 'failed'],
      ['gem', 'succeeded'],
    ]);
    expect([upstream.calls.length, gemini.calls.length]).toEqual([1, 1]);
  });

  it('tries no other provider after an account may have generated an image', async () => {
    const { upstream, gemini, create } = await openThree();
    upstream.setDefaultBehaviour('cut=body');

    const { status, json } = await create('a fox', 'on_error');

    expect(status).toBe(502);
    expect(json.error.bridge_ext.details).toMatchObject({ outcome: 'unknown' });
    expect([upstream.calls.length, gemini.calls.length]).toEqual([1, 0]);
    expect(upstream.counters().drawn).toBe(1);
  });
});

describe('an account', () => {
  const readiness = async ({ address }: StartedBridge) =>
    (await fetch(`${address}/health/ready`)).status;

  it('with a wrong key fails with an error of the provider, after one call and without the key in the reply', async () => {
    const upstream = await openServer();
    const bridge = await startAt(upstream, { env: { OWN_KEY: 'sk-the-wrong-one' } });

    const { status, json } = await createImage(bridge, REQUEST);

    expect([status, json.error.code]).toEqual([503, 'provider_authentication']);
    expect(upstream.calls).toMatchObject([{ outcome: 'refused', refusal: { status: 401 } }]);
    expect(JSON.stringify(json) + bridge.stderr() + bridge.stdout()).not.toContain('sk-');
  });

  it('without its variable is not ready, and sends no call', async () => {
    const upstream = await openServer();
    const bridge = await startAt(upstream, { env: {} });

    const { json } = await createImage(bridge, REQUEST);

    expect(json.error.code).toBe('provider_authentication');
    expect(await readiness(bridge)).toBe(503);
    expect(upstream.calls).toEqual([]);
  });

  it('whose key file is writable for others sends no call until the file is protected', async () => {
    const upstream = await openServer();
    const file = join(await freshFolder(), 'key');
    await writeFile(file, KEY);
    await chmod(file, 0o666);
    const changes = { api_key_env: undefined, api_key_file: file };
    const bridge = await startAt(upstream, { changes, env: {} });

    const refused = await createImage(bridge, REQUEST);
    await chmod(file, 0o600);
    const accepted = await createImage(bridge, REQUEST);

    expect(refused.json.error.code).toBe('provider_authentication');
    expect(accepted.status).toBe(200);
    expect(upstream.calls).toHaveLength(1);
    expect(JSON.stringify(refused.json) + bridge.stderr()).not.toContain(file);
  });

  it('uses the new key of its file without a restart', async () => {
    const upstream = await openServer();
    const file = join(await freshFolder(), 'key');
    await writeFile(file, `${KEY}\n`, { mode: 0o600 });
    const changes = { api_key_env: undefined, api_key_file: file };
    const bridge = await startAt(upstream, { changes, env: {} });
    await createImage(bridge, REQUEST);

    await writeFile(file, upstream.renewKey());
    const { status } = await createImage(bridge, REQUEST);

    expect(status).toBe(200);
    expect(upstream.counters().drawn).toBe(2);
  });

  it('at the address of another server fails, and generates nothing', async () => {
    const upstream = await openServer();
    upstream.setDefaultBehaviour('html=200');
    const bridge = await startAt(upstream);

    const { status, json } = await createImage(bridge, REQUEST);

    expect([status, json.error.bridge_ext.code]).toEqual([502, 'protocol']);
    expect(upstream.counters()).toMatchObject({ calls: 1, drawn: 0 });
  });

  it('with a model unknown to the server fails with an error at the field of the model', async () => {
    const upstream = await openServer();
    const changes = { models: ['dall-e-3'], image_model: 'dall-e-3' };
    const bridge = await startAt(upstream, { changes });

    const { status, json } = await createImage(bridge, REQUEST);

    expect([status, json.error.param]).toEqual([400, 'routing.model']);
    expect(json.error.code).toBe('unsupported_capability');
  });
});

describe('a program that is killed', () => {
  it.each(['silence=before-headers', 'silence=body', 'stream=silence'] as const)(
    'does not send the call of its job again after %s',
    async (behaviour) => {
      const upstream = await openServer();
      const cwd = await freshFolder();
      const first = await startAt(upstream, { cwd });
      const partial_images = behaviour === 'stream=silence' ? 1 : 0;
      const body = { prompt: `a fox [[fail:${behaviour}]]`, parameters: { partial_images } };
      const submitted = await fetch(`${first.address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { id } = (await submitted.json()) as { id: string };
      await upstream.until(() => upstream.calls[0]?.isSilent === true);

      await first.end('SIGKILL');
      const second = await startAt(upstream, { cwd });

      const job = await fetch(`${second.address}/v1/jobs/${id}?wait_ms=10000`);
      expect(await job.json()).toMatchObject({
        status: 'interrupted',
        error: { retryable: false, details: { outcome: 'unknown' } },
      });
      expect(upstream.calls).toHaveLength(1);
    },
  );
});
