import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { inspectState } from '../../../lib/storage/inspect-state.ts';
import { openStores, refuseForeignStores } from '../../../lib/storage/open-stores.ts';
import { CANCELLATION, newJob, WIDE } from '../../support/jobs.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const SHA256 = 'ab'.repeat(32);
const END = { atSecs: 1, error: CANCELLATION };

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'stores-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function settings() {
  const loaded = await loadConfig({
    ...{ cwd: directory, env: {} },
    set: ['state.directory=state', 'artifacts.root=artifacts'].map((assignment) =>
      assignment.replace('=', `=${directory}/`),
    ),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.config;
}

async function open() {
  await mkdir(join(directory, 'state'), { recursive: true, mode: 0o700 });
  const clock = createManualClock();
  const ids = createIds(clock.nowMs);
  return openStores(await settings(), { clock, ids, env: {}, onIndexFailure: () => {} });
}

describe('openStores', () => {
  test('only their owner may read the files in the state directory', async () => {
    const before = process.umask(0);
    const stores = await open();
    await stores.jobs.submit(newJob(), WIDE);
    await stores.storedInputs.put(SHA256, Buffer.from('image'));
    await stores.search.find(
      'anonymous',
      { terms: { all: ['a'], none: [] }, visibility: 'all' },
      { limit: 1 },
      new AbortController().signal,
    );
    await (await inspectState(await settings(), {})).backUp(join(directory, 'state', 'backup'));
    process.umask(before);

    const entries = await readdir(join(directory, 'state'), {
      recursive: true,
      withFileTypes: true,
    });
    const modes = await Promise.all(
      entries.map(async (entry) => {
        const { mode } = await stat(join(entry.parentPath, entry.name));
        return [entry.name, (mode & 0o777).toString(8), entry.isDirectory() ? '700' : '600'];
      }),
    );
    await stores.close();

    const names = modes.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['bridge.sqlite', 'bridge.sqlite-wal', 'backup']));
    expect(names).toEqual(expect.arrayContaining(['inputs', SHA256, 'search.sqlite']));
    expect(modes.filter(([, found, wanted]) => found !== wanted)).toEqual([]);
  });

  test('jobs of an earlier process are abandoned at once, even if its lease is valid', async () => {
    const first = await open();
    await first.jobs.submit(newJob(), WIDE);
    await first.jobs.claim(1);
    await first.leaseRenewal.run(new AbortController().signal);
    await first.close();

    const second = await open();
    const interrupted = await second.jobs.interruptAbandoned(END);
    await second.close();

    expect(interrupted).toBe(1);
    expect(await (await inspectState(await settings(), {})).check()).toEqual([]);
  });
});

describe('refuseForeignStores', () => {
  test('missing stores and stores made by openStores are accepted without a change', async () => {
    await refuseForeignStores(await settings(), {});
    const before = await readdir(directory);
    const stores = await open();
    await stores.close();

    expect(before).toEqual([]);
    await expect(refuseForeignStores(await settings(), {})).resolves.toBeUndefined();
  });

  test.each([
    ['state.directory', 'state/bridge.sqlite'],
    ['artifacts.root', 'artifacts'],
  ])('a file in place of %s is rejected', async (field, path) => {
    await mkdir(join(directory, 'state'));
    await writeFile(join(directory, path), 'a letter');

    await expect(refuseForeignStores(await settings(), {})).rejects.toThrow(
      new RegExp(`^${field}: `),
    );
  });
});
