import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../../lib/config/resolve-config.ts';
import {
  fieldAt,
  type KeysOf,
  listFields,
  type NamedField,
} from '../../../../lib/config/settings/fields.ts';
import { SINGLE_NAMES } from '../../../../lib/config/settings/provider-names.ts';
import { crossFieldRules } from '../../../../lib/config/settings/rules.ts';
import {
  environmentSource,
  fileSource,
  overrideSource,
} from '../../../../lib/config/sources/source.ts';
import { toToml } from '../../../../lib/config/sources/toml.ts';

const FILE = { namedBy: '--config', givenPath: 'bridge.toml' };

/** One named provider of each kind. */
const NAMED: Readonly<Record<string, string>> = {
  'providers.openai_images': 'work-account',
  'providers.gemini': 'google',
  'providers.comfyui': 'next-room',
  'providers.task': 'studio',
};
const keysOf: KeysOf = ({ keys }, path) =>
  keys === 'registered' ? [...SINGLE_NAMES, 'work-account'] : [NAMED[path] ?? ''];
const FIELDS = listFields(keysOf);
const PATHS = new Set(FIELDS.map(({ path }) => path));

const OPENAI = 'providers.openai_images.work-account';
const COMFYUI = 'providers.comfyui.next-room';
const TASK = 'providers.task.studio';
const WORKFLOW = {
  file: 'flux.json',
  output: '9',
  prompt: '6.text',
  edge_multiple: 8,
  max_edge: 2048,
};

/** A second valid value for fields that accept only certain values. */
const VALUES: Readonly<Record<string, unknown>> = {
  version: 1,
  default_provider: 'sandbox',
  'inputs.remote.allowed_hosts': ['images.example.com'],
  'provenance.mark': 'never',
  'provenance.check': 'validate',
  'providers.agent_responses.digital_source_type': 'compositeSynthetic',
  'providers.agent_app_server.digital_source_type': 'compositeSynthetic',
  'providers.openai_images.work-account.digital_source_type': 'compositeSynthetic',
  'providers.gemini.google.digital_source_type': 'compositeSynthetic',
  'providers.comfyui.next-room.digital_source_type': 'compositeSynthetic',
  'providers.task.studio.digital_source_type': 'compositeSynthetic',
  'provenance.signing.scope': 'all',
  'artifacts.driver': 's3',
  'artifacts.permissions': 'umask',
  'artifacts.s3.bucket': 'images',
  'artifacts.s3.prefix': 'bridge/images',
  'artifacts.s3.endpoint': 'https://s3.example',
  'artifacts.s3.orphans': 'remove',
  'artifacts.s3.redirect_above_bytes': 1_000_000,
  'runtime.gates': 'replica',
  'state.driver': 'postgres',
  'state.seal_key_env': 'SEAL_KEY',
  'state.postgres.url_env': 'POSTGRES_URL',
  'state.postgres.listen_url_env': 'LISTEN_URL',
  'state.postgres.schema': 'images',
  'state.postgres.wakeups': 'poll',
  'replica.name': 'second',
  'server.bind': '127.0.0.2:1',
  'server.public_base_url': 'https://bridge.example',
  'server.bearer_token_env': 'TOKEN',
  'server.allowed_hosts': ['bridge.example:1'],
  'server.webhooks.default_url': 'https://hooks.example/jobs',
  'server.webhooks.allowed_hosts': ['hooks.example:8443'],
  'server.webhooks.secret_env': 'SECRET',
  'providers.agent_responses.models': ['gpt-image-2'],
  'providers.agent_responses.credentials': 'state',
  'providers.agent_responses.max_transient_attempts': 1,
  'providers.gemini.google.dialect': 'vertex',
  'providers.gemini.google.project': 'b-project',
  'providers.gemini.google.location': 'eu',
  [`${OPENAI}.dialect`]: 'litellm',
  [`${OPENAI}.api_key_env`]: 'OTHER_KEY',
  [`${OPENAI}.deployments`]: { 'gpt-image-2': 'images' },
  [`${OPENAI}.models`]: ['gpt-image-2'],
  [`${OPENAI}.image_model`]: 'gpt-image-2.5-flare',
  [`${OPENAI}.model_profiles`]: {
    'gpt-image-2': 'gpt-image-1.5',
    'gpt-image-2.5-flare': { edits: false, partial_images: { min: 0, max: 1 } },
  },
  [`${OPENAI}.key_kind`]: 'bearer',
  [`${OPENAI}.catalogue`]: 'all',
  [`${OPENAI}.stream`]: 'always',
  [`${OPENAI}.result_hosts`]: ['images.example.com'],
  [`${OPENAI}.max_transient_attempts`]: 1,
  'providers.gemini.google.api_key_env': 'OTHER_KEY',
  'providers.gemini.google.models': ['gemini-nano-banana-2.1'],
  'providers.gemini.google.image_model': 'gemini-3-pro-image',
  'providers.gemini.google.model_profiles': { 'gemini-3-pro-image': { edits: false } },
  'providers.gemini.google.max_transient_attempts': 1,
  [`${COMFYUI}.api_key_env`]: 'OTHER_KEY',
  [`${COMFYUI}.workflows`]: { flux: WORKFLOW, sketch: { ...WORKFLOW, images: ['10.image'] } },
  [`${COMFYUI}.image_model`]: 'sketch',
  [`${COMFYUI}.max_transient_attempts`]: 1,
  [`${TASK}.service`]: 'fal',
  [`${TASK}.api_key_env`]: 'OTHER_KEY',
  [`${TASK}.models`]: ['flux-2-pro'],
  [`${TASK}.image_model`]: 'flux-2-max',
  [`${TASK}.model_profiles`]: { 'flux-2-pro': 'gpt-image-2', 'flux-2-max': { edits: false } },
  [`${TASK}.constants`]: { 'flux-2-pro': { steps: 40 } },
  [`${TASK}.catalogue`]: 'all',
  [`${TASK}.result_hosts`]: ['images.example.com'],
  [`${TASK}.max_transient_attempts`]: 1,
};

