import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../../lib/config/resolve-config.ts';
import { FIELDS, fieldByPath, type NamedField } from '../../../../lib/config/settings/fields.ts';
import { CROSS_FIELD_RULES } from '../../../../lib/config/settings/rules.ts';
import { fileSource } from '../../../../lib/config/sources/file-source.ts';
import { environmentSource, overrideSource } from '../../../../lib/config/sources/named-sources.ts';
import { toToml } from '../../../../lib/config/sources/toml.ts';

/** Another valid value for fields that take only certain texts. */
const FILE = { namedBy: '--config', givenPath: 'bridge.toml' };
const TEXTS: Record<string, string> = {
  default_provider: 'sandbox',
  'inputs.remote.allowed_hosts': 'images.example.com',
  'server.bind': '127.0.0.2:1',
  'server.public_base_url': 'https://bridge.example',
  'server.bearer_token_env': 'TOKEN',
  'server.allowed_hosts': 'bridge.example:1',
  'providers.agent_responses.models': 'gpt-image-2',
};

/** What makes one field on its own a valid configuration. */
const COMPANIONS = ['providers.agent_responses.models=["gpt-image-2", "http://127.0.0.1/"]'];

function anotherValue({ path, field }: NamedField): unknown {
  const text = TEXTS[path] ?? 'http://127.0.0.1/';
  if (path === 'version') return 1;
  if (typeof field.default === 'boolean') return !field.default;
  if (typeof field.default === 'number')
    return path.endsWith('max_transient_attempts') ? 1 : field.default + 1;
  if (field.default === 'unlimited' || field.default === 'auto') return 3;
  if (Array.isArray(field.default)) return typeof field.default[0] === 'number' ? [8443] : [text];
  return typeof field.default === 'object' ? { a: 'b' } : text;
}

function variableText(value: unknown): string {
  if (typeof value === 'string') return value;
  // In a list that holds more than tables a table is written inline.
  const isTable = typeof value === 'object' && !Array.isArray(value);
  const text = toToml({ value: isTable ? [0, value] : value }).replace('value = ', '');
  return isTable ? text.replace(/^.*(\{.*\}).*\s$/, '$1') : text;
}

function valueAt(named: NamedField, config: unknown): unknown {
  return named.segments.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key],
    config,
  );
}

describe('FIELDS', () => {
  it('have names of their own, in files and in variables', () => {
    expect(new Set(FIELDS.map(({ path }) => path)).size).toBe(FIELDS.length);
    expect(new Set(FIELDS.map(({ environment }) => environment)).size).toBe(FIELDS.length);
  });

  it('have defaults that they accept, and a sentence', () => {
    const defaults = resolveConfig([]);

    expect(defaults).toMatchObject({ ok: true, warnings: [] });
    for (const { field } of FIELDS) expect(field.about).toMatch(/^[A-Z].*[.]$/);
  });

  it('read back from a file what the defaults are', () => {
    const defaults = resolveConfig([]);
    const text = defaults.ok ? toToml(defaults.config) : '';

    const read = resolveConfig([fileSource(text, FILE)]);

    expect(read).toMatchObject({ ok: true, config: defaults.ok && defaults.config });
  });

  it('inherit from fields of the same kind', () => {
    for (const { field } of FIELDS) {
      if (field.inherits === undefined) continue;
      const parent = fieldByPath.get(field.inherits)?.field;
      expect(parent).toMatchObject({ default: field.default, expects: field.expects });
    }
  });

  describe.each(FIELDS.map((named) => [named.path, named] as const))('%s', (path, named) => {
    const value = anotherValue(named);
    const helpers = overrideSource([
      ...COMPANIONS.filter((assignment) => !assignment.startsWith(path)),
      ...(path === 'default_provider' ? ['providers.sandbox.enabled=true'] : []),
      ...(path === 'providers.agent_responses.enabled'
        ? ['providers.sandbox.enabled=true', 'default_provider=sandbox']
        : []),
      ...(path === 'inputs.max_bytes_each' ? ['inputs.max_bytes_total=999999999'] : []),
    ]);

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
    ])('takes its value from %s', (_name, source) => {
      const resolved = resolveConfig([helpers, source()]);

      expect(resolved).toMatchObject({ ok: true });
      expect(resolved.ok && valueAt(named, resolved.config)).toEqual(value);
    });
  });
});

describe('CROSS_FIELD_RULES', () => {
  it('speak of fields that exist', () => {
    const paths = CROSS_FIELD_RULES.flatMap((rule) => [rule.field, ...rule.with]);

    expect(paths.filter((path) => !fieldByPath.has(path))).toEqual([]);
  });

  it('stay silent while one of their fields is invalid', () => {
    const resolved = resolveConfig([
      overrideSource(['inputs.max_bytes_total=0', 'inputs.max_bytes_each=99999999']),
    ]);

    expect(!resolved.ok && resolved.errors.map(({ field }) => field)).toEqual([
      'inputs.max_bytes_total',
    ]);
  });
});
