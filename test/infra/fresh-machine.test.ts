import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTool } from '../support/outside-tools.ts';
import { cleanUp, freshFolder } from '../support/start-bridge.ts';
import { readBlocks } from './recipe-page.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The variables that name the way to a package registry. */
const REACH =
  /^(npm_config_(registry|proxy|https_proxy|noproxy|cafile|strict_ssl)|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i;

afterAll(cleanUp);

describe('.ci/fresh', () => {
  let machine: string;
  beforeAll(async () => {
    machine = await freshFolder();
  });
  const run = (...argv: readonly string[]) =>
    runTool(join(ROOT, '.ci/fresh'), [machine, ...argv], machine);

  it('gives a command its own home, a PATH, the way to the registry and no other variable', async () => {
    const { code, output } = await run('GIVEN=1', 'env', '-0');
    const variables = new Map(
      output
        .split('\0')
        .map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]),
    );
    variables.delete('');

    expect(code).toBe(0);
    expect(variables.get('HOME')).toMatch(/\/home$/);
    const names = [...variables.keys()].filter((name) => !REACH.test(name));
    expect(names.sort()).toEqual(['GIVEN', 'HOME', 'PATH', 'npm_config_globalconfig']);
  });

  it('has npm and no program that compiles or that node-gyp needs', async () => {
    const tools = 'npm node git python python3 make gmake cc c++ gcc g++ clang node-gyp';
    const { output } = await run(
      'sh',
      '-c',
      `for tool in ${tools}; do command -v "$tool" >/dev/null && echo "$tool"; done; true`,
    );

    expect(output).toBe('npm\nnode\ngit\n');
  });
});

describe('the README', () => {
  it('has each of its two commands in a block of its own', async () => {
    const blocks = (await readBlocks('README.md')).map(({ text }) => text);

    expect(blocks).toContain('npm ci && npm start');
    expect(blocks).toContain('npm ci && npm test');
  });

  it('writes only files that git ignores', async () => {
    const ignored = (await readFile(join(ROOT, '.gitignore'), 'utf8')).split('\n');
    const written = (await readBlocks('README.md')).flatMap(({ text }) =>
      [...text.matchAll(/(?:-o|>) ([\w.-]+\.\w+)/g)].map(([, name]) => name),
    );

    expect(new Set(written)).toEqual(
      new Set(['image.png', 'lighthouse.png', 'winter.webp', 'image-bridge.toml']),
    );
    expect(written.filter((name) => !ignored.includes(`/${name}`))).toEqual([]);
  });
});
