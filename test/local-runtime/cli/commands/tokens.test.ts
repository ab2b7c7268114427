import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../../../lib/contract/request/caller.ts';
import type { Token } from '../../../../lib/tokens/token.ts';
import { parseTokens, toTokensText } from '../../../../lib/tokens/tokens-text.ts';
import { lockFile } from '../../../../local-runtime/server/locks/file-lock.ts';
import { runCommand } from '../../../support/run-command.ts';

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
  it('prints a token once and stores only its digest, in a file that only its owner can read', async () => {
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

  it('accepts an allowance, permissions and an expiry date', async () => {
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

  it('accepts budgets and a reserve for images of unknown cost', async () => {
    const budgets = [
      '--budget-per-day',
      '2.50',
      '--budget-per-month',
      '0',
      '--unknown-cost',
      '0.2',
    ];

    await run('add', 'ci', ...budgets);

    expect(await stored()).toMatchObject([
      { budgetPerDay: 25_000_000_000n, budgetPerMonth: 0n, unknownCost: 2_000_000_000n },
    ]);
    const { stdout } = await run('list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { budget_per_day: '2.5', budget_per_month: '0', unknown_cost: '0.2' },
    ]);
    expect((await run('list')).stdout).toMatch(/BUDGET\/DAY +BUDGET\/MONTH[\s\S]* 2\.5 +0 /);
  });

  it.each([
    [['alice'], /a token with this name already exists/],
    [['-x'], /unknown option/],
    [['a b'], /token\[1\]\.name must be/],
    [['bob', '--permissions', 'all'], /--permissions must be a list of images, jobs, read/],
    [['bob', '--expires', 'tomorrow'], /--expires must be a date/],
    [['bob', '--expires', '2027-02-31T10:00'], /--expires must be a date/],
    [['bob', '--expires', '2027-02-30'], /--expires must be a date/],
    [['bob', '--expires', '2027-02-30T10:00Z'], /--expires must be a date/],
    [['bob', '--budget-per-day', '-1'], /--budget-per-day must be an amount in US dollars/],
    [['bob', '--budget-per-month', '1e3'], /--budget-per-month must be an amount/],
    [['bob', '--unknown-cost', ''], /--unknown-cost must be an amount/],
    [['bob', '--images-per-day', '0'], /whole number of at least 1/],
  ])('rejects %j and changes nothing', async (argv, message) => {
    await run('add', 'alice');
    const before = await readFile(path, 'utf8');

    const { exitCode, stdout, stderr } = await run('add', ...argv);

    expect(exitCode).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  it('adds all tokens of simultaneous commands', async () => {
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

  it('requires the setting', async () => {
    const { exitCode, stderr } = await runCommand(['tokens', 'add', 'alice'], { cwd: folder });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('server.tokens_file: must be set to the path');
  });
});

describe('tokens rotate', () => {
  it('replaces the token and keeps its identity and all other fields', async () => {
    await run('add', 'alice', '--images-per-day', '5');
    await run('add', 'bob');
    const [alice, bob] = await stored();

    const { stdout } = await run('rotate', 'alice');

    expect(await stored()).toEqual([{ ...alice, sha256: digestOf(stdout) }, bob]);
    expect(alice?.sha256).not.toBe(digestOf(stdout));
  });
});

describe('tokens disable and tokens remove', () => {
  it('disable or remove a token', async () => {
    await run('add', 'alice');
    await run('add', 'bob');

    const disabled = await run('disable', 'alice');
    const removed = await run('remove', 'bob');

    expect([disabled.stdout, removed.stdout]).toEqual(['Disabled alice.\n', 'Removed bob.\n']);
    expect(await stored()).toMatchObject([
      { name: 'alice', disabled: true },
      { name: 'bob', removedSecs: expect.any(Number) },
    ]);
  });

  it('keep a mark with the identity of a removed token and without permissions', async () => {
    await run('add', 'alice', '--images-per-day', '5', '--expires', '2031-01-31');
    const [alice] = await stored();

    await run('remove', 'alice');

    expect(await stored()).toEqual([
      {
        id: alice?.id,
        name: 'alice',
        sha256: alice?.sha256,
        scope: alice?.scope,
        permissions: [],
        disabled: false,
        removedSecs: expect.any(Number),
      },
    ]);
  });

  it('allow the name of a removed token to be added again with another identity and owner', async () => {
    await run('add', 'alice');
    await run('remove', 'alice');

    const { exitCode, stdout } = await run('add', 'alice');

    const [removed, anew] = await stored();
    expect(exitCode).toBe(0);
    expect(anew).toMatchObject({ name: 'alice', sha256: digestOf(stdout) });
    expect([anew?.id, anew?.scope]).not.toEqual([removed?.id, removed?.scope]);
    expect(anew).not.toHaveProperty('removedSecs');
    await run('disable', 'alice');
    expect(await stored()).toMatchObject([{ disabled: false }, { disabled: true }]);
  });

  it('keep the mark of a token without an id under its name', async () => {
    const row = `name = "old"\nsha256 = "${'ab'.repeat(32)}"\nscope = "s"`;
    await writeFile(path, `[[token]]\n${row}\n`, { mode: 0o600 });

    await run('remove', 'old');
    await run('add', 'old');

    const [removed, anew] = await stored();
    expect(removed).toMatchObject({ id: 'old', removedSecs: expect.any(Number) });
    expect(anew?.id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('drop marks after thirty days, and the oldest of more than 128', async () => {
    const mark = (nth: number, secs: number): Token => ({
      id: `id-${nth}`,
      name: `name-${nth}`,
      sha256: nth.toString(16).padStart(64, '0'),
      scope: 's',
      permissions: [],
      disabled: false,
      removedSecs: Math.floor(Date.now() / 1000) - secs,
    });
    const old = mark(1000, 31 * 86_400);
    const marks = Array.from({ length: 140 }, (_, nth) => mark(nth, nth * 60));
    await writeFile(path, toTokensText([old, ...marks]), { mode: 0o600 });

    await run('add', 'alice');

    const names = (await stored()).map(({ name }) => name);
    expect(names).toEqual([...marks.slice(0, 128).map(({ name }) => name), 'alice']);
  });

  it('write no file that is too long for the bridge', async () => {
    const textOf = (count: number) =>
      toTokensText(
        Array.from({ length: count }, (_, nth): Token => {
          const sha256 = nth.toString(16).padStart(64, '0');
          const id = `id-${sha256.slice(-8)}`;
          return { id, name: id, sha256, scope: 's', permissions: ['read'], disabled: false };
        }),
      );
    const rowBytes = textOf(2).length - textOf(1).length;
    const full = textOf(Math.floor((262_144 - textOf(0).length) / rowBytes));
    await writeFile(path, full, { mode: 0o600 });

    const { exitCode, stdout, stderr } = await run('add', 'alice');

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('must be at most 262144 bytes long');
    expect(await readFile(path, 'utf8')).toBe(full);
  });

  it.each(['rotate', 'disable', 'remove'])('%s rejects an unknown name', async (verb) => {
    await run('add', 'alice');

    const { exitCode, stderr } = await run(verb, 'bob');

    expect(exitCode).toBe(1);
    expect(stderr).toContain('no token with this name exists');
  });
});

describe('tokens list', () => {
  it('shows the permissions of each token, and no digest', async () => {
    await run('add', 'alice', '--images-per-day', '5', '--permissions', 'read');
    await run('add', 'bob', '--expires', '2020-01-01');
    await run('add', 'carol');
    await run('remove', 'carol');
    await run('disable', 'alice');

    const { stdout } = await run('list');
    const json = JSON.parse((await run('list', '--json')).stdout);

    expect(stdout).toMatch(/alice +disabled +5 +read\n/);
    expect(stdout).toMatch(/bob +expired +2020-01-01 00:00/);
    expect(json).toMatchObject([{ name: 'alice', images_per_day: 5, disabled: true }, {}]);
    expect(stdout).not.toContain('carol');
    expect(json).toHaveLength(2);
    expect(stdout + JSON.stringify(json)).not.toContain((await stored())[0]?.sha256);
  });

  it('reports why a file cannot be used', async () => {
    await writeFile(path, '[[token]]\nname = "al', { mode: 0o600 });

    const { exitCode, stderr } = await run('list');

    expect(exitCode).toBe(1);
    expect(stderr).toContain('server.tokens_file: line 2 is not valid TOML');
  });
});
