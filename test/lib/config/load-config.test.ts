import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig } from '../../../lib/config/load-config.ts';
import type { Config } from '../../../lib/config/settings/settings.ts';
import type { ImageLimits } from '../../../lib/images/image.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

function load(toml: string, more: Partial<LoadOptions> = {}) {
  if (toml !== '') writeFileSync(join(folder(), 'image-bridge.toml'), toml);
  return loadConfig({ env: {}, cwd: folder(), ...more });
}

async function validConfig(toml: string, more: Partial<LoadOptions> = {}): Promise<Config> {
  const loaded = await load(toml, more);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}

async function originOf(field: string, toml: string, more: Partial<LoadOptions> = {}) {
  const loaded = await load(toml, more);
  return loaded.ok && loaded.origins.find((origin) => origin.field === field)?.source;
}

describe('loadConfig', () => {
  it('returns the documented defaults without any source', async () => {
    const config = await validConfig('');

    const images: ImageLimits = config.images;
    const limit: number | 'unlimited' = config.runtime.global.max_concurrent;
    const url: string | undefined = config.server.public_base_url;
    expect(images).toEqual({
      max_encoded_bytes: 33_554_432,
      max_edge: 16_384,
      max_pixels: 67_108_864,
      max_request_pixels: 268_435_456,
      max_decode_ms: 10_000,
    });
    expect(limit).toBe('unlimited');
    expect(url).toBeUndefined();
    expect(config.version).toBe(1);
    expect(config.default_provider).toBe('agent-responses');
    expect(config.server.jobs.max_running).toBe(4);
    expect(config.providers.agent_responses.max_parallel_outputs).toBe('auto');
    expect(config.runtime.circuit_breakers['sandbox']?.failure_threshold).toBe(5);
  });

  it('gives each source precedence over the sources before it', async () => {
    const toml = '[server.jobs]\nmax_running = 2\nmax_pending = 2\nmax_retained = 2';
    const env = {
      IMAGE_BRIDGE__SERVER__JOBS__MAX_PENDING: '3',
      IMAGE_BRIDGE__SERVER__JOBS__MAX_RETAINED: '3',
    };
    const presets = { 'server.jobs.max_running': 1, 'server.jobs.retention_secs': 1 };
    const set = ['server.jobs.max_retained=9', 'server.jobs.max_retained=4'];

    const config = await validConfig(toml, { env, presets, set });

    expect(config.server.jobs).toMatchObject({
      retention_secs: 1,
      max_running: 2,
      max_pending: 3,
      max_retained: 4,
      max_retained_bytes: 268_435_456,
    });
  });

  it.each<[string, string, string, Partial<LoadOptions>]>([
    ['default', 'server.bind', '', {}],
    [
      'default',
      'default_provider',
      '',
      { presets: { 'providers.sandbox.enabled': true, default_provider: 'sandbox' } },
    ],
    ['file', 'server.bind', '[server]\nbind = "127.0.0.1:1"', {}],
    ['environment', 'server.bind', '', { env: { IMAGE_BRIDGE__SERVER__BIND: '127.0.0.1:2' } }],
    ['override', 'server.bind', '', { set: ['server.bind=127.0.0.1:3'] }],
    [
      'file',
      'runtime.providers.sandbox.max_queued',
      '[runtime.provider_default]\nmax_queued = 1',
      {},
    ],
  ])('reports the origin %s of %s', async (origin, field, toml, more) => {
    expect(await originOf(field, toml, more)).toBe(origin);
  });

  it('applies a setting for all providers unless the provider has its own value', async () => {
    const toml = `[runtime]
      provider_default = { max_concurrent = 8, max_queued = 0 }
      circuit_breaker.enabled = false
      [runtime.providers.agent-responses]
      max_concurrent = "unlimited"
      [runtime.circuit_breakers.agent-app-server]
      enabled = true`;

    const { runtime } = await validConfig(toml, {
      env: { IMAGE_BRIDGE__RUNTIME__PROVIDERS__AGENT_APP_SERVER__MAX_QUEUED: '5' },
    });

    expect(runtime.providers).toEqual({
      'agent-responses': { max_concurrent: 'unlimited', max_queued: 0 },
      'agent-app-server': { max_concurrent: 8, max_queued: 5 },
      sandbox: { max_concurrent: 8, max_queued: 0 },
    });
    expect(runtime.circuit_breakers['sandbox']?.enabled).toBe(false);
    expect(runtime.circuit_breakers['agent-app-server']?.enabled).toBe(true);
  });

  it('accepts an alias named __proto__', async () => {
    const toml = '[server.compat.model_aliases]\n__proto__ = "gpt-image-2"\nconstructor = "x"';

    const { model_aliases } = (await validConfig(toml)).server.compat;

    expect(Object.entries(model_aliases)).toEqual([
      ['__proto__', 'gpt-image-2'],
      ['constructor', 'x'],
    ]);
    expect(model_aliases['toString']).toBeUndefined();
  });

  it.each<[string, string]>([
    ['a byte order mark', '\ufeff[server.jobs]\nmax_running = 7'],
    ['line ends of Windows', '[server.jobs]\r\nmax_running = 7\r\n'],
    ['dotted keys', 'server.jobs.max_running = 7'],
    ['inline tables', 'server = { jobs = { max_running = 7 } }'],
    ['another base', 'server.jobs.max_running = 0x7'],
  ])('reads a file with %s', async (_name, toml) => {
    const config = await validConfig(toml);

    expect(config.server.jobs.max_running).toBe(7);
  });

  it('reports the errors of all sources in one run', async () => {
    const loaded = await load('[server]\nbind = 1\nnonsense = 1', {
      env: { IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING: '0', IMAGE_BRIDGE__NONSENSE: '1' },
      set: ['images.max_edge=0', 'nonsense=1', 'inputs.max_bytes_each=99999999'],
    });

    expect(loaded.ok).toBe(false);
    expect(!loaded.ok && loaded.errors.map(({ field, source }) => `${field} ${source}`)).toEqual([
      'server.bind image-bridge.toml',
      'server.nonsense image-bridge.toml',
      'nonsense IMAGE_BRIDGE__NONSENSE',
      'server.jobs.max_running IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING',
      'nonsense --set',
      'images.max_edge --set',
      'inputs.max_bytes_each --set',
    ]);
  });

  it('reports errors of the environment even if the file is not valid TOML', async () => {
    const loaded = await load('[server', { env: { IMAGE_BRIDGE__NONSENSE: '1' } });

    expect(!loaded.ok && loaded.errors.map(({ source }) => source)).toEqual([
      'image-bridge.toml',
      'IMAGE_BRIDGE__NONSENSE',
    ]);
  });

  it('reports an invalid value of the file even if the environment replaces it', async () => {
    const loaded = await load('[server]\nbind = 1', {
      env: { IMAGE_BRIDGE__SERVER__BIND: '127.0.0.1:1' },
    });

    expect(loaded).toMatchObject({ ok: false, errors: [{ field: 'server.bind', line: 2 }] });
  });

  it('never repeats a value in a message', async () => {
    const loaded = await load(
      'default_provider = "hunter2"\n[server]\nbind = "hunter2"\nbearer_token_env = "hunter-2"\nallowed_hosts = ["hunter2/"]\n',
      {
        env: { IMAGE_BRIDGE__IMAGES__MAX_EDGE: 'hunter2', IMAGE_BRIDGE__HUNTER: 'hunter2' },
        set: ['providers.agent_responses.endpoint=https://u:hunter2@example.com', 'hunter2'],
      },
    );

    expect(!loaded.ok && loaded.errors).toHaveLength(8);
    expect(JSON.stringify(loaded)).not.toMatch(/hunter-?2/);
  });

  it('warns about an address that other machines can reach without a token', async () => {
    const bare = await load('[server]\nbind = "0.0.0.0:8787"');
    const guarded = await load('[server]\nbind = "0.0.0.0:8787"\nbearer_token_env = "TOKEN"');
    const local = await load('[server]\nbind = "[::1]:8787"');

    expect(bare).toMatchObject({ ok: true, warnings: [{ field: 'server.bind' }] });
    expect(guarded).toMatchObject({ ok: true, warnings: [] });
    expect(local).toMatchObject({ ok: true, warnings: [] });
  });

  it('resolves no secret', async () => {
    const env = new Proxy({} as Record<string, string>, {
      get(_env, name) {
        if (name === 'SECRET_TOKEN') throw new Error('read a secret');
        return undefined;
      },
    });

    const config = await validConfig('[server]\nbearer_token_env = "SECRET_TOKEN"', { env });

    expect(config.server.bearer_token_env).toBe('SECRET_TOKEN');
  });

  it('creates no file for a valid or an invalid configuration', async () => {
    await load('[state]\ndirectory = "./state"\n[artifacts]\nroot = "./artifacts"');
    await load('[state]\ndirectory = "./state"\nx = 1', { set: ['server.activation_lock=./lock'] });

    expect(readdirSync(folder())).toEqual(['image-bridge.toml']);
  });
});