/** The settings with which a single field is a valid configuration without a warning. */
const GEMINI = 'providers.gemini.google';
const GEMINI_KEY = `${GEMINI}.api_key_env=KEY`;
const VERTEX = [
  `${GEMINI}.dialect=vertex`,
  `${GEMINI}.project=a-project`,
  `${GEMINI}.credentials_file=/a.json`,
];
const COMPANIONS = [
  'providers.agent_responses.models=["gpt-image-2", "http://127.0.0.1/"]',
  'providers.sandbox.enabled=true',
  `${OPENAI}.base_url=https://images.example`,
  `${OPENAI}.api_key_env=KEY`,
  GEMINI_KEY,
  `${COMFYUI}.workflows=${variableText({ flux: WORKFLOW, sketch: WORKFLOW })}`,
  `${COMFYUI}.image_model=flux`,
  `${TASK}.api_key_env=KEY`,
];
const SHARED_LOGIN = [
  'state.driver=postgres',
  'state.postgres.url_env=POSTGRES_URL',
  'state.seal_key_env=SEAL_KEY',
  'providers.agent_responses.credentials=state',
];
const MORE_COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  'artifacts.driver': ['artifacts.s3.bucket=images'],
  'provenance.signing.certificate_file': ['provenance.signing.key_file=signing.key'],
  'provenance.signing.key_file': ['provenance.signing.certificate_file=signing.pem'],
  'artifacts.s3.redirect_above_bytes': ['artifacts.driver=s3', 'artifacts.s3.bucket=images'],
  'state.seal_key_env': SHARED_LOGIN,
  'providers.agent_responses.credentials': SHARED_LOGIN,
  'replica.work': ['state.driver=postgres', 'state.postgres.url_env=POSTGRES_URL'],
  'providers.agent_responses.enabled': ['default_provider=sandbox'],
  'inputs.max_bytes_each': ['inputs.max_bytes_total=999999999'],
  'server.webhooks.enabled': ['server.webhooks.secret_env=SECRET'],
  'server.webhooks.default_url': ['server.webhooks.allowed_hosts=["hooks.example"]'],
  [`${GEMINI}.dialect`]: VERTEX,
  [`${GEMINI}.project`]: VERTEX,
  [`${GEMINI}.location`]: VERTEX,
  [`${GEMINI}.credentials_file`]: VERTEX,
  [`${OPENAI}.api_version`]: [`${OPENAI}.dialect=azure`],
  [`${OPENAI}.key_kind`]: [`${OPENAI}.dialect=azure`],
  [`${OPENAI}.deployments`]: [`${OPENAI}.dialect=azure`],
  [`${TASK}.service`]: [`${TASK}.models=["maker/model"]`, `${TASK}.image_model=maker/model`],
  [`${OPENAI}.upstreams`]: [`${OPENAI}.dialect=openrouter`, `${OPENAI}.models=["maker/model"]`],
};

