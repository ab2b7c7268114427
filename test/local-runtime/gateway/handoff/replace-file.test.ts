import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from '../../../../local-runtime/gateway/handoff/replace-file.ts';

describe('replaceFile', () => {
  let folder: string;
  let mask: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replace-file-'));
    mask = process.umask(0o077);
  });
  afterEach(async () => {
    process.umask(mask);
    await rm(folder, { recursive: true });
  });

  it('writes a file that every user can read, and leaves no other file', async () => {
    const path = join(folder, 'target');
    await writeFile(path, 'hold\n');

    await replaceFile(path, 'blue\n');

    expect(await readFile(path, 'utf8')).toBe('blue\n');
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    expect(await readdir(folder)).toEqual(['target']);
  });
});
