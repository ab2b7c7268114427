import { describe, expect, it, onTestFinished } from 'vitest';
import { baseSchema } from '../../../../lib/storage/postgres/schema-base.ts';
import { query } from '../../../support/engines/postgres-server.ts';
import { emptySchema, HAS_POSTGRES } from '../../../support/postgres.ts';
import { newTestDatabase, openTestDatabase } from './test-database.ts';

describe.runIf(HAS_POSTGRES)('openDatabase', () => {
  it('migrates once and creates one secret although ten replicas start at the same time', async () => {
    const place = await emptySchema();
    let migrations = 0;
    const sql = (schema: string) => {
      migrations += 1;
      return baseSchema(schema);
    };

    const replicas = await Promise.all(
      Array.from({ length: 10 }, () =>
        openTestDatabase(place, { migrations: [{ sql, oldest: 1 }] }),
      ),
    );

    const secrets = replicas.map(({ secret }) => Buffer.from(secret).toString('hex'));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(migrations).toBe(1);
    expect(new Set(replicas.map(({ owner }) => owner)).size).toBe(10);
  });

  it('runs with a newer schema that names this program as old enough', async () => {
    const { database, another } = await newTestDatabase();
    await database.write(({ rows }) =>
      rows(`UPDATE ${database.schema}.schema_version SET version = 99`),
    );

    const older = await another();

    expect(older.secret).toEqual(database.secret);
  });

  it('rejects a schema that needs a newer program', async () => {
    const { database, another } = await newTestDatabase();
    await database.write(({ rows }) =>
      rows(`UPDATE ${database.schema}.schema_version SET version = 99, oldest = 99`),
    );

    await expect(another()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('use a newer version of the bridge'),
    });
  });

  it('rejects an empty schema if a migration is not allowed', async () => {
    await expect(newTestDatabase({ migrate: false })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('set `state.postgres.migrate` to true'),
    });
  });

  it('undoes a migration that fails', async () => {
    const place = await emptySchema();
    const broken = { sql: () => 'CREATE TABLE nowhere.no_table ()', oldest: 1 };

    const outcome = openTestDatabase(place, { migrations: [broken] });

    await expect(outcome).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('migration 1'),
    });
    await expect(openTestDatabase(place)).resolves.toBeDefined();
  });

  it('names the extension and the command if the user may not create the extension', async () => {
    const { url, schema } = await emptySchema();
    const name = `${schema}_database`;
    const place = new URL(url);
    place.pathname = `/${name}`;
    await query(url, `CREATE ROLE ${name} LOGIN`);
    await query(url, `CREATE DATABASE ${name}`);
    onTestFinished(async () => {
      await query(url, `DROP DATABASE ${name} WITH (FORCE)`);
      await query(url, `DROP ROLE ${name}`);
    });
    await query(place.href, `CREATE SCHEMA ${schema} AUTHORIZATION ${name}`);
    const asOwner = new URL(place.href);
    asOwner.username = name;

    const refused = openTestDatabase({ url: asOwner.href, schema });

    await expect(refused).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('run: CREATE EXTENSION pg_trgm WITH SCHEMA public'),
    });
    await query(place.href, 'CREATE EXTENSION pg_trgm WITH SCHEMA public');
    await expect(openTestDatabase({ url: asOwner.href, schema })).resolves.toBeDefined();
  });

  it('reports a database that does not exist as a wrong setting', async () => {
    const { url, schema } = await emptySchema();

    const outcome = openTestDatabase({ url: url.replace(/\w+$/, 'no_such_database'), schema });

    await expect(outcome).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('SQLSTATE 3D000'),
    });
  });

  it('reports a server that cannot be reached as unavailable, and names the setting', async () => {
    const { schema } = await emptySchema();

    const outcome = openTestDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', schema });

    await expect(outcome).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_failing' },
      message: expect.stringContaining('correct the connection URL'),
    });
  });

  it('reports the bytes of its tables and of the whole database', async () => {
    const { database } = await newTestDatabase();

    const { logicalBytes, physicalBytes } = await database.sizes();

    expect(logicalBytes).toBeGreaterThan(0);
    expect(physicalBytes).toBeGreaterThan(logicalBytes);
  });

  it('answers its probe until it is closed', async () => {
    const { database } = await newTestDatabase();

    expect(await database.probe()).toBe(true);
    await database.close();
    expect(await database.probe()).toBe(false);
  });
});
