import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { openTokenFile } from '../../../lib/tokens/token-file.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const OWNER_ONLY = { mode: 0o600 };

let folder: string;
let path: string;
let lines: string[];
const clock = createManualClock();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-'));
  path = join(folder, 'tokens.toml');
  lines = [];
});
afterEach(() => rm(folder, { recursive: true }));

const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

function row(token: string, more = ''): string {
  return `[[token]]\nname = "${token}"\nsha256 = "${digestOf(token)}"\nscope = "of-${token}"\n${more}\n`;
}

async function write(text: string): Promise<void> {
  await writeFile(join(folder, 'new'), text, OWNER_ONLY);
  await rename(join(folder, 'new'), path);
}

function openFile() {
  const log = createTraceLog((line) => lines.push(line));
  return openTokenFile({ path, clock, log });
}

function open() {
  const file = openFile();
  return (token: string) => file.find(digestOf(token))?.name;
}

describe('openTokenFile', () => {
  it('finds the caller of a known token and no caller of an unknown token', async () => {
    await write(row('alice'));
    const find = open();

    expect(find('alice')).toBe('alice');
    expect(find('bob')).toBeUndefined();
  });

  it('finds an added token at once and stops finding a removed token', async () => {
    await write(row('alice'));
    const find = open();

    await write(row('bob'));

    expect(find('bob')).toBe('bob');
    expect(find('alice')).toBeUndefined();
  });

  it('rejects a removed token and still returns its name by its id', async () => {
    await write(row('alice', 'id = "a-1"\nremoved = 2025-01-01') + row('bob', 'id = "b-1"'));
    const { find, nameOf, removed } = openFile();

    expect(find(digestOf('alice'))).toBeUndefined();
    expect(['a-1', 'b-1', 'alice'].map(nameOf)).toEqual(['alice', 'bob', undefined]);
    expect(removed()).toEqual(['a-1']);
  });

  it('does not treat a missing token as removed', async () => {
    await write(row('alice') + row('bob'));
    const { find, removed } = openFile();

    await write(row('bob'));

    expect(find(digestOf('alice'))).toBeUndefined();
    expect(removed()).toEqual([]);
  });

  it('rejects a disabled token', async () => {
    await write(row('alice', 'disabled = true'));

    expect(open()('alice')).toBeUndefined();
  });

  it('rejects a token from the second at which it expires', async () => {
    await write(row('alice', 'expires = 2025-01-01T00:00:10Z'));
    const find = open();

    await clock.advance(9999 - (clock.nowMs() - Date.UTC(2025, 0, 1)));
    expect(find('alice')).toBe('alice');
    await clock.advance(1);
    expect(find('alice')).toBeUndefined();
  });

  it.each([
    ['a half-written change', () => writeFile(path, `${row('bob')}[[tok`)],
    ['a change that others may read', () => chmod(path, 0o644)],
    ['two equal names', () => writeFile(path, row('bob') + row('bob'))],
    ['a removed file', () => rm(path)],
    ['a folder in its place', () => rm(path).then(() => mkdir(path))],
  ])('keeps its tokens after %s and logs the failure once', async (_what, change) => {
    await write(row('alice'));
    const find = open();

    await change();

    expect(find('alice')).toBe('alice');
    expect(find('alice')).toBe('alice');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      event: 'internal_failure',
      task: 'tokens-file',
      error_class: 'BridgeError',
    });
    expect(lines[0]).not.toContain(folder);
  });

  it('reads the file again after an invalid change was corrected', async () => {
    await write(row('alice'));
    const find = open();
    await writeFile(path, 'half');
    find('alice');

    await write(row('bob'));

    expect(find('bob')).toBe('bob');
  });

  it.each([
    ['a missing file', async () => {}, /no such file/],
    ['a file that others may read', () => writeFile(path, '', { mode: 0o640 }), /chmod 600/],
    ['a folder', () => mkdir(path, 0o700), /must be a regular file/],
    ['a file that is too long', () => writeFile(path, '#'.repeat(300_000), OWNER_ONLY), /at most/],
    ['a file with an error', () => writeFile(path, 'token = 1', OWNER_ONLY), /token must be/],
  ])('throws at the start for %s', async (_what, make, message) => {
    await make();

    expect(open).toThrow(message);
  });
});

