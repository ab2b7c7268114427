import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../lib/config/resolve-config.ts';
import { fileSource } from '../../../lib/config/sources/source.ts';

const FILE = { namedBy: '--config', givenPath: 'bridge.toml' };
const EXAMPLE = readFileSync('infra/configuration/example.toml', 'utf8');

describe('infra/configuration/example.toml', () => {
  it('is valid without changes', () => {
    const resolved = resolveConfig([fileSource(EXAMPLE, FILE)]);

    expect(resolved).toMatchObject({ ok: true, warnings: [] });
  });

  it('is valid with every commented setting enabled', () => {
    const everything = EXAMPLE.replaceAll(/^#(?=\S)/gm, '');

    const resolved = resolveConfig([fileSource(everything, FILE)]);

    expect(everything).not.toBe(EXAMPLE);
    expect(resolved).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('docs/providers.md', () => {
  const page = readFileSync('docs/providers.md', 'utf8');
  const blocks = [...page.matchAll(/^```toml\n(.*?)^```$/gms)].map(([, toml = '']) => toml);

  it.each(blocks)('has a valid configuration that begins with %.60s', (toml) => {
    const resolved = resolveConfig([fileSource(toml, FILE)]);

    expect(resolved).toMatchObject({ ok: true, warnings: [] });
  });
});
