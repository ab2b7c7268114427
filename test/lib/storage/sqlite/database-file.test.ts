import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { peekFileHeader } from '../../../../lib/storage/sqlite/database-file.ts';

describe('peekFileHeader', () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'file-header-'));
    file = join(directory, 'bridge.sqlite');
  });
  afterEach(() => rm(directory, { recursive: true }));

  test('a missing file is absent, even in a missing directory', () => {
    expect(peekFileHeader(file)).toBe('absent');
    expect(peekFileHeader(join(directory, 'no', 'such', 'folder'))).toBe('absent');
  });

  test('an empty file counts as a new database', async () => {
    await writeFile(file, '');

    expect(peekFileHeader(file)).toEqual({ version: 0, identity: 0 });
  });

  test.each([0, 1, 7, 2 ** 31 - 1, -1])('user_version %i is read from the header', (version) => {
    const database = new Sqlite(file);
    database.pragma(`user_version = ${version}`);
    database.exec('CREATE TABLE any_table (a)');
    database.close();

    expect(peekFileHeader(file)).toMatchObject({ version });
  });

  test.each([0, 1, 2 ** 31 - 1])('application_id %i is read from the header', (identity) => {
    const database = new Sqlite(file);
    database.pragma(`application_id = ${identity}`);
    database.exec('CREATE TABLE any_table (a)');
    database.close();

    expect(peekFileHeader(file)).toMatchObject({ identity });
  });

  test.each([
    ['text', Buffer.from('no database at all, but long enough to have a header. '.repeat(4))],
    ['a header that ends early', Buffer.from('SQLite format 3\0')],
    ['zeros', Buffer.alloc(4096)],
  ])('a file with %s is unreadable', async (_, content) => {
    await writeFile(file, content);

    expect(peekFileHeader(file)).toBe('unreadable');
  });

  test('a directory is unreadable', async () => {
    await mkdir(file);

    expect(peekFileHeader(file)).toBe('unreadable');
  });

  test('a pipe is unreadable, and opening it does not block', () => {
    execFileSync('mkfifo', [file]);

    expect(peekFileHeader(file)).toBe('unreadable');
  });
});
