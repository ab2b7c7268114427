import { createHash, randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createStoredInputFiles } from '../../../../lib/storage/file-system/stored-input-files.ts';
import {
  describeSharedInputFiles,
  describeStoredInputFiles,
} from '../../../contracts/stored-input-files.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';

const ids = createIds(systemClock.nowMs);
const TEN_MINUTES_MS = 600_000;

async function openFolder(isShared: boolean) {
  const parent = await mkdtemp(join(tmpdir(), 'stored-inputs-'));
  const directory = join(parent, 'made', 'later');
  let passedMs = 0;
  const clock = { nowMs: () => systemClock.nowMs() + passedMs };
  const reopen = () =>
    createStoredInputFiles({ directory, clock, shared: isShared ? ids : undefined });
  return {
    files: reopen(),
    reopen,
    passTime(ms = 2 * TEN_MINUTES_MS) {
      passedMs += ms;
    },
    async damage(sha256: string, content: Buffer) {
      const folder = join(directory, 'inputs', sha256.slice(0, 2));
      const newest = (await readdir(folder)).sort().at(-1) ?? '';
      await writeFile(join(folder, newest), content);
    },
    close: () => rm(parent, { recursive: true }),
  };
}

describeStoredInputFiles('a folder', () => openFolder(false));
describeStoredInputFiles('a shared folder', () => openFolder(true));
describeSharedInputFiles('a shared folder', () => openFolder(true));

describe('createStoredInputFiles of a shared folder', () => {
  const bytes = Buffer.from('the bytes of an image');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  let directory: string;
  let clock: ManualClock;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stored-inputs-'));
    clock = createManualClock();
  });
  afterEach(() => rm(directory, { recursive: true }));

  const openShared = (isShared = true) =>
    createStoredInputFiles({ directory, clock, shared: isShared ? ids : undefined });
  const namesIn = (folder: string) => readdir(join(directory, 'inputs', folder));

  test.each([
    ['becomes shared', false],
    ['is not shared any longer', true],
  ])('a folder that %s keeps its images until no job needs the images', async (_, wasShared) => {
    await openShared(wasShared).put(sha256, bytes);
    await clock.advance(2 * TEN_MINUTES_MS);
    const files = openShared(!wasShared);

    await files.remove(sha256, async () => true);
    const kept = await files.read(sha256, bytes.length);
    const stamp = await files.stamp(sha256);
    await files.remove(sha256, async () => false);

    expect(kept).toEqual(bytes);
    expect(stamp).toEqual(expect.any(String));
    expect(await files.read(sha256, bytes.length)).toBeUndefined();
    expect(await namesIn(sha256.slice(0, 2))).toEqual([]);
  });

  test('an image that is stored again and again has few files', async () => {
    for (let nth = 0; nth < 6; nth += 1) {
      await clock.advance(TEN_MINUTES_MS);
      await openShared().put(sha256, bytes);
    }

    expect(await namesIn(sha256.slice(0, 2))).toHaveLength(2);
    expect(await namesIn('.staging')).toEqual([]);
  });

  test('the staged file of another replica is removed only after some time', async () => {
    const files = openShared();
    await files.put(sha256, bytes);
    const [stored] = await namesIn(sha256.slice(0, 2));
    const staged = `${stored}.${randomUUID()}`;
    await writeFile(join(directory, 'inputs', '.staging', staged), 'the by');

    await files.put(sha256, bytes);
    await files.remove(sha256, async () => false);
    const before = await namesIn('.staging');
    await clock.advance(2 * TEN_MINUTES_MS);
    await files.remove(sha256, async () => false);

    expect([before, await namesIn('.staging')]).toEqual([[staged], []]);
  });
});

