import {
  chmod,
  chown,
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renameDurably, saveFile, writeNewFile } from '../../../lib/platform/durable-file.ts';

const NOBODY = 65_534;

let folder: string;
let path: string;
let mask: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durable-file-'));
  path = join(folder, 'target');
  mask = process.umask(0o077);
});
afterEach(async () => {
  process.umask(mask);
  await rm(folder, { recursive: true });
});

const permissions = async (name: string) => (await stat(name)).mode & 0o777;

describe('saveFile', () => {
  it('replaces a file and leaves no other file', async () => {
    await writeFile(path, 'old');

    const isSaved = await saveFile(path, 'new', { replaces: true });

    expect(isSaved).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['target']);
  });

  it('keeps an existing file if `replaces` is false, and leaves no other file', async () => {
    await writeFile(path, 'old');

    const isSaved = await saveFile(path, 'new', { replaces: false });

    expect(isSaved).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['target']);
  });

  it('creates a file that does not exist', async () => {
    const isSaved = await saveFile(path, Buffer.from('new'), { replaces: false });

    expect(isSaved).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['target']);
  });

  it('replaces a symbolic link and does not change its target', async () => {
    const foreign = join(folder, 'foreign');
    await writeFile(foreign, 'precious');
    await symlink(foreign, path);

    await saveFile(path, 'new', { replaces: true });

    expect(await readFile(foreign, 'utf8')).toBe('precious');
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it.each([0o600, 0o644])('sets the given permissions %o whatever the umask', async (mode) => {
    await saveFile(path, 'new', { replaces: true, mode });

    expect(await permissions(path)).toBe(mode);
  });

  it('applies the umask if no permissions are given', async () => {
    process.umask(0o027);

    await saveFile(path, 'new', { replaces: true });

    expect(await permissions(path)).toBe(0o640);
  });

  it('leaves no temporary file if the name belongs to a folder', async () => {
    await mkdir(path);

    await expect(saveFile(path, 'new', { replaces: true })).rejects.toMatchObject({
      code: 'EISDIR',
    });
    expect(await readdir(folder)).toEqual(['target']);
  });

  it('saves a file in a folder that is writable but not readable', async () => {
    // The permissions of a folder do not limit root.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) await chown(folder, NOBODY, NOBODY);
    await chmod(folder, 0o300);
    if (isRoot) process.seteuid?.(NOBODY);

    const saving = saveFile(path, 'new', { replaces: true });
    const isSaved = await saving.finally(() => isRoot && process.seteuid?.(0));

    expect(isSaved).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('new');
    await chmod(folder, 0o700);
    expect(await readdir(folder)).toEqual(['target']);
  });
});

describe('writeNewFile', () => {
  it('rejects a name that exists, even as a dangling link', async () => {
    await symlink(join(folder, 'nowhere'), path);

    await expect(writeNewFile(path, 'new', 0o600)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readdir(folder)).toEqual(['target']);
  });

  it('applies the umask to the permissions', async () => {
    await writeNewFile(path, 'new', 0o666);

    expect(await permissions(path)).toBe(0o600);
  });
});

describe('renameDurably', () => {
  it('replaces the target', async () => {
    const fresh = join(folder, 'fresh');
    await writeFile(fresh, 'new');
    await writeFile(path, 'old');

    await renameDurably(fresh, path);

    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['target']);
  });
});
