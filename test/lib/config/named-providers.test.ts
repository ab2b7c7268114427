import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig } from '../../../lib/config/load-config.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();
const DAY = '2026-11-22';
const clock = { nowMs: () => Date.parse(DAY) };

async function load(toml: string, more: Partial<LoadOptions> = {}) {
  writeFileSync(join(folder(), 'image-bridge.toml'), toml);
  return loadConfig({ env: {}, cwd: folder(), clock, ...more });
}

async function validConfig(toml: string, more: Partial<LoadOptions> = {}) {
  const loaded = await load(toml, more);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded;
}

/** Returns the errors as `field line: message`. */
async function errorsOf(toml: string): Promise<readonly string[]> {
  const loaded = await load(toml);
  return loaded.ok
    ? []
    : loaded.errors.map(({ field, line, message }) => `${field} ${line}: ${message}`);
}

async function warningsOf(toml: string, more: Partial<LoadOptions> = {}) {
  const loaded = await load(toml, more);
  expect(loaded).toMatchObject({ ok: true });
  return loaded.warnings.map(({ field, message }) => `${field} ${message}`);
}

describe('a named provider', () => {
  it('exists if any source sets one of its fields', async () => {
    const toml = '[providers.openai_images.work]\napi_key_env = "A"';
    const { config } = await validConfig(toml, {
      env: { IMAGE_BRIDGE__PROVIDERS__GEMINI__MY_ACCOUNT__API_KEY_ENV: 'B' },
      set: ['providers.gemini.other.enabled=false', 'providers.openai_images.work.project=p'],
    });

    expect(Object.keys(config.providers.openai_images)).toEqual(['work']);
    expect(config.providers.openai_images['work']).toMatchObject({
      enabled: true,
      dialect: 'openai',
      base_url: 'https://api.openai.com/v1',
      api_key_env: 'A',
      project: 'p',
      image_model: 'gpt-image-2',
    });
    expect(config.providers.gemini).toMatchObject({
      'my-account': { api_key_env: 'B', image_model: 'gemini-nano-banana-2.1' },
      other: { enabled: false },
    });
    expect(config.providers.comfyui).toEqual({});
  });

  it('has an origin for each of its fields', async () => {
    const { origins } = await validConfig('[providers.gemini.main]\napi_key_env = "A"', {
      env: { IMAGE_BRIDGE__RUNTIME__PROVIDERS__MAIN__MAX_QUEUED: '1' },
    });

    expect(origins).toContainEqual({ field: 'providers.gemini.main.api_key_env', source: 'file' });
    expect(origins).toContainEqual({ field: 'providers.gemini.main.models', source: 'default' });
    expect(origins).toContainEqual({
      field: 'runtime.providers.main.max_queued',
      source: 'environment',
    });
  });

  it('has its own limits and circuit breaker, which inherit the common values', async () => {
    const toml = `[runtime]
      provider_default.max_concurrent = 8
      providers.work-2.max_queued = 3
      circuit_breakers.work-2.enabled = false
      [providers.gemini.work-2]
      api_key_env = "A"`;

    const { runtime } = (await validConfig(toml)).config;

    expect(runtime.providers['work-2']).toEqual({ max_concurrent: 8, max_queued: 3 });
    expect(runtime.circuit_breakers['work-2']).toMatchObject({ enabled: false });
    expect(runtime.circuit_breakers['sandbox']).toMatchObject({ enabled: true });
  });

  it.each([
    ['xai', '', 'https://api.x.ai/v1', 'grok-imagine-image'],
    ['together', '', 'https://api.together.xyz/v1', 'black-forest-labs/FLUX.2-pro'],
    ['openrouter', 'models = ["maker/a", "maker/b"]', 'https://openrouter.ai/api/v1', 'maker/a'],
    [
      'xai',
      'base_url = "https://proxy.example/v1"',
      'https://proxy.example/v1',
      'grok-imagine-image',
    ],
    [
      'xai',
      'image_model = "grok-imagine-image-pro"',
      'https://api.x.ai/v1',
      'grok-imagine-image-pro',
    ],
  ])('of the dialect %s has the address and the models of the service (%s)', async (...row) => {
    const [dialect, line, base_url, image_model] = row;
    const toml = `${ACCOUNT}dialect = "${dialect}"\n${line}`;

    const { config, warnings } = await validConfig(toml);

    expect(config.providers.openai_images['a']).toMatchObject({ base_url, image_model });
    expect(config.providers.openai_images['a']?.models).toContain(image_model);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['', 'https://aiplatform.googleapis.com'],
    ['location = "global"', 'https://aiplatform.googleapis.com'],
    ['location = "eu"', 'https://aiplatform.eu.rep.googleapis.com'],
    ['location = "us"', 'https://aiplatform.us.rep.googleapis.com'],
    ['location = "europe-west4"', 'https://europe-west4-aiplatform.googleapis.com'],
    ['base_url = "https://proxy.example"', 'https://proxy.example'],
  ])('of Vertex AI has the address of its location (%s)', async (line, base_url) => {
    const { config, warnings } = await validConfig(`${VERTEX}\n${line}`);

    expect(config.providers.gemini['a']).toMatchObject({ base_url });
    expect(warnings).toEqual([]);
  });

  it('can be the default provider', async () => {
    const toml = 'default_provider = "main"\n[providers.gemini.main]\napi_key_env = "A"';

    expect((await validConfig(toml)).config.default_provider).toBe('main');
  });

  it('may have the name of an object member, such as constructor', async () => {
    const { config } = await validConfig('[providers.gemini.constructor]\napi_key_env = "A"');

    expect(Object.keys(config.providers.gemini)).toEqual(['constructor']);
    expect(config.providers.openai_images['constructor']).toBeUndefined();
  });

  it.each(['a--b', 'a-', 'a-1', 'enabled'])(
    'is set by variables under the name %s',
    async (name) => {
      const variable = `IMAGE_BRIDGE__PROVIDERS__GEMINI__${name.toUpperCase().replaceAll('-', '_')}__ENABLED`;

      const { config } = await validConfig('', { env: { [variable]: 'false' } });

      expect(config.providers.gemini).toMatchObject({ [name]: { enabled: false } });
    },
  );

  it('never appears in a message with the values of its fields', async () => {
    const loaded = await load(
      '[providers.openai_images.a]\nbase_url = "http://hunter2.example"\norganization = "hunter 2"\ndialect = "hunter2"\nmodel_profiles.x = {edits = "hunter2"}',
    );

    expect(!loaded.ok && loaded.errors).toHaveLength(4);
    expect(JSON.stringify(loaded)).not.toMatch(/hunter/);
  });
});