describe('createStoredInputFiles', () => {
  const bytes = Buffer.from('the bytes of an image');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const fan = sha256.slice(0, 2);
  let directory: string;
  let root: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stored-inputs-'));
    root = join(directory, 'inputs');
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function listed(): Promise<string[]> {
    const all: string[] = [];
    for await (const batch of createStoredInputFiles({ directory, clock: systemClock }).list())
      all.push(...batch);
    return all;
  }

  test('no file or folder is created before the first image', async () => {
    const files = createStoredInputFiles({ directory, clock: systemClock });

    await files.read(sha256, 1);
    await files.remove(sha256, async () => false);

    expect(await readdir(directory)).toEqual([]);
  });

  test('only their owner may read images and their folders', async () => {
    await createStoredInputFiles({ directory, clock: systemClock }).put(sha256, bytes);

    const paths = ['', fan, '.staging', join(fan, sha256)].map((path) => join(root, path));
    const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  test('the parent of an existing folder is synced once', async () => {
    await createStoredInputFiles({ directory, clock: systemClock }).put(sha256, bytes);
    const syncs = await countSyncs(directory);
    const files = createStoredInputFiles({ directory, clock: systemClock });

    await files.put(sha256, bytes);
    const first = syncs.count();
    await files.put(sha256, bytes);
    const second = syncs.count() - first;
    syncs.restore();

    // The state directory, `inputs`, and the folder of the image; then the folder of the image alone.
    expect([first, second]).toEqual([3, 1]);
  });

  test('an image is stored under its checksum, without any other file', async () => {
    await createStoredInputFiles({ directory, clock: systemClock }).put(sha256, bytes);

    expect((await readdir(root, { recursive: true })).sort()).toEqual([
      '.staging',
      fan,
      join(fan, sha256),
    ]);
    expect(await readFile(join(root, fan, sha256))).toEqual(bytes);
  });

  test('an existing image is not written again', async () => {
    const files = createStoredInputFiles({ directory, clock: systemClock });
    await files.put(sha256, bytes);
    const before = await stat(join(root, fan, sha256), { bigint: true });

    await files.put(sha256, bytes);

    const after = await stat(join(root, fan, sha256), { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
  });

  test('the files of an interrupted put are listed, block nothing and can be removed', async () => {
    await mkdir(join(root, '.staging'), { recursive: true });
    await writeFile(join(root, '.staging', sha256), 'the by');
    const files = createStoredInputFiles({ directory, clock: systemClock });

    const before = await listed();
    await files.remove(sha256, async () => false);
    const after = await listed();
    await writeFile(join(root, '.staging', sha256), 'the by');
    await files.put(sha256, bytes);

    expect([before, after]).toEqual([[sha256], []]);
    expect(await files.read(sha256, bytes.length)).toEqual(bytes);
    expect(await readdir(join(root, '.staging'))).toEqual([]);
  });

  test('files that are not images of jobs are not listed', async () => {
    await mkdir(join(root, fan), { recursive: true });
    await mkdir(join(root, '00'), { recursive: true });
    await writeFile(join(root, 'note.txt'), 'foreign');
    await writeFile(join(root, fan, 'note.txt'), 'foreign');
    await writeFile(join(root, fan === '00' ? '01' : '00', sha256), 'in another folder');

    expect(await listed()).toEqual([]);
  });

  test('a link in place of an image is neither read nor written through', async () => {
    const outside = join(directory, 'outside');
    await writeFile(outside, bytes);
    await mkdir(join(root, fan), { recursive: true });
    await symlink(outside, join(root, fan, sha256));
    const files = createStoredInputFiles({ directory, clock: systemClock });

    const viaLink = await files.read(sha256, bytes.length);
    await files.put(sha256, bytes);
    await files.remove(sha256, async () => false);

    expect(viaLink).toBeUndefined();
    expect(await readFile(outside)).toEqual(bytes);
  });

  test('a link in place of a folder is not followed', async () => {
    await mkdir(join(directory, 'outside'));
    await writeFile(join(directory, 'outside', sha256), bytes);
    await mkdir(root);
    await symlink(join(directory, 'outside'), join(root, fan));
    const files = createStoredInputFiles({ directory, clock: systemClock });

    expect(await files.read(sha256, bytes.length)).toBeUndefined();
    expect(await listed()).toEqual([]);
    await expect(files.put(sha256, bytes)).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_failing' },
    });
  });

  test('a folder in place of an image is reported as an error of the state directory', async () => {
    await mkdir(join(root, fan, sha256), { recursive: true });

    await expect(
      createStoredInputFiles({ directory, clock: systemClock }).put(sha256, bytes),
    ).rejects.toMatchObject({
      code: 'overloaded',
    });
  });

  // File permissions do not restrict the superuser.
  test.skipIf(process.getuid?.() === 0)('a read-only directory says that it is', async () => {
    await chmod(directory, 0o500);

    const put = createStoredInputFiles({ directory, clock: systemClock }).put(sha256, bytes);

    await expect(put).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_read_only' },
    });
    await chmod(directory, 0o700);
  });
});

/** Counts all later syncs of this process. */
async function countSyncs(directory: string) {
  const handle = await open(directory);
  const spy = vi.spyOn(Object.getPrototypeOf(handle), 'sync');
  await handle.close();
  return { count: () => spy.mock.calls.length, restore: () => spy.mockRestore() };
}
