import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import { connect, setSchemaVersion } from '../../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase, stateDatabaseFile } from '../../../../lib/storage/sqlite/database.ts';
import { SCHEMA_VERSION } from '../../../../lib/storage/sqlite/migrations.ts';
import { openStateReader } from '../../../../lib/storage/sqlite/state-reader.ts';

const ids = createIds(() => 0);
const INSERT = "INSERT INTO meta VALUES ('fact', x'00')";
const FACTS = "SELECT name FROM meta WHERE name = 'fact'";

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-reader-'));
  file = stateDatabaseFile(directory);
});
afterEach(() => rm(directory, { recursive: true }));

describe('openStateReader', () => {
  test('a missing database is not found and not created', async () => {
    expect(openStateReader(file)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
  });

  test('a reader sees the commits of a running bridge', async () => {
    const database = openStateDatabase({ file, ids });
    await database.write(() => database.prepare(INSERT).run());
    const reader = openStateReader(file);

    const before = reader?.prepare(FACTS).all();
    await database.write(() => database.prepare('DELETE FROM meta').run());
    const after = reader?.prepare(FACTS).all();

    expect([before, after]).toEqual([[{ name: 'fact' }], []]);
    reader?.close();
    await database.close();
  });

  test('a reader sees the commits of a killed bridge', async () => {
    const database = openStateDatabase({ file, ids });
    await database.write(() => database.prepare(INSERT).run());
    const copy = join(directory, 'copy.sqlite');
    for (const part of ['', '-wal']) await copyFile(`${file}${part}`, `${copy}${part}`);

    const reader = openStateReader(copy);

    expect(reader?.prepare(FACTS).all()).toEqual([{ name: 'fact' }]);
    reader?.close();
    await database.close();
  });

  test('a reader rejects writes', async () => {
    await openStateDatabase({ file, ids }).close();
    const reader = openStateReader(file);

    expect(() => reader?.prepare(INSERT).run()).toThrow('readonly');
    await expect(reader?.write(() => 1)).rejects.toMatchObject({ code: 'internal' });
    reader?.close();
  });

  test('a reader does not block the next start', async () => {
    await openStateDatabase({ file, ids }).close();
    openStateReader(file)?.close();

    const database = openStateDatabase({ file, ids });

    expect(await database.probe()).toBe(true);
    await database.close();
  });

  test.each([
    ['an older schema', 0],
    ['a newer schema', SCHEMA_VERSION + 1],
  ])('a reader rejects %s', async (_, version) => {
    await openStateDatabase({ file, ids }).close();
    const connection = connect(file);
    setSchemaVersion(connection, version);
    connection.close();

    expect(() => openStateReader(file)).toThrow(/^state\.directory: .*schema/);
  });

  test('a reader rejects a file that is not a database', async () => {
    await writeFile(file, 'notes');

    expect(() => openStateReader(file)).toThrow(
      /^state\.directory: the database \S+ is damaged or belongs to/,
    );
  });
});
