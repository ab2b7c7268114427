import { describe, expect, it } from 'vitest';
import { query, startPostgres } from './engines/postgres-server.ts';
import { createSchema, emptySchema, HAS_POSTGRES } from './postgres.ts';

const countTables = (url: string, schema: string) =>
  query(url, `SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = '${schema}'`);

describe.runIf(HAS_POSTGRES)('emptySchema', () => {
  it('resolves with a schema name that is free, on a server that two callers share', async () => {
    const [first, second] = await Promise.all([emptySchema(), emptySchema()]);

    expect(second.url).toBe(first.url);
    expect(second.schema).not.toBe(first.schema);
    await query(first.url, `CREATE SCHEMA ${first.schema}`);
    expect(await countTables(first.url, first.schema)).toEqual([{ count: 0 }]);
  });

  it('reaches the server over TCP and over the Unix socket', async () => {
    const { url, socketUrl } = await emptySchema();
    const address = 'SELECT inet_server_addr() IS NULL AS "isSocket"';

    expect(await query(url, address)).toEqual([{ isSocket: false }]);
    expect(await query(socketUrl, address)).toEqual([{ isSocket: true }]);
  });

  it('has an encoding and a character type with which trigrams of Japanese exist', async () => {
    const { url } = await emptySchema();

    const rows = await query(url, "SELECT cardinality(show_trgm('灯台')) AS count");

    expect(rows).toEqual([{ count: 3 }]);
  });
});

describe.runIf(HAS_POSTGRES)('createSchema', () => {
  it('drops the schema with its tables', async () => {
    const { url, schema, drop } = await createSchema();
    await query(url, `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.job (seq bigint)`);

    await drop();

    expect(await countTables(url, schema)).toEqual([{ count: 0 }]);
  });
});

describe.runIf(HAS_POSTGRES)('startPostgres', () => {
  it('starts a server that keeps what was committed before a crash', async () => {
    const server = await startPostgres();
    try {
      await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS seq');

      await server.crash();
      await expect(query(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await server.restart();

      expect(await query(server.url, 'SELECT seq FROM kept')).toEqual([{ seq: 1 }]);
    } finally {
      await server.stop();
    }
  });
});
