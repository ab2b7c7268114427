import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { unsupportedNode } from '../../../local-runtime/server/node-version.ts';

const manifest: { engines: { node: string } } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

describe('unsupportedNode', () => {
  it.each(['22.19.0', '22.23.3', '24.0.0', '26.10.0', '100.0.0'])('accepts Node %s', (version) => {
    expect(unsupportedNode(version)).toBeUndefined();
  });

  it.each(['18.20.0', '20.20.2', '22.18.0'])('rejects Node %s with one sentence', (version) => {
    expect(unsupportedNode(version)).toBe(
      `image-bridge requires Node 22.19 or newer; this is Node ${version}.`,
    );
  });

  it('requires the same version as the engines of the package', () => {
    expect(manifest.engines.node).toBe('>=22.19');
  });

  it('is called before the program loads anything else', () => {
    const program = fileURLToPath(new URL('../../../dist/bundle/main.js', import.meta.url));
    const olderNode = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });
      delete process.getBuiltinModule('node:module').enableCompileCache;`;
    const noLoading = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier.includes('command-line')) throw new Error('loaded ' + specifier);
        return next(specifier, context);
      } });`;
    const preload = `data:text/javascript,${encodeURIComponent(olderNode + noLoading)}`;

    const run = spawnSync(process.execPath, ['--import', preload, program, '--version']);

    expect(run.status).toBe(1);
    expect(run.stderr.toString()).toBe(
      'image-bridge requires Node 22.19 or newer; this is Node 20.20.2.\n',
    );
    expect(run.stdout.toString()).toBe('');
  });
});
