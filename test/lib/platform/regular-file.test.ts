import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRegularFile, readRegularFileNow } from '../../../lib/platform/regular-file.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'regular-file-'));
  path = join(folder, 'file');
});
afterEach(() => rm(folder, { recursive: true }));

describe.each([
  ['readRegularFile', readRegularFile],
  [
    'readRegularFileNow',
    async (...input: Parameters<typeof readRegularFileNow>) => readRegularFileNow(...input),
  ],
])('%s', (_, read) => {
  test('a file of the maximum size is read with its status', async () => {
    await writeFile(path, 'text');

    const found = await read(path, { maxBytes: 4 });

    expect(found).toMatchObject({ bytes: Buffer.from('text'), status: { size: 4n } });
  });

  test('a file that is one byte longer than the maximum is too large', async () => {
    await writeFile(path, 'text');

    expect(await read(path, { maxBytes: 3 })).toEqual({ problem: 'too_large' });
  });

  test('the content of a file below /proc counts, although its size is 0', async () => {
    expect(await read('/proc/self/status', { maxBytes: 8 })).toEqual({ problem: 'too_large' });
    expect(await read('/proc/self/status', { maxBytes: 65_536 })).toHaveProperty('bytes');
  });

  test('a missing file and a path through a file are absent', async () => {
    await writeFile(path, 'text');

    for (const name of [join(folder, 'none'), join(path, 'below')]) {
      expect(await read(name, { maxBytes: 4 })).toMatchObject({ problem: 'absent' });
    }
  });

  test('a folder is irregular', async () => {
    expect(await read(folder, { maxBytes: 65_536 })).toEqual({ problem: 'irregular' });
  });

  test('a named pipe is irregular at once, although nobody writes to it', async () => {
    execFileSync('mkfifo', [path]);

    expect(await read(path, { maxBytes: 4 })).toEqual({ problem: 'irregular' });
  });

  test('a socket is irregular', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    try {
      expect(await read(path, { maxBytes: 4 })).toMatchObject({ problem: 'irregular' });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  test('a symbolic link is followed unless it is rejected', async () => {
    await writeFile(join(folder, 'linked'), 'text');
    await symlink('linked', path);

    expect(await read(path, { maxBytes: 4 })).toHaveProperty('bytes');
    expect(await read(path, { maxBytes: 4, rejectsLink: true })).toMatchObject({
      problem: 'irregular',
    });
  });
});
