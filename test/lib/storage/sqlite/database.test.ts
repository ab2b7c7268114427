import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import { IN_MEMORY } from '../../../../lib/storage/sqlite/connection.ts';
import {
  openStateDatabase,
  refuseForeignDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../../../lib/storage/sqlite/database.ts';
import { peekFileHeader } from '../../../../lib/storage/sqlite/database-file.ts';
import { copyState, findProblems } from '../../../../lib/storage/sqlite/inspect-state.ts';
import { SCHEMA_VERSION } from '../../../../lib/storage/sqlite/migrations.ts';

const ids = createIds(() => 0);
const TABLE = 'CREATE TABLE entry (id INTEGER PRIMARY KEY, content BLOB) STRICT';
const META = 'CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB) STRICT';
const WHOLE = [`${META};${TABLE}`];

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'state-database-'));
  file = stateDatabaseFile(directory);
});
afterEach(() => rm(directory, { recursive: true }));

async function everything(): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const contents = await Promise.all(names.map((name) => readFile(join(directory, name), 'hex')));
  return Object.fromEntries(names.map((name, index) => [name, contents[index] ?? '']));
}

describe('openStateDatabase', () => {
  test('the secret has 32 bytes and is kept with the database', async () => {
    const first = openStateDatabase({ file, ids });
    await first.close();
    const second = openStateDatabase({ file, ids });
    const other = openStateDatabase({ file: IN_MEMORY, ids });

    expect(first.secret).toHaveLength(32);
    expect(second.secret).toEqual(first.secret);
    expect(other.secret).not.toEqual(first.secret);
    await second.close();
    await other.close();
  });

  test('a closed database is one file that only its owner may read', async () => {
    const database = openStateDatabase({ file, ids });
    const rights = async (name: string) => (await stat(join(directory, name))).mode & 0o777;
    const open = await Promise.all((await readdir(directory)).map(rights));

    await database.close();

    expect(new Set(open)).toEqual(new Set([0o600]));
    expect(await readdir(directory)).toEqual(['bridge.sqlite']);
  });

  test('every committed write is synced, and foreign keys are enforced', async () => {
    const database = openStateDatabase({ file, ids });
    const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).pluck().get();

    const names = ['journal_mode', 'synchronous', 'foreign_keys', 'trusted_schema'];
    const settings = [...names, 'wal_autocheckpoint'].map(pragma);

    expect(settings).toEqual(['wal', 2, 1, 0, 1000]);
    await database.close();
  });

  test.each([
    ['text', Buffer.from('no database at all, but long enough to have a header. '.repeat(40))],
    ['a header without a database', headerOnly(0)],
    ['a header of a newer schema', headerOnly(99)],
  ])('a file with %s is rejected and not changed', async (_, content) => {
    await writeFile(file, content);
    await writeFile(join(directory, 'lock'), '');
    const before = await everything();

    expect(() => openStateDatabase({ file, ids })).toThrow(/^state\.directory: /);

    expect(await everything()).toEqual(before);
  });

  test('a newer schema is rejected and not changed', async () => {
    const newer = openStateDatabase({
      file,
      ids,
      migrations: [META, ...Array<string>(SCHEMA_VERSION).fill('SELECT 1')],
    });
    await newer.close();
    const before = await everything();

    const refusal = `schema ${SCHEMA_VERSION + 1}, newer than ${SCHEMA_VERSION},`;
    expect(() => refuseForeignDatabase(file)).toThrow(refusal);
    expect(() => openStateDatabase({ file, ids })).toThrow(refusal);

    expect(await everything()).toEqual(before);
  });

  test('a newer schema is visible in the file itself, while its program runs or after it was killed', async () => {
    const older = openStateDatabase({ file, ids, migrations: [META] });
    await older.close();
    const newer = openStateDatabase({ file, ids, migrations: [META, TABLE] });

    expect(() => refuseForeignDatabase(file, 1)).toThrow(/schema 2/);

    await newer.close();
  });

  test('a failed migration is an error and keeps the data', async () => {
    const before = openStateDatabase({ file, ids, migrations: [META] });
    await before.close();

    expect(() => openStateDatabase({ file, ids, migrations: [META, 'NO SQL'] })).toThrow(
      /^state\.directory: migration 2/,
    );

    const after = openStateDatabase({ file, ids, migrations: [META] });
    expect(after.secret).toEqual(before.secret);
    await after.close();
  });

  describe('before a migration', () => {
    const copyFile = () => join(directory, 'bridge.schema-1.sqlite');

    beforeEach(async () => {
      const before = openStateDatabase({ file, ids, migrations: [META] });
      const insert = before.prepare("INSERT INTO meta VALUES ('fact', x'01')");
      await before.write(() => insert.run());
      await before.close();
    });

    const factsIn = (path: string) => {
      const opened = new Sqlite(path, { readonly: true });
      const facts = opened.prepare("SELECT name FROM meta WHERE name <> 'secret'").pluck().all();
      opened.close();
      return facts;
    };

    test('the database is copied to the same folder, readable only by its owner', async () => {
      const after = openStateDatabase({ file, ids, migrations: [META, TABLE] });
      await after.close();

      expect(factsIn(copyFile())).toEqual(['fact']);
      expect(peekFileHeader(copyFile())).toEqual({ version: 1, identity: 0 });
      expect((await stat(copyFile())).mode & 0o777).toBe(0o600);
      expect((await readdir(directory)).sort()).toEqual([
        'bridge.schema-1.sqlite',
        'bridge.sqlite',
      ]);
    });

    test('the copy of a failed migration is kept by the next migration', async () => {
      const failed = () => openStateDatabase({ file, ids, migrations: [META, 'NO SQL'] });
      expect(failed).toThrow(/the data is unchanged$/);
      const kept = await readFile(copyFile());

      const after = openStateDatabase({ file, ids, migrations: [META, TABLE] });
      await after.close();

      expect(await readFile(copyFile())).toEqual(kept);
    });

    test('a new database and a database of the newest schema are not copied', async () => {
      const same = openStateDatabase({ file, ids, migrations: [META] });
      await same.close();

      expect(await readdir(directory)).toEqual(['bridge.sqlite']);
    });
  });

  describe('beside a write-ahead log', () => {
    const other = () => join(directory, 'other.sqlite');

    /** Returns the log that a killed program leaves. */
    async function leftLog(of: string): Promise<Buffer> {
      const killed = openStateDatabase({ file: of, ids, migrations: WHOLE });
      const insert = killed.prepare("INSERT INTO entry VALUES (?, x'00')");
      await killed.write(() => insert.run(1));
      const log = await readFile(`${of}-wal`);
      await killed.close();
      return log;
    }

    test('the log of the database is replayed', async () => {
      const first = openStateDatabase({ file, ids, migrations: WHOLE });
      await first.close();
      const bare = await readFile(file);
      const log = await leftLog(file);
      await writeFile(file, bare);
      await writeFile(`${file}-wal`, log);

      const opened = openStateDatabase({ file, ids, migrations: WHOLE });

      expect(opened.prepare('SELECT id FROM entry').pluck().all()).toEqual([1]);
      await opened.close();
    });

    test.each([
      ['of another database', async () => leftLog(other())],
      [
        'of the database that a copy has replaced',
        async () => {
          const log = await leftLog(file);
          copyState(file, other());
          await rename(other(), file);
          return log;
        },
      ],
    ])('a log %s is rejected, and the database is not changed', async (_, write) => {
      const opened = openStateDatabase({ file, ids, migrations: WHOLE });
      await opened.close();
      await writeFile(`${file}-wal`, await write());
      const before = await readFile(file);

      expect(() => openStateDatabase({ file, ids, migrations: WHOLE })).toThrow(
        /^state\.directory: the log \S+bridge\.sqlite-wal does not belong to the database/,
      );

      expect(await readFile(file)).toEqual(before);
      await rm(`${file}-wal`);
      const recovered = openStateDatabase({ file, ids, migrations: WHOLE });
      await recovered.close();
    });

    test('a log of another format is ignored', async () => {
      const opened = openStateDatabase({ file, ids, migrations: WHOLE });
      await opened.close();
      await writeFile(`${file}-wal`, Buffer.alloc(8192, 0xa5));

      const again = openStateDatabase({ file, ids, migrations: WHOLE });

      expect(again.secret).toEqual(opened.secret);
      await again.close();
    });
  });

  describe('beside a rollback journal', () => {
    const other = () => join(directory, 'other.sqlite');

    /** Returns the journal and the incomplete database of a program that was killed in a large transaction. */
    async function leftJournal(of: string): Promise<{ journal: Buffer; written: Buffer }> {
      const killed = new Sqlite(of);
      killed.pragma('journal_mode = DELETE');
      killed.pragma('cache_size = 2');
      killed.exec('BEGIN; CREATE TABLE large (content BLOB)');
      const insert = killed.prepare('INSERT INTO large VALUES (zeroblob(9000))');
      for (let row = 0; row < 100; row += 1) insert.run();
      const left = { journal: await readFile(`${of}-journal`), written: await readFile(of) };
      killed.exec('ROLLBACK');
      killed.close();
      return left;
    }

    const make = async (path: string) =>
      openStateDatabase({ file: path, ids, migrations: WHOLE }).close();

    test('the journal of the database is rolled back', async () => {
      await make(file);
      const { journal, written } = await leftJournal(file);
      await writeFile(file, written);
      await writeFile(`${file}-journal`, journal);

      const opened = openStateDatabase({ file, ids, migrations: WHOLE });

      const tables = opened.prepare("SELECT name FROM sqlite_schema WHERE name = 'large'");
      expect(tables.all()).toEqual([]);
      await opened.close();
    });

    test.each([
      [
        'of another database',
        async () => {
          await make(file);
          await make(other());
          return (await leftJournal(other())).journal;
        },
      ],
      [
        'of the database that a copy has replaced',
        async () => {
          await make(file);
          const { journal } = await leftJournal(file);
          copyState(file, other());
          await rename(other(), file);
          return journal;
        },
      ],
      [
        'of a database that was being made when a copy replaced it',
        async () => {
          const { journal } = await leftJournal(file);
          await make(file);
          copyState(file, other());
          await rename(other(), file);
          return journal;
        },
      ],
    ])('a journal %s is rejected, and the database is not changed', async (_, write) => {
      const journal = await write();
      await writeFile(`${file}-journal`, journal);
      const before = await everything();
      const refusal = /^state\.directory: the journal \S+-journal does not belong to the database/;

      expect(() => openStateDatabase({ file, ids, migrations: WHOLE })).toThrow(refusal);
      expect(() => findProblems(file)).toThrow(refusal);

      expect(await everything()).toEqual(before);
    });

    test('a journal without content to replay is ignored', async () => {
      await make(file);
      await writeFile(`${file}-journal`, Buffer.alloc(8192));

      await expect(make(file)).resolves.toBeUndefined();
    });
  });

  test.each([
    ['with a database', [META]],
    ['with a database that must be migrated', [META, TABLE]],
    ['without a database', undefined],
  ])('a read-only directory %s is rejected and not changed', async (_, schema) => {
    const database = openStateDatabase({ file, ids, migrations: [META] });
    await database.close();
    if (schema === undefined) await rm(file);
    else await chmod(file, 0o666);
    const before = await everything();
    await chmod(directory, 0o555);

    const open = () => openStateDatabase({ file, ids, migrations: schema ?? [META] });

    expect(() => withoutPrivileges(open)).toThrow(
      /bridge\.sqlite cannot be opened for writing \([A-Z_]+\)$/,
    );
    await chmod(directory, 0o755);
    expect(await everything()).toEqual(before);
  });

  test('a database that another program has locked is rejected', () => {
    const other = new Sqlite(file);
    other.exec('CREATE TABLE t (a)');
    other.exec('BEGIN EXCLUSIVE');

    expect(() => openStateDatabase({ file, ids })).toThrow(/in use by another program$/);

    other.close();
  });

  test('a missing directory is rejected', () => {
    const missing = stateDatabaseFile(join(directory, 'missing'));

    expect(() => openStateDatabase({ file: missing, ids })).toThrow(
      /bridge\.sqlite cannot be opened for writing \(ENOENT\)$/,
    );
  });

  test('a missing database passes the check of the header', () => {
    expect(() => refuseForeignDatabase(file)).not.toThrow();
  });
});

