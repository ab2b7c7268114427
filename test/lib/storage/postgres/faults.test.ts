import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createConnection } from '../../../../lib/storage/postgres/connection.ts';
import type { Database } from '../../../../lib/storage/postgres/database.ts';
import {
  type PostgresServer,
  query,
  startPostgres,
} from '../../../support/engines/postgres-server.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { startPostgresProxy } from '../../../support/postgres-proxy.ts';
import { openTestDatabase } from './test-database.ts';

const REFUSED = { code: 'overloaded' };

describe.runIf(HAS_POSTGRES)('a database with faults', () => {
  let server: PostgresServer;
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  /** Opens a database with a table of entries, each of which is written under its own id. */
  async function openEntries(url = server.url, statementTimeoutMs = 5000) {
    schemas += 1;
    const place = { url, schema: `faults_${schemas}` };
    const database = await openTestDatabase(place, { statementTimeoutMs });
    const { schema, write } = database;
    await write(({ rows }) => rows(`CREATE TABLE ${schema}.entry (id text, writes bigint)`));
    return {
      database,
      add: (id: string) =>
        write(async ({ rows }) => {
          await rows(`INSERT INTO ${schema}.entry VALUES ($1, 1)`, [id]);
          return id;
        }),
      /** Resolves with the stored ids, as another program reads them from the server. */
      stored: async () => {
        const found = await query(server.url, `SELECT id FROM ${schema}.entry ORDER BY id`);
        return found.map((row) => (row as { id: string }).id);
      },
    };
  }

  /** Adds entries with eight callers until `isOver`. Resolves with the acknowledged ids and with the number of refusals. */
  async function addUntil(isOver: () => boolean, add: (id: string) => Promise<string>) {
    const acknowledged: string[] = [];
    let refusals = 0;
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let nth = 0; !isOver(); nth += 1) {
        try {
          acknowledged.push(await add(`${caller}-${nth}`));
        } catch (error) {
          expect(error).toMatchObject(REFUSED);
          refusals += 1;
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    });
    await Promise.all(callers);
    return { acknowledged, refusals };
  }

  const endConnections = () =>
    query(
      server.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );

  const untilSuccess = (database: Database) =>
    expect.poll(() => database.probe(), { timeout: 30_000 }).toBe(true);

  it('loses no acknowledged write and repeats none when the server crashes and starts again', async () => {
    const { database, add, stored } = await openEntries();
    let isOver = false;
    const adding = addUntil(() => isOver, add);
    await expect.poll(stored).not.toEqual([]);

    for (const _ of [1, 2, 3]) {
      await server.crash();
      await server.restart();
      await untilSuccess(database);
    }
    isOver = true;
    const { acknowledged } = await adding;

    const kept = await stored();
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
    expect(await add('afterwards')).toBe('afterwards');
  });

  it('repeats the writes whose connections are terminated, each of them once', async () => {
    const { add, stored } = await openEntries();
    let kills = 0;
    const adding = addUntil(() => kills === 20, add);

    while (kills < 20) {
      await endConnections();
      kills += 1;
    }
    const { acknowledged } = await adding;

    const kept = await stored();
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept).toEqual(expect.arrayContaining(acknowledged));
  });

  it.each(['request', 'reply'] as const)(
    'stores a write exactly once and reports success when the %s of its COMMIT is lost',
    async (loss) => {
      const proxy = await startPostgresProxy(server.url);
      onTestFinished(proxy.close);
      const { add, stored } = await openEntries(proxy.url);

      proxy.loseNextCommit(loss);

      expect(await add('a')).toBe('a');
      expect(await stored()).toEqual(['a']);
    },
  );

  it.each(['request', 'reply'] as const)(
    'knows the outcome of a long transaction when the %s of its COMMIT is lost',
    async (loss) => {
      const proxy = await startPostgresProxy(server.url);
      onTestFinished(proxy.close);
      const { database, stored } = await openEntries();
      const connection = createConnection({
        ...{ url: proxy.url, schema: database.schema, owner: 'mover', maxConnections: 2 },
        ...{ statementTimeoutMs: 5000, clock: systemClock, ids: createIds(systemClock.nowMs) },
      });
      onTestFinished(connection.close);

      proxy.loseNextCommit(loss);
      const written = connection.writeOnce(
        ({ rows }) => rows(`INSERT INTO ${database.schema}.entry VALUES ('a', 1)`),
        { isMarked: true },
      );

      const isStored = loss === 'reply';
      await expect(
        written.then(
          () => true,
          () => false,
        ),
      ).resolves.toBe(isStored);
      expect(await stored()).toEqual(isStored ? ['a'] : []);
    },
  );

  it.each([
    ['within the limit of a statement', 5000],
    ['beyond the limit of a statement', 500],
  ])(
    'stores a write exactly once if the server answers two seconds late, %s',
    async (_, limitMs) => {
      const proxy = await startPostgresProxy(server.url);
      onTestFinished(proxy.close);
      const { add, stored } = await openEntries(proxy.url, limitMs);

      proxy.delayNextCommit(2000);

      expect(await add('a')).toBe('a');
      expect(await stored()).toEqual(['a']);
    },
  );

  it('asks again for the outcome of a write until the server can be reached', async () => {
    const proxy = await startPostgresProxy(server.url);
    onTestFinished(proxy.close);
    const { add, stored } = await openEntries(proxy.url);
    proxy.loseNextCommit('reply', { away: true });

    const added = add('a');
    await expect.poll(stored).toEqual(['a']);
    proxy.comeBack();

    expect(await added).toBe('a');
    expect(await stored()).toEqual(['a']);
  });

  it('reports a write as refused if its outcome cannot be found in time', async () => {
    const proxy = await startPostgresProxy(server.url);
    onTestFinished(proxy.close);
    const { add, stored } = await openEntries(proxy.url, 500);
    proxy.loseNextCommit('reply', { away: true });

    await expect(add('a')).rejects.toMatchObject(REFUSED);

    expect(await stored()).toEqual(['a']);
  });

  it('refuses writes to a read-only server until a trial write succeeds', async () => {
    const { database, add, stored } = await openEntries();
    await query(server.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await query(server.url, 'SELECT pg_reload_conf()');
    await expect
      .poll(() => query(server.url, 'SHOW default_transaction_read_only'))
      .toEqual([{ default_transaction_read_only: 'on' }]);
    await endConnections();

    await expect(add('a')).rejects.toMatchObject({
      ...REFUSED,
      details: { reason: 'state_store_read_only' },
    });
    expect(await database.probe()).toBe(false);
    await query(server.url, 'ALTER SYSTEM RESET default_transaction_read_only');
    await query(server.url, 'SELECT pg_reload_conf()');
    await untilSuccess(database);

    expect(await add('b')).toBe('b');
    expect(await stored()).toEqual(['b']);
  });

  it('refuses writes to a full disk until a trial write of the size of a job succeeds', async () => {
    const { database, add, stored } = await openEntries();
    const { schema, write } = database;
    await write(async ({ rows }) => {
      await rows(`
        CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.entry EXECUTE FUNCTION ${schema}.refuse();
        CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.meta EXECUTE FUNCTION ${schema}.refuse()`);
    });

    await expect(add('a')).rejects.toMatchObject({
      ...REFUSED,
      details: { reason: 'state_store_full' },
    });
    expect(await database.probe()).toBe(false);
    await write(({ rows }) =>
      rows(`DROP TRIGGER full_disk ON ${schema}.entry; DROP TRIGGER full_disk ON ${schema}.meta`),
    );

    expect(await database.probe()).toBe(true);
    expect(await add('b')).toBe('b');
    expect(await stored()).toEqual(['b']);
  });
});