function companionsOf(path: string): readonly string[] {
  // A provider must not have two keys.
  const rivals = path.endsWith('.api_key_file') ? [path.replace('_file', '_env')] : [];
  const more = MORE_COMPANIONS[path] ?? [];
  // Vertex AI has no key.
  const key = more === VERTEX ? [GEMINI_KEY] : [];
  const own = [...key, ...[path, ...rivals].map((one) => `${one}=`)];
  return [...COMPANIONS, ...more].filter(
    (assignment) => !own.some((one) => assignment.startsWith(one)),
  );
}

function anotherValue({ path, field }: NamedField): unknown {
  const known = VALUES[path];
  const text = 'http://127.0.0.1/';
  if (known !== undefined) return known;
  if (typeof field.default === 'boolean') return !field.default;
  if (typeof field.default === 'number') return field.default + 1;
  if (field.default === 'unlimited' || field.default === 'auto') return 3;
  if (Array.isArray(field.default)) return typeof field.default[0] === 'number' ? [8443] : [text];
  return typeof field.default === 'object' ? { a: 'b' } : text;
}

function variableText(value: unknown): string {
  if (typeof value === 'string') return value;
  // A table is written inline in a list that also contains other values.
  const isTable = typeof value === 'object' && !Array.isArray(value);
  const text = toToml({ value: isTable ? [0, value] : value }).replace('value = ', '');
  return isTable ? text.replace(/^\[ 0, (.*) \]\s$/, '$1') : text;
}

function valueAt(named: NamedField, config: unknown): unknown {
  return named.segments.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key],
    config,
  );
}

describe('FIELDS', () => {
  it('have unique names in files and in variables', () => {
    expect(new Set(FIELDS.map(({ path }) => path)).size).toBe(FIELDS.length);
    expect(new Set(FIELDS.map(({ environment }) => environment)).size).toBe(FIELDS.length);
  });

  it('accept their own defaults and have a description', () => {
    const defaults = resolveConfig([]);

    expect(defaults).toMatchObject({ ok: true, warnings: [] });
    for (const { field } of FIELDS) expect(field.about).toMatch(/^[A-Z].*[.]$/);
  });

  it('read their defaults back from a file', () => {
    const defaults = resolveConfig([]);
    const text = defaults.ok ? toToml(defaults.config) : '';

    const read = resolveConfig([fileSource(text, FILE)]);

    expect(read).toMatchObject({ ok: true, config: defaults.ok && defaults.config });
  });

  it('inherit only from fields of the same kind', () => {
    for (const { field } of FIELDS) {
      if (field.inherits === undefined) continue;
      expect(fieldAt(field.inherits.split('.'))).toMatchObject({
        field: { default: field.default, expects: field.expects },
      });
    }
  });

  describe.each(FIELDS.map((named) => [named.path, named] as const))('%s', (path, named) => {
    const value = anotherValue(named);
    const helpers = overrideSource(companionsOf(path));

    it.each([
      [
        'a file',
        () =>
          fileSource(
            toToml(
              named.segments.reduceRight<unknown>(
                (inner, key) => ({ [key]: inner }),
                value,
              ) as object,
            ),
            FILE,
          ),
      ],
      ['the environment', () => environmentSource({ [named.environment]: variableText(value) })],
      ['--set', () => overrideSource([`${path}=${variableText(value)}`])],
    ])('reads its value from %s', (_name, source) => {
      const resolved = resolveConfig([helpers, source()]);

      expect(resolved).toMatchObject({ ok: true, warnings: [] });
      expect(resolved.ok && valueAt(named, resolved.config)).toEqual(value);
    });
  });
});

describe('crossFieldRules', () => {
  it('name only existing fields', () => {
    const resolved = resolveConfig([overrideSource(companionsOf(''))]);

    const rules = resolved.ok ? crossFieldRules(resolved.config) : [];
    const paths = rules.flatMap((rule) => [rule.field, ...rule.with]);
    expect(rules.some(({ field }) => field.startsWith(OPENAI))).toBe(true);
    expect(paths.filter((path) => !PATHS.has(path))).toEqual([]);
  });

  it('are skipped if one of their fields is invalid', () => {
    const resolved = resolveConfig([
      overrideSource(['inputs.max_bytes_total=0', 'inputs.max_bytes_each=99999999']),
    ]);

    expect(!resolved.ok && resolved.errors.map(({ field }) => field)).toEqual([
      'inputs.max_bytes_total',
    ]);
  });
});