const ACCOUNT = '[providers.openai_images.a]\napi_key_env = "A"\n';
const AZURE = `${ACCOUNT}base_url = "https://a.example"\ndialect = "azure"\n`;
const VERTEX =
  '[providers.gemini.a]\ndialect = "vertex"\nproject = "p"\ncredentials_file = "/c.json"';
const LOCAL = `${ACCOUNT}base_url = "http://127.0.0.1:1"\ndialect = "localai"\nmodels = ["flux"]\nimage_model = "flux"\n`;
const WORKFLOW = 'file = "a", output = "9", prompt = "6.text", edge_multiple = 8, max_edge = 2048';

describe('an invalid named provider', () => {
  it.each<[string, string, string]>([
    ['a bad name', '\n[providers.gemini.Main]', 'providers.gemini.Main 2: must be a provider name'],
    [
      'a name with "_"',
      '[providers.gemini.my_key]',
      'providers.gemini.my_key 1: must be a provider name',
    ],
    [
      'a long name',
      `[providers.gemini.${'a'.repeat(33)}]`,
      `providers.gemini.${'a'.repeat(33)} 1: must be`,
    ],
    [
      'the name of another provider',
      '[providers.gemini.sandbox]',
      'providers.gemini.sandbox 1: must have a different name: global, none,',
    ],
    [
      'a label of metrics',
      '[providers.gemini.none]',
      'providers.gemini.none 1: must have a different name',
    ],
    [
      'a name of two kinds',
      '[providers.openai_images.a]\n[providers.gemini.a]',
      'providers.gemini.a 2: must have a different name: providers.openai_images.a already has this name',
    ],
    [
      'fields in the place of a name',
      '[providers.gemini]\nenabled = true',
      'providers.gemini.enabled 2: must be a table of settings',
    ],
    [
      'an unknown field',
      '[providers.gemini.a]\nkey = "x"',
      'providers.gemini.a.key 2: is not a known setting',
    ],
    [
      'an unknown dialect',
      `${ACCOUNT}dialect = "gpt"`,
      'providers.openai_images.a.dialect 3: must be one of',
    ],
    [
      'two keys',
      `${ACCOUNT}api_key_file = "key"`,
      'providers.openai_images.a.api_key_file 3: must not be set together with api_key_env',
    ],
    [
      'no base_url',
      `${ACCOUNT}dialect = "azure"`,
      'providers.openai_images.a.base_url 3: must be set',
    ],
    [
      'http to another machine',
      `${ACCOUNT}base_url = "http://a.example"`,
      'providers.openai_images.a.base_url 3: must use https',
    ],
    [
      'a base_url with a query',
      `${ACCOUNT}base_url = "https://a.example/?a"`,
      'providers.openai_images.a.base_url 3: must be an http or https URL',
    ],
    [
      'no models',
      LOCAL.replace(/models = .*/s, ''),
      'providers.openai_images.a.models 4: must be set',
    ],
    [
      'an unlisted model',
      `${ACCOUNT}image_model = "gpt-9"`,
      'providers.openai_images.a.image_model 3: must be one of models',
    ],
    [
      'a profile of no model',
      `${ACCOUNT}model_profiles.gpt-9 = "gpt-image-2"`,
      'providers.openai_images.a.model_profiles 3: must have only keys',
    ],
    [
      'an unknown family',
      `${ACCOUNT}model_profiles.gpt-image-2 = "gpt-9"`,
      'providers.openai_images.a.model_profiles.gpt-image-2 3: must be',
    ],
    [
      'an unknown member',
      `${ACCOUNT}model_profiles.gpt-image-2 = {colour = 1}`,
      'providers.openai_images.a.model_profiles.gpt-image-2.colour 3: is not a known field',
    ],
    [
      'a deployment of no model',
      `${AZURE}deployments.gpt-9 = "a"`,
      'providers.openai_images.a.deployments 5: must have only keys',
    ],
    [
      'an organization at azure',
      `${AZURE}organization = "org"`,
      'providers.openai_images.a.organization 5: must not be set: only the "openai" dialect has this setting',
    ],
    [
      'models that openrouter does not have by default',
      `${ACCOUNT}dialect = "openrouter"`,
      'providers.openai_images.a.models 3: must be set: the dialect has no default models',
    ],
    [
      'Vertex AI without a project',
      '[providers.gemini.a]\ndialect = "vertex"\ncredentials_file = "/c.json"',
      'providers.gemini.a.project 2: must be set for the "vertex" dialect',
    ],
    [
      'Vertex AI without credentials',
      '[providers.gemini.a]\ndialect = "vertex"\nproject = "p"',
      'providers.gemini.a.credentials_file 2: must be set for the "vertex" dialect',
    ],
    [
      'Vertex AI with an API key',
      `${VERTEX}\napi_key_env = "A"`,
      'providers.gemini.a.api_key_env 5: must not be set: only the "gemini" dialect has this setting',
    ],
    [
      'a location that would change the host',
      `${VERTEX}\nlocation = "evil.example/"`,
      'providers.gemini.a.location 5: must be at most 63 lowercase letters',
    ],
    [
      'credentials for the Gemini API',
      '[providers.gemini.a]\napi_key_env = "A"\ncredentials_file = "/c.json"',
      'providers.gemini.a.credentials_file 3: must not be set: only the "vertex" dialect has this setting',
    ],
    [
      'upstreams at openai',
      `${ACCOUNT}upstreams = ["openai"]`,
      'providers.openai_images.a.upstreams 3: must not be set: only the "openrouter" dialect has this setting',
    ],
    [
      'a project at azure',
      `${AZURE}project = "p"`,
      'providers.openai_images.a.project 5: must not be set',
    ],
    [
      'an API version at openai',
      `${ACCOUNT}api_version = "1"`,
      'providers.openai_images.a.api_version 3: must not be set: only the "azure" dialect has this setting',
    ],
    [
      'a kind of key at openai',
      `${ACCOUNT}key_kind = "bearer"`,
      'providers.openai_images.a.key_kind 3: must not be set: only the "azure" dialect has this setting',
    ],
    [
      'deployments at openai',
      `${ACCOUNT}deployments.gpt-image-2 = "a"`,
      'providers.openai_images.a.deployments 3: must not be set',
    ],
    [
      'several outputs a call at localai',
      `${LOCAL}native_count = 2`,
      'providers.openai_images.a.native_count 7: must be 1',
    ],
    [
      'a stream at localai',
      `${LOCAL}stream = "always"`,
      'providers.openai_images.a.stream 7: must not be "always"',
    ],
    [
      'a host with a port',
      `${ACCOUNT}result_hosts = ["a:1"]`,
      'providers.openai_images.a.result_hosts[0] 3: must be',
    ],
    [
      'no workflow',
      '[providers.comfyui.a]',
      'providers.comfyui.a.image_model 1: must be one of the keys of workflows',
    ],
    [
      'a workflow without a file',
      '[providers.comfyui.a]\nimage_model = "m"\nworkflows.m = {output = "9", prompt = "6.text", edge_multiple = 8, max_edge = 8}',
      'providers.comfyui.a.workflows.m.file 3: is required',
    ],
    [
      'a binding of no input',
      `[providers.comfyui.a]\nimage_model = "m"\nworkflows.m = {${WORKFLOW}, seed = "3"}`,
      'providers.comfyui.a.workflows.m.seed 3: must be a node input',
    ],
    [
      'an unregistered gate',
      '[runtime.providers.gpt]',
      'runtime.providers.gpt 1: is not a registered provider: agent-responses, agent-app-server, sandbox',
    ],
    [
      'an unregistered default',
      'default_provider = "gpt"\n[providers.gemini.a]\napi_key_env="A"',
      'default_provider 1: is not a registered provider: agent-responses, agent-app-server, sandbox, a',
    ],
    [
      'a default that is off',
      'default_provider = "a"\n[providers.gemini.a]\nenabled = false',
      'default_provider 1: provider is not enabled: providers.gemini.a.enabled is false',
    ],
  ])('is reported with its field and line: %s', async (_name, toml, error) => {
    const errors = await errorsOf(toml);

    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(error.replace('’', "'"));
  });
});

