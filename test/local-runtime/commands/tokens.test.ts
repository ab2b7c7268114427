import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../../lib/contract/request/caller.ts';
import type { Token } from '../../../lib/tokens/token.ts';
import { parseTokens } from '../../../lib/tokens/tokens-text.ts';
import { lockFile } from '../../../local-runtime/locks/file-lock.ts';
import { runCommand } from '../../support/run-command.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-tokens-command-'));
  path = join(folder, 'tokens.toml');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(...argv: string[]) {
  const set = ['--set', 'server.tokens_file=tokens.toml'];
  return runCommand(['tokens', ...argv, ...set], { cwd: folder });
}

async function stored(): Promise<readonly Token[]> {
  return parseTokens(await readFile(path, 'utf8'));
}

const digestOf = (line: string) => createHash('sha256').update(line.trim()).digest('hex');

describe('tokens add', () => {
  it('prints a token once and stores only its digest, for the owner alone', async () => {
    const { exitCode, stdout } = await run('add', 'alice');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ib_[0-9a-f]{64}\n$/);
    const [token] = await stored();
    expect(token).toMatchObject({
      name: 'alice',
      sha256: digestOf(stdout),
      permissions: DEFAULT_PERMISSIONS,
      disabled: false,
    });
    expect(token?.scope).toMatch(/^[0-9a-f]{32}$/);
    expect(token?.id).toMatch(/^[0-9a-f]{32}$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain(stdout.trim());
  });

  it('takes an allowance, permissions and an end', async () => {
    const options = ['--images-per-day', '100', '--permissions', 'read,jobs', '--expires'];

    await run('add', 'ci', ...options, '2027-01-31');

    expect(await stored()).toMatchObject([
      {
        imagesPerDay: 100,
        permissions: ['jobs', 'read'],
        expiresSecs: Date.UTC(2027, 0, 31) / 1000,
      },
    ]);
  });

  it.each([
    [['alice'], /there is a token of this name already/],
    [['-x'], /unknown option/],
    [['a b'], /token\[1\]\.name must be/],
    [['bob', '--permissions', 'all'], /--permissions must be some of images, jobs, read/],
    [['bob', '--expires', 'tomorrow'], /--expires must be a date/],
    [['bob', '--expires', '2027-02-31T10:00'], /--expires must be a date/],
    [['bob', '--expires', '2027-02-30'], /--expires must be a date/],
    [['bob', '--expires', '2027-02-30T10:00Z'], /--expires must be a date/],
    [['bob', '--images-per-day', '0'], /whole number from 1/],
  ])('refuses %j and changes nothing', async (argv, message) => {
    await run('add', 'alice');
    const before = await readFile(path, 'utf8');

    const { exitCode, stdout, stderr } = await run('add', ...argv);

    expect(exitCode).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  it('adds every one of several tokens at once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];

    const ended = await Promise.all(names.map((name) => run('add', name)));

    expect(ended.map(({ exitCode, stderr }) => [exitCode, stderr.includes('lock')])).toEqual(
      names.map(() => [0, false]),
    );
    expect((await stored()).map(({ name }) => name).sort()).toEqual(names);
  });

  it('waits while another command changes the file', async () => {
    const lock = lockFile(`${path}.lock`);

    const running = run('add', 'alice');
    const first = await Promise.race([running, new Promise((resolve) => setImmediate(resolve))]);
    lock?.release();

    expect(first).toBeUndefined();
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(await stored()).toMatchObject([{ name: 'alice' }]);
  });

  it('needs the setting', async () => {
    const { exitCode, stderr } = await runCommand(['tokens', 'add', 'alice'], { cwd: folder });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('server.tokens_file: set it');
  });
});

describe('tokens rotate', () => {
  it('replaces the token and keeps its identity and all else', async () => {
    await run('add', 'alice', '--images-per-day', '5');
    await run('add', 'bob');
    const [alice, bob] = await stored();

    const { stdout } = await run('rotate', 'alice');

    expect(await stored()).toEqual([{ ...alice, sha256: digestOf(stdout) }, bob]);
    expect(alice?.sha256).not.toBe(digestOf(stdout));
  });
});

describe('tokens disable and tokens remove', () => {
  it('end a token, with or without its row', async () => {
    await run('add', 'alice');
    await run('add', 'bob');

    const disabled = await run('disable', 'alice');
    const removed = await run('remove', 'bob');

    expect([disabled.stdout, removed.stdout]).toEqual([
      'alice was disabled.\n',
      'bob was removed.\n',
    ]);
    expect(await stored()).toMatchObject([{ name: 'alice', disabled: true }]);
  });

  it.each(['rotate', 'disable', 'remove'])('%s refuses a name that no token has', async (verb) => {
    await run('add', 'alice');

    const { exitCode, stderr } = await run(verb, 'bob');

    expect(exitCode).toBe(1);
    expect(stderr).toContain('there is no token of this name');
  });
});

describe('tokens list', () => {
  it('shows who may do what, and no digest', async () => {
    await run('add', 'alice', '--images-per-day', '5', '--permissions', 'read');
    await run('add', 'bob', '--expires', '2020-01-01');
    await run('disable', 'alice');

    const { stdout } = await run('list');
    const json = JSON.parse((await run('list', '--json')).stdout);

    expect(stdout).toMatch(/alice +disabled +5 +read\n/);
    expect(stdout).toMatch(/bob +expired +2020-01-01 00:00/);
    expect(json).toMatchObject([{ name: 'alice', images_per_day: 5, disabled: true }, {}]);
    expect(stdout + JSON.stringify(json)).not.toContain((await stored())[0]?.sha256);
  });

  it('says why a file cannot be used', async () => {
    await writeFile(path, '[[token]]\nname = "al', { mode: 0o600 });

    const { exitCode, stderr } = await run('list');

    expect(exitCode).toBe(1);
    expect(stderr).toContain('server.tokens_file: line 2 is not valid TOML');
  });
});
