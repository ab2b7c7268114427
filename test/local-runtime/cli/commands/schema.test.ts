import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../support/run-command.ts';

let cwd: string;
let stdout: string;
let stderr: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'schema-'));
  stdout = '';
  stderr = '';
});

afterEach(() => rm(cwd, { recursive: true }));

async function run(...argv: string[]): Promise<number> {
  const ended = await runCommand(['schema', ...argv], { cwd });
  stdout += ended.stdout;
  stderr += ended.stderr;
  return ended.exitCode;
}

describe('schema', () => {
  it('prints the OpenAPI document as YAML', async () => {
    const code = await run('--kind', 'openapi');

    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({ openapi: '3.1.0', paths: { '/v1/images': {} } });
    expect(stderr).toBe('');
  });

  it('prints the JSON Schema of a request', async () => {
    const code = await run('--kind', 'json');

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'ImageRequest' });
  });

  it('writes no folded lines and no references to repeated values', async () => {
    await run('--kind', 'openapi');

    expect(stdout).not.toMatch(/: >-?$/m);
    expect(stdout).not.toMatch(/[&*]a\d+$/m);
  });

  it.each(['openapi', 'json'])('accepts %s immediately after writing it', async (kind) => {
    const written = await run('--kind', kind, '--write', 'document');
    const checked = await run('--kind', kind, '--check', 'document');

    expect([written, checked]).toEqual([0, 0]);
    expect(stdout).toBe('');
  });

  it('reports a file that differs', async () => {
    await run('--kind', 'openapi', '--write', 'document');
    const text = await readFile(join(cwd, 'document'), 'utf8');
    await writeFile(join(cwd, 'document'), text.replace('Image Bridge', 'Image  Bridge'));

    const code = await run('--kind', 'openapi', '--check', 'document');

    expect(code).toBe(1);
    expect(stderr).toContain('--write');
  });

  it.each([
    ['--check', 'nowhere'],
    ['--write', 'nowhere/document'],
  ])('exits with 1 and names the file if %s %s fails', async (option, file) => {
    const code = await run('--kind', 'json', option, file);

    expect(code).toBe(1);
    expect(stderr).toContain(join(cwd, file));
  });

  it.each([
    [[]],
    [['--kind']],
    [['--kind', 'yaml']],
    [['--kind', 'json', '--check', 'a', '--write', 'b']],
    [['--kind', 'json', '--verbose']],
    [['json']],
  ])('exits with 2 and the usage for %j', async (argv) => {
    const code = await run(...argv);

    expect(code).toBe(2);
    expect(stderr).toMatch(/^usage: /);
    expect(stdout).toBe('');
  });
});