describe('the watch over tokens', () => {
  /** Watches for the tokens `alice` and `bob` with the permission `read`, and the names of the called listeners. */
  async function begin(alice = row('alice')) {
    await write(alice + row('bob'));
    const { watch, task } = openFile();
    const ended: string[] = [];
    const unwatch = ['alice', 'bob'].map((token) =>
      watch(
        digestOf(token),
        ({ permissions }) => permissions.includes('read'),
        () => ended.push(token),
      ),
    );
    const check = async () => {
      await task.run();
      return ended.splice(0);
    };
    return { check, unwatch };
  }

  it.each([
    ['missing', ''],
    ['removed', row('alice', 'removed = 2025-01-01')],
    ['disabled', row('alice', 'disabled = true')],
    ['replaced', row('alice').replace(digestOf('alice'), digestOf('another'))],
    ['without the permission', row('alice', 'permissions = ["jobs"]')],
  ])('calls the listener of a token that is %s, and no other listener', async (_what, changed) => {
    const { check } = await begin();

    expect(await check()).toEqual([]);
    await write(changed + row('bob'));
    expect(await check()).toEqual(['alice']);
  });

  it('calls onEnd when the token expires', async () => {
    const expires = new Date(clock.nowMs() + 10_000).toISOString();
    const { check } = await begin(row('alice', `expires = ${expires}`));

    expect(await check()).toEqual([]);
    await clock.advance(10_000);
    expect(await check()).toEqual(['alice']);
  });

  it('calls no listener after an invalid change, and none whose watch has ended', async () => {
    const { check, unwatch } = await begin();

    await writeFile(path, 'half');
    expect(await check()).toEqual([]);
    unwatch[0]?.();
    await write(row('carol'));
    expect(await check()).toEqual(['bob']);
  });
});

describe('the watch over removals', () => {
  const REMOVED = row('alice', 'removed = 2025-01-01');

  /** Removal watches for the tokens `alice` and `bob`, and the names of the called listeners. */
  async function begin() {
    await write(row('alice') + row('bob'));
    const { watchRemoval, task } = openFile();
    const ended: string[] = [];
    const unwatch = ['alice', 'bob'].map((id) => watchRemoval(id, () => ended.push(id)));
    const check = async () => {
      await task.run();
      return ended.splice(0);
    };
    return { check, unwatch, watchRemoval, ended };
  }

  it('calls the listener of a removed token once, and no listener of other tokens', async () => {
    const { check } = await begin();
    expect(await check()).toEqual([]);

    await write(REMOVED + row('bob'));

    expect(await check()).toEqual(['alice']);
    expect(await check()).toEqual([]);
  });

  it.each([
    ['missing', ''],
    ['disabled', row('alice', 'disabled = true')],
    ['replaced', row('alice').replace(digestOf('alice'), digestOf('another'))],
    ['expired', row('alice', 'expires = 2020-01-01')],
  ])('calls no removal listener of a token that is %s', async (_what, changed) => {
    const { check } = await begin();

    await write(changed + row('bob'));

    expect(await check()).toEqual([]);
  });

  it('calls the listener at once if the token is already removed, and no listener whose watch has ended', async () => {
    const { check, unwatch, watchRemoval, ended } = await begin();
    await write(REMOVED + row('bob', 'removed = 2025-01-01'));

    watchRemoval('alice', () => ended.push('late'));
    unwatch[1]?.();

    expect(ended).toEqual(['late']);
    expect(await check()).toEqual(['late', 'alice']);
  });
});