describe('StateDatabase', () => {
  let database: StateDatabase;

  beforeEach(() => {
    database = openStateDatabase({ file, ids, migrations: WHOLE });
  });
  afterEach(() => database.close());

  const insert = (id: number, content = Buffer.alloc(1)) =>
    database.prepare('INSERT INTO entry VALUES (?, ?)').run(id, content);
  const stored = () => database.prepare('SELECT id FROM entry ORDER BY id').pluck().all();

  /** Counts the commits in the write-ahead log: the frames with a size of the database. */
  async function commits(): Promise<number> {
    const log = await readFile(`${file}-wal`);
    const frameBytes = 24 + log.readUInt32BE(8);
    let count = 0;
    for (let at = 32; at + frameBytes <= log.length; at += frameBytes) {
      const sameLog = log.subarray(at + 8, at + 16).equals(log.subarray(16, 24));
      if (sameLog && log.readUInt32BE(at + 4) > 0) count += 1;
    }
    return count;
  }

  test('all writes of one turn share one commit', async () => {
    const before = await commits();

    await Promise.all(
      Array.from({ length: 100 }, async (_, id) => {
        // As in the service, where each write follows its own chain of promises.
        for (let link = 0; link < id; link += 1) await undefined;
        await database.write(() => insert(id));
      }),
    );

    expect(await commits()).toBe(before + 1);
    expect(stored()).toHaveLength(100);
  });

  test('more writes than one group holds are all done, in their order', async () => {
    const order: number[] = [];

    await Promise.all(
      Array.from({ length: 1000 }, (_, id) =>
        database.write(() => {
          insert(id);
          order.push(id);
        }),
      ),
    );

    expect(stored()).toHaveLength(1000);
    expect(order).toEqual(Array.from({ length: 1000 }, (_, id) => id));
  });

  test('a write resolves with the value that its work returned', async () => {
    expect(await database.write(() => 'result')).toBe('result');
  });

  test('another connection sees a write once it has resolved', async () => {
    const other = new Sqlite(file, { readonly: true });

    await database.write(() => insert(1));

    expect(other.prepare('SELECT id FROM entry').pluck().all()).toEqual([1]);
    other.close();
  });

  test('a write that throws is undone alone', async () => {
    const failure = new Error('no');

    const outcomes = await Promise.allSettled([
      database.write(() => insert(1)),
      database.write(() => {
        insert(2);
        throw failure;
      }),
      database.write(() => insert(3)),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: failure });
    expect(stored()).toEqual([1, 3]);
  });

  test('a violated constraint is an internal error and undone alone', async () => {
    const outcomes = await Promise.allSettled([
      database.write(() => insert(1)),
      database.write(() => insert(1)),
    ]);

    expect(outcomes[1]).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(stored()).toEqual([1]);
  });

  test('a full database rejects the whole group, and is not ready until a write succeeds', async () => {
    const limit = (pages: number) => database.prepare(`PRAGMA max_page_count = ${pages}`).get();
    limit(1);

    const outcomes = await Promise.allSettled([
      database.write(() => insert(1)),
      database.write(() => insert(2, Buffer.alloc(1_000_000))),
      database.write(() => insert(3)),
    ]);
    const whileFull = await Promise.all([
      database.write(() => insert(4, Buffer.alloc(100_000))).catch(() => 'refused'),
      database.probe(),
    ]);
    limit(100_000);

    expect(outcomes).toMatchObject(
      Array(3).fill({
        reason: { code: 'overloaded', details: { reason: 'state_store_full' } },
      }),
    );
    expect(whileFull[0]).toBe('refused');
    expect(stored()).toEqual([]);
    expect(await database.probe()).toBe(true);
  });

  test('the database is not ready after one write of a group was rejected', async () => {
    const pages = Number(database.prepare('PRAGMA page_count').pluck().get());
    const limit = (most: number) => database.prepare(`PRAGMA max_page_count = ${most}`).get();
    // As for a row with triggers, SQLite undoes only the statement.
    const job = database.prepare('INSERT INTO entry (id, content) SELECT 2, zeroblob(40000)');
    limit(pages + 4);

    const outcomes = await Promise.allSettled([
      database.write(() => insert(1)),
      database.write(() => job.run()),
    ]);
    const whileFull = await database.probe();
    limit(100_000);

    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { reason: { code: 'overloaded', details: { reason: 'state_store_full' } } },
    ]);
    expect(stored()).toEqual([1]);
    expect([whileFull, await database.probe()]).toEqual([false, true]);
  });

  test('the database is not ready while an ordinary job does not fit, although smaller writes do', async () => {
    const pages = Number(database.prepare('PRAGMA page_count').pluck().get());
    const limit = (most: number) => database.prepare(`PRAGMA max_page_count = ${most}`).get();
    limit(pages + 4);
    const job = () => database.write(() => insert(1, Buffer.alloc(30_000)));

    await expect(job()).rejects.toMatchObject({ code: 'overloaded' });
    await database.write(() => insert(2, Buffer.alloc(10)));
    const whileSmall = await database.probe();
    limit(100_000);
    const afterwards = await database.probe();

    expect([whileSmall, afterwards]).toEqual([false, true]);
    await expect(job()).resolves.toBeDefined();
    expect(database.prepare("SELECT * FROM meta WHERE name = 'trial'").all()).toEqual([]);
  });

  test('a read-only database rejects writes, serves reads and is not ready', async () => {
    database.prepare('PRAGMA query_only = ON').run();

    const outcome = database.write(() => insert(1));

    await expect(outcome).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_read_only' },
    });
    expect(await database.read(stored)).toEqual([]);
    expect(await database.probe()).toBe(false);
    database.prepare('PRAGMA query_only = OFF').run();
    expect(await database.probe()).toBe(true);
  });

  test('while another program has a lock, writes fail and reads succeed', async () => {
    const other = new Sqlite(file);
    other.exec('BEGIN IMMEDIATE');

    const outcome = database.write(() => insert(1));

    await expect(outcome).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_busy' },
    });
    expect(await database.read(stored)).toEqual([]);
    other.close();
    await expect(database.write(() => insert(1))).resolves.toBeDefined();
  });

  test('a damaged page that is found later is an internal error', async () => {
    await database.write(() => insert(1, Buffer.alloc(1_000_000)));
    await database.close();
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xa5, 4096 * 3));
    const damaged = openStateDatabase({ file, ids, migrations: WHOLE });
    const sum = damaged.prepare('SELECT sum(length(hex(content))) FROM entry');

    await expect(damaged.read(() => sum.get())).rejects.toMatchObject({ code: 'internal' });

    await damaged.close();
  });

  test('the sizes of the content and of the main file differ by a free page', async () => {
    await database.write(() => insert(1, Buffer.alloc(1_000_000)));
    const remove = database.prepare('DELETE FROM entry');
    const filled = await database.sizes();

    await database.write(() => remove.run());
    const emptied = await database.sizes();
    const physicalBytes = (await stat(file)).size;

    expect(filled.logicalBytes).toBeGreaterThan(1_000_000);
    expect(emptied.logicalBytes).toBeLessThan(100_000);
    expect(emptied.physicalBytes).toBe(physicalBytes);
  });

  test('an error that the work of a read throws is passed on', async () => {
    const failure = new Error('no');

    await expect(
      database.read(() => {
        throw failure;
      }),
    ).rejects.toBe(failure);
  });

  test('closing commits all earlier writes, and rejects later ones', async () => {
    const last = database.write(() => insert(1));

    await database.close();

    await expect(last).resolves.toBeDefined();
    await expect(database.write(() => 1)).rejects.toMatchObject({ code: 'overloaded' });
    await expect(database.read(() => 1)).rejects.toMatchObject({ code: 'overloaded' });
    expect(await database.probe()).toBe(false);
    await expect(database.close()).resolves.toBeUndefined();
  });
});

/** Runs as an ordinary user: file permissions do not restrict an administrator. */
function withoutPrivileges<T>(work: () => T): T {
  const user = process.geteuid?.();
  if (user === 0) process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    if (user === 0) process.seteuid?.(0);
  }
}

function headerOnly(version: number): Buffer {
  const header = Buffer.alloc(8192, 0xa5);
  header.write('SQLite format 3\0', 0, 'latin1');
  header.writeInt32BE(version, 60);
  return header;
}
