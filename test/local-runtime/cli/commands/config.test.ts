import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../support/run-command.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-bridge-config-command-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(argv: readonly string[], env: Record<string, string> = {}) {
  return runCommand(['config', ...argv], { cwd: folder, env });
}

function write(toml: string): void {
  writeFileSync(join(folder, 'image-bridge.toml'), toml);
}

describe('config check', () => {
  it('exits 0 for a valid configuration', async () => {
    const result = await run(['check']);

    expect(result).toEqual({ exitCode: 0, stdout: 'The configuration is valid.\n', stderr: '' });
  });

  it('prints one line for each problem and exits 2', async () => {
    write('[server]\nbind = 1\nbnid = 1');

    const result = await run(['check', '--set', 'version=2'], { IMAGE_BRIDGE__X: '1' });

    expect(result.exitCode).toBe(2);
    expect(result.stdout.split('\n')).toEqual([
      expect.stringMatching(/^server\.bind \(image-bridge\.toml:2\): must be /),
      'server.bnid (image-bridge.toml:3): is not a known setting; did you mean bind?',
      'x (IMAGE_BRIDGE__X): is not a known setting',
      'version (--set): must be the integer 1',
      '',
    ]);
  });

  it('names a file by the given path', async () => {
    mkdirSync(join(folder, 'conf'));
    writeFileSync(join(folder, 'conf/bridge.toml'), '[server]\nspeed = 9');

    const byFlag = await run(['check', '--config', 'conf/bridge.toml']);
    const byVariable = await run(['check'], { IMAGE_BRIDGE_CONFIG: 'conf/bridge.toml' });
    const missing = await run(['check', '--config', 'conf/none.toml']);

    expect(byFlag.stdout).toBe('server.speed (conf/bridge.toml:2): is not a known setting\n');
    expect(byVariable.stdout).toBe(byFlag.stdout);
    expect(missing.stdout).toMatch(/^--config \(conf\/none\.toml\): .*ENOENT/);
  });

  it('names the row and the field of an error in the files of prices and tokens', async () => {
    write('[runtime]\nprices_file = "prices.toml"\n[server]\ntokens_file = "tokens.toml"');
    const price = 'kind = "openai_images"\nmodel = "m"\nper = "image"';
    writeFileSync(join(folder, 'prices.toml'), `[[price]]\n${price}\namount = "1,5"`);

    const result = await run(['check']);

    expect(result.exitCode).toBe(2);
    expect(result.stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^runtime\.prices_file \(prices\.toml\): price\[0\]\.amount must be a decimal number/,
      ),
      expect.stringMatching(/^server\.tokens_file \(tokens\.toml\): no such file; /),
      '',
    ]);

    writeFileSync(join(folder, 'prices.toml'), `[[price]]\n${price}\namount = "1.5"`);
    writeFileSync(join(folder, 'tokens.toml'), '', { mode: 0o600 });
    expect((await run(['check'])).stdout).toBe('The configuration is valid.\n');
  });

  it('checks the key that encrypts the login in the database', async () => {
    const agent = '[providers.agent_responses]\ncredentials = "state"';
    write(`[state]\ndriver = "postgres"\n${agent}`);
    const unnamed = await run(['check']);
    write(`[state]\ndriver = "postgres"\nseal_key_env = "SEAL_KEY"\n${agent}`);
    const unset = await run(['check']);

    expect([unnamed.exitCode, unset.exitCode]).toEqual([2, 2]);
    expect(unnamed.stdout).toMatch(/^state\.seal_key_env.*must be set if providers/m);
    expect(unset.stdout).toMatch(/^state\.seal_key_env .*SEAL_KEY.*is unset or empty/m);
  });

  it('prints warnings and exits 0', async () => {
    const result = await run(['check', '--set', 'server.bind=0.0.0.0:8787']);

    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/^server\.bind \(warning\): .+\n.*valid/);
  });

  it('prints JSON with --json', async () => {
    write('[server]\nbind = 1');

    const bad = await run(['check', '--json']);
    const good = await run([
      'check',
      '--json',
      '--set=server.bind=0.0.0.0:1',
      '--config=/dev/null',
    ]);
    const warned = await run(['check', '--json', '--config', join(folder, 'missing.toml')]);

    expect(bad.exitCode).toBe(2);
    expect(JSON.parse(bad.stdout)).toEqual({
      ok: false,
      errors: [
        {
          field: 'server.bind',
          source: 'image-bridge.toml',
          line: 2,
          message: expect.stringMatching(/^must/),
        },
      ],
      warnings: [],
    });
    expect(JSON.parse(good.stdout)).toMatchObject({
      ok: false,
      errors: [{ field: '--config', source: '/dev/null' }],
      warnings: [{ field: 'server.bind', message: expect.any(String) }],
    });
    expect(JSON.parse(warned.stdout)).toMatchObject({ ok: false, errors: [{ field: '--config' }] });
  });

  it('prints JSON for a valid configuration too', async () => {
    const result = await run(['check', '--json']);

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toEqual({ ok: true, errors: [], warnings: [] });
  });

  it('writes nothing to disk', async () => {
    await run(['check']);
    await run(['check', '--set', 'state.directory=']);
    await run(['show']);

    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('config show', () => {
  it('prints TOML that loads as the same configuration', async () => {
    const argv = [
      '--set',
      'server.jobs.max_running=9',
      '--set',
      'server.compat.model_aliases={"a b"="c"}',
    ];

    const shown = await run(['show', ...argv]);
    write(shown.stdout);
    const again = await run(['show']);

    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain('max_running = 9');
    expect(again.stdout).toBe(shown.stdout);
  });

  it('prints the nested object as JSON with --json', async () => {
    const result = await run(['show', '--json'], { IMAGE_BRIDGE__IMAGES__MAX_EDGE: '100' });

    expect(JSON.parse(result.stdout)).toMatchObject({ version: 1, images: { max_edge: 100 } });
  });

  it.each(['show', 'origins'])('prints no %s of an invalid configuration', async (verb) => {
    const result = await run([verb, '--json', '--set', 'version=2']);

    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'version (--set): must be the integer 1\n',
    });
  });
});

describe('config origins', () => {
  it('names the source of every field', async () => {
    write('images.max_edge = 100');

    const result = await run(['origins', '--json', '--set', 'version=1']);

    const origins = JSON.parse(result.stdout);
    expect(result.exitCode).toBe(0);
    expect(origins[0]).toEqual({ field: 'version', source: 'override' });
    expect(origins).toContainEqual({ field: 'images.max_edge', source: 'file' });
    expect(origins).toContainEqual({ field: 'server.bearer_token_env', source: 'default' });
  });

  it('prints one line for each field', async () => {
    const result = await run(['origins'], { IMAGE_BRIDGE__IMAGES__MAX_EDGE: '100' });

    expect(result.stdout).toContain('\nimages.max_edge environment\n');
  });
});

describe('a usage error', () => {
  it.each([
    [[]],
    [['chekc']],
    [['check', 'extra']],
    [['check', '--unknown']],
    [['check', '--set']],
    [['check', '--config']],
    [['check', '--json=yes']],
  ])('in %j exits 2 with the usage', async (argv) => {
    const result = await run(argv);

    expect(result.exitCode).toBe(2);
    expect(result.stdout).toBe('');
    expect(result.stderr).toMatch(/^usage: image-bridge config .+\n/);
  });
});