describe('the warnings of named providers', () => {
  it.each<[string, string, readonly string[]]>([
    ['an account with a key', ACCOUNT, []],
    [
      'an account without a key',
      '[providers.openai_images.a]\nenabled = true',
      ['providers.openai_images.a.api_key_env neither api_key_env nor api_key_file'],
    ],
    [
      'an Azure resource without a key',
      AZURE.replace('api_key_env = "A"\n', ''),
      ['providers.openai_images.a.api_key_env neither api_key_env nor api_key_file'],
    ],
    ['a local server without a key', LOCAL.replace('api_key_env = "A"\n', ''), []],
    [
      'Gemini without a key',
      '[providers.gemini.a]',
      ['providers.gemini.a.api_key_env neither api_key_env nor api_key_file'],
    ],
    ['a provider that is off', '[providers.gemini.a]\nenabled = false', []],
    [
      'a key over http',
      `${ACCOUNT}base_url = "http://a.example"\nallow_plain_http = true`,
      ['providers.openai_images.a.base_url the API key is sent'],
    ],
    ['a key over http on loopback', `${ACCOUNT}base_url = "http://[::1]:1"`, []],
    [
      'a model that ends soon',
      `${ACCOUNT}models = ["gpt-image-2", "gpt-image-1.5-2025-12-16"]`,
      ['providers.openai_images.a.models the last day of gpt-image-1.5 is 2026-12-01'],
    ],
    [
      'a model that has ended',
      `${ACCOUNT}models = ["gpt-image-2", "dall-e-3"]`,
      ['providers.openai_images.a.models the last day of dall-e-3 is 2026-05-12'],
    ],
    [
      'streams of LiteLLM',
      `${ACCOUNT}base_url = "https://a.example"\ndialect = "litellm"\nstream = "always"`,
      ['providers.openai_images.a.stream "always" has no effect'],
    ],
    ['such a model of another server', `${LOCAL.replaceAll('flux', 'dall-e-3')}`, []],
  ])('are correct for %s', async (_name, toml, expected) => {
    const warnings = await warningsOf(toml);

    expect(warnings).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(warnings[index]).toContain(start);
  });

  it('name a retired model only in its last 30 days', async () => {
    const toml = `${ACCOUNT}models = ["gpt-image-2", "gpt-image-1.5"]`;

    expect(await warningsOf(toml, { clock: { nowMs: () => Date.parse('2026-10-31') } })).toEqual(
      [],
    );
  });
});
