import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createArtifactFiles } from '../../../../lib/storage/file-system/artifact-files.ts';
import { describeArtifactFiles } from '../../../contracts/artifact-files.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

// Long after every file time, so that files have stamps.
const ids = createIds(systemClock.nowMs);
const laterClock = { nowMs: () => systemClock.nowMs() + 3_600_000 };

/** Fails as `link` does on a file system without hard links. */
const noLinks = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));

for (const [label, deps] of [
  ['a folder', { clock: laterClock }],
  ['a folder without hard links', { clock: laterClock, makeLink: noLinks }],
  ['a shared folder', { clock: laterClock, shared: ids }],
] as const) {
  describeArtifactFiles(label, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'artifact-files-'));
    const root = join(directory, 'made', 'later');
    return {
      files: createArtifactFiles({ ...deps, root }),
      async putForeign(name, content) {
        await mkdir(dirname(join(root, name)), { recursive: true });
        await rm(join(root, name), { force: true });
        await writeFile(join(root, name), content);
      },
      close: () => rm(directory, { recursive: true }),
    };
  });
}

describe('createArtifactFiles', () => {
  let directory: string;
  let root: string;
  const content = Buffer.from('our bytes');
  const file = {
    id: '0'.repeat(32),
    name: 'cats/a.png',
    bytes: content.byteLength,
    sha256: createHash('sha256').update(content).digest('hex'),
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'artifact-files-'));
    root = join(directory, 'root');
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function publish(files: ReturnType<typeof createArtifactFiles>, name = file.name) {
    await files.prepare();
    await files.stage(file.id, content);
    const published = await files.publish(file.id, name);
    await files.settle([{ ...file, name }]);
    return published;
  }

  test('no file or folder is created before the first artifact', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });

    await files.read(file.name, 1);
    await expect(files.remove(file)).rejects.toMatchObject({ code: 'artifact' });

    expect(await readdir(directory)).toEqual([]);
  });

  test('a file that could be written only partly is removed, and can be staged again', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });
    await files.prepare();
    const unwritten = {
      valueOf() {
        throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
      },
    };

    // A real full disk would need a file system of its own, so the second part fails in its place.
    const parts = [content.subarray(0, 3), unwritten as unknown as Buffer];
    await expect(files.stage(file.id, ...parts)).rejects.toMatchObject({
      details: { reason: 'artifact_folder_full' },
    });

    expect(await readdir(join(root, '.staging'))).toEqual([]);
    await publish(files);
    expect((await files.read(file.name, file.bytes))?.bytes).toEqual(content);
  });

  test('a settled publication leaves one file and an empty staging folder', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });

    await publish(files);

    expect((await readdir(root, { recursive: true })).sort()).toEqual([
      '.staging',
      'cats',
      'cats/a.png',
    ]);
  });

  test.each(['before', 'after'])(
    'a root that cannot be written is detected %s the first artifact',
    async (time) => {
      await mkdir(root);
      const files = createArtifactFiles({ root, clock: laterClock });
      if (time === 'after') await publish(files);
      const folder = time === 'after' ? join(root, '.staging') : root;
      await chmod(folder, 0o555);
      const [probed] = await withoutPrivileges(() => Promise.allSettled([files.probe(1)]));
      await chmod(folder, 0o755);

      expect(probed).toMatchObject({
        status: 'rejected',
        reason: { code: 'artifact', details: { reason: 'artifact_folder_unusable' } },
      });
      await expect(files.probe(1)).resolves.toBeUndefined();
    },
  );

  test('a probe works beside the file of a killed probe, and leaves no file', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });
    await publish(files);
    await writeFile(join(root, '.staging/probe'), 'left');

    await files.probe(300_000);

    expect(await readdir(join(root, '.staging'))).toEqual([]);
  });

  test('replicas probe a shared folder at the same time, also beside the files of killed probes', async () => {
    const clock = createManualClock();
    const all = [1, 2, 3, 4].map(() => createArtifactFiles({ root, clock, shared: ids }));
    await all[0]?.prepare();
    const names = () => readdir(join(root, '.staging'));
    await writeFile(join(root, '.staging', 'probe'), 'left');
    const recent = `probe.${Math.floor(clock.nowMs() / 600_000)}.0`;
    await writeFile(join(root, '.staging', recent), 'in progress');

    await Promise.all(all.map((files) => files.probe(300_000)));
    const before = await names();
    await clock.advance(1_200_000);
    await all[0]?.probe(1);

    expect([before, await names()]).toEqual([[recent], []]);
  });

  test('a probe detects a file in place of the staging folder', async () => {
    await mkdir(root);
    await writeFile(join(root, '.staging'), '');
    const files = createArtifactFiles({ root, clock: laterClock });

    await expect(files.probe(1)).rejects.toMatchObject({
      code: 'artifact',
      details: { reason: 'artifact_folder_unusable' },
    });
  });

  test('a root that is a link is accepted', async () => {
    await mkdir(join(directory, 'elsewhere'));
    await symlink(join(directory, 'elsewhere'), root);
    const files = createArtifactFiles({ root, clock: laterClock });

    await publish(files);

    expect(await readFile(join(directory, 'elsewhere', file.name))).toEqual(content);
  });

  test.each(['cats', '.staging'])(
    'a link in place of the folder %s is not followed',
    async (folder) => {
      const outside = join(directory, 'outside');
      await mkdir(outside);
      await mkdir(root);
      await symlink(outside, join(root, folder));
      const files = createArtifactFiles({ root, clock: laterClock });

      const outcome = publish(files);

      await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
      expect(await readdir(outside)).toEqual([]);
    },
  );

  test('a link to a folder deeper down is not followed', async () => {
    const outside = join(directory, 'outside');
    await mkdir(join(outside, 'b'), { recursive: true });
    await mkdir(join(root, 'a'), { recursive: true });
    await symlink(outside, join(root, 'a', 'link'));
    const files = createArtifactFiles({ root, clock: laterClock });

    const outcome = publish(files, 'a/link/b/c.png');

    await expect(outcome).rejects.toMatchObject({ code: 'artifact' });
    expect(await readdir(join(outside, 'b'))).toEqual([]);
  });

  test.each(['outside.png', 'nowhere.png'])('a link to %s counts as a taken name', async (aim) => {
    await writeFile(join(directory, 'outside.png'), 'untouched');
    await mkdir(join(root, 'cats'), { recursive: true });
    await symlink(join(directory, aim), join(root, file.name));
    const files = createArtifactFiles({ root, clock: laterClock });

    await files.prepare();
    await files.stage(file.id, content);

    expect(await files.findTaken([file.name])).toEqual(new Set([file.name]));
    expect(await files.publish(file.id, file.name)).toBe(false);
    expect(await readdir(directory)).toEqual(['outside.png', 'root']);
    expect(await readFile(join(directory, 'outside.png'), 'utf8')).toBe('untouched');
  });

  test('a file in place of a folder is rejected', async () => {
    await mkdir(root);
    await writeFile(join(root, 'cats'), 'no folder');
    const files = createArtifactFiles({ root, clock: laterClock });

    await expect(publish(files)).rejects.toMatchObject({ code: 'artifact' });
  });

  test('a link in place of an artifact is neither read nor stamped', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });
    await publish(files);
    await writeFile(join(directory, 'outside.png'), content);
    await rm(join(root, file.name));
    await symlink(join(directory, 'outside.png'), join(root, file.name));

    expect(await files.read(file.name, file.bytes)).toBeUndefined();
    expect(await files.stamp(file.name)).toBeUndefined();
  });

  test('a folder that was replaced by a link is not followed, and the stamp differs', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });
    await publish(files);
    const stamp = await files.stamp(file.name);
    await mkdir(join(directory, 'outside'));
    await writeFile(join(directory, 'outside', 'a.png'), content);
    await rm(join(root, 'cats'), { recursive: true });
    await symlink(join(directory, 'outside'), join(root, 'cats'));

    expect(await files.read(file.name, file.bytes)).toBeUndefined();
    expect(await files.stamp(file.name)).not.toBe(stamp);
  });

  test('removal does not follow links', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });
    await files.prepare();
    await mkdir(join(directory, 'outside'));
    await writeFile(join(directory, 'outside', 'a.png'), content);
    await symlink(join(directory, 'outside'), join(root, 'cats'));
    await symlink(join(directory, 'outside', 'a.png'), join(root, 'b.png'));

    await files.remove(file);
    await files.remove({ ...file, name: 'b.png' });

    expect(await readdir(join(directory, 'outside'))).toEqual(['a.png']);
    expect((await readdir(root)).sort()).toEqual(['.staging', 'b.png', 'cats']);
  });

  test('a foreign entry in the staging folder is not removed', async () => {
    const files = createArtifactFiles({ root, clock: laterClock });
    await mkdir(join(root, '.staging'), { recursive: true });
    await symlink(join(directory, 'outside.png'), join(root, '.staging', file.id));

    await files.remove(file);

    expect(await readdir(join(root, '.staging'))).toEqual([file.id]);
  });

  test.each([
    ['is removed where there are no hard links', noLinks, []],
    ['is foreign where there are', undefined, ['a.png']],
  ])('an empty file under the name of a staged one %s', async (_, makeLink, left) => {
    const files = createArtifactFiles({ root, clock: laterClock, ...(makeLink && { makeLink }) });
    await files.prepare();
    await files.stage(file.id, content);
    await mkdir(join(root, 'cats'));
    await writeFile(join(root, file.name), '');

    await files.remove(file);

    expect(await readdir(join(root, 'cats'))).toEqual(left);
    expect(await readdir(join(root, '.staging'))).toEqual([]);
  });

  test('a pipe in place of an artifact is rejected at once', async () => {
    await mkdir(join(root, 'cats'), { recursive: true });
    execFileSync('mkfifo', [join(root, file.name)]);
    const files = createArtifactFiles({ root, clock: laterClock });

    expect(await files.read(file.name, file.bytes)).toBeUndefined();
    expect(await files.stamp(file.name)).toBeUndefined();
  });

  test('a file that has just changed is read without a stamp', async () => {
    let nowMs = 0;
    const files = createArtifactFiles({ root, clock: { nowMs: () => nowMs } });
    await publish(files);
    nowMs = (await stat(join(root, file.name))).ctimeMs + 1;

    const young = await files.read(file.name, file.bytes);
    nowMs += 1000;
    const old = await files.read(file.name, file.bytes);

    expect(young).toEqual({ bytes: content, stamp: undefined });
    expect(old?.stamp).toBe(await files.stamp(file.name));
  });

  test('an error contains no path', async () => {
    await writeFile(root, 'no folder');
    const files = createArtifactFiles({ root, clock: laterClock });

    const error: unknown = await files.prepare().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'artifact' });
    expect(String(error)).not.toContain(directory);
  });
});

/** Runs the work as an ordinary user, because file permissions do not restrict the superuser. */
async function withoutPrivileges<T>(work: () => Promise<T>): Promise<T> {
  const user = process.geteuid?.();
  if (user === 0) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (user === 0) process.seteuid?.(0);
  }
}
