import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable } from '../../../../lib/providers/agent-app-server/executable.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'executable-'));
  for (const name of ['first', 'second']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'first', 'agent'), '');
  await writeFile(join(folder, 'second', 'agent'), '');
  await chmod(join(folder, 'second', 'agent'), 0o755);
  await mkdir(join(folder, 'first', 'folder'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('findExecutable', () => {
  it('accepts a relative or absolute path', async () => {
    const file = join(folder, 'second', 'agent');

    expect(await findExecutable(file, undefined)).toBe(file);
    expect(await findExecutable(`./${relative(process.cwd(), file)}`, undefined)).toBe(file);
  });

  it('returns the first executable file with that name in the search path', async () => {
    const searchPath = `:${join(folder, 'none')}:${join(folder, 'first')}:${join(folder, 'second')}`;

    expect(await findExecutable('agent', searchPath)).toBe(join(folder, 'second', 'agent'));
  });

  it.each([
    ['a file that may not be executed', () => join(folder, 'first', 'agent')],
    ['a folder', () => join(folder, 'first', 'folder')],
    ['a path that does not exist', () => join(folder, 'agent')],
    ['a name that no folder has', () => 'no-such-agent'],
  ])('returns undefined for %s', async (_name, executable) => {
    expect(await findExecutable(executable(), join(folder, 'first'))).toBeUndefined();
  });
});
