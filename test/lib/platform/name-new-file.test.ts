import {
  access,
  type link,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nameNewFile } from '../../../lib/platform/name-new-file.ts';

let folder: string;
let written: string;
let target: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'name-new-file-'));
  written = join(folder, 'written');
  target = join(folder, 'target');
  await writeFile(written, 'whole');
});
afterEach(() => rm(folder, { recursive: true }));

/** A replacement of `link` that fails as on a file system without hard links. */
function without(code: string): typeof link {
  return () => Promise.reject(Object.assign(new Error(code), { code }));
}

const WAYS: readonly (readonly [string, typeof link | undefined])[] = [
  ['hard links', undefined],
  ...['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].map(
    (code) => [`no hard links, but ${code}`, without(code)] as const,
  ),
];

describe('nameNewFile', () => {
  test.each(WAYS)('a file receives its name with %s', async (_, makeLink) => {
    const isNamed = await nameNewFile(written, target, makeLink);

    expect(isNamed).toBe(true);
    expect(await readFile(target, 'utf8')).toBe('whole');
  });

  test.each(WAYS)('an existing file is kept with %s', async (_, makeLink) => {
    await writeFile(target, 'foreign');

    const isNamed = await nameNewFile(written, target, makeLink);

    expect(isNamed).toBe(false);
    expect(await readFile(target, 'utf8')).toBe('foreign');
    expect(await readFile(written, 'utf8')).toBe('whole');
  });

  test.each(WAYS)('a dangling link counts as an existing name with %s', async (_, it) => {
    await symlink(join(folder, 'nowhere'), target);

    const isNamed = await nameNewFile(written, target, it);

    expect(isNamed).toBe(false);
    expect((await readdir(folder)).sort()).toEqual(['target', 'written']);
  });

  test('exactly one of many concurrent calls receives the name without hard links', async () => {
    const contents = Array.from({ length: 50 }, (_, index) => `file ${index}`);
    const paths = contents.map((content) => join(folder, content));
    await Promise.all(paths.map((path, index) => writeFile(path, contents[index] ?? '')));

    const named = await Promise.all(
      paths.map((path) => nameNewFile(path, target, without('EPERM'))),
    );

    expect(named.filter(Boolean)).toHaveLength(1);
    expect(await readFile(target, 'utf8')).toBe(contents[named.indexOf(true)]);
  });

  test('a failed call releases the name', async () => {
    await rm(written);

    await expect(nameNewFile(written, target, without('EPERM'))).rejects.toThrow('ENOENT');

    await expect(access(target)).rejects.toThrow('ENOENT');
  });

  test('any other error of the link is thrown', async () => {
    await expect(nameNewFile(written, target, without('ENOSPC'))).rejects.toThrow('ENOSPC');

    expect(await readdir(folder)).toEqual(['written']);
  });
});
