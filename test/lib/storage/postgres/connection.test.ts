import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { newTestDatabase } from './test-database.ts';

async function newCounter(options?: Parameters<typeof newTestDatabase>[0]) {
  const { database, ...more } = await newTestDatabase(options);
  const { schema, read, write } = database;
  await write(({ rows }) => rows(`CREATE TABLE ${schema}.counter (id text, value bigint)`));
  await write(({ rows }) => rows(`INSERT INTO ${schema}.counter VALUES ('a', 0), ('b', 0)`));
  return {
    ...more,
    database,
    add: `UPDATE ${schema}.counter SET value = value + 1 WHERE id = $1 RETURNING value`,
    values: async () => {
      const text = `SELECT value FROM ${schema}.counter ORDER BY id`;
      return (await read(({ rows }) => rows<{ value: number }>(text))).map(({ value }) => value);
    },
  };
}

describe.runIf(HAS_POSTGRES)('createConnection', () => {
  it('returns numbers, bytes and texts with NUL as they were given', async () => {
    const { database } = await newTestDatabase();
    const text = 'a\0b\uFDD0c\uFDD00';

    const [row] = await database.read(({ rows }) =>
      rows(
        `SELECT $1::text AS text, $2::text[] AS texts, $3::bigint AS big, $4::bigint[] AS bigs,
           sum($3::bigint) AS sum, $5::bytea AS bytes, $6::text AS nothing`,
        [text, [text, null], 2 ** 53 - 1, [1, 2], Buffer.from([0, 255]), undefined],
      ),
    );

    expect(row).toEqual({
      text,
      texts: [text, null],
      big: 2 ** 53 - 1,
      bigs: [1, 2],
      sum: 2 ** 53 - 1,
      bytes: Buffer.from([0, 255]),
      nothing: null,
    });
  });

  it('undoes a transaction whose work throws, and keeps the error', async () => {
    const { database, add, values } = await newCounter();
    const refusal = new BridgeError('preset_exists', 'taken');

    const outcome = database.write(async ({ rows }) => {
      await rows(add, ['a']);
      throw refusal;
    });

    await expect(outcome).rejects.toBe(refusal);
    expect(await values()).toEqual([0, 0]);
  });

  it('repeats a transaction that was chosen to end a deadlock', async () => {
    const { database, add, values } = await newCounter();
    let ready = 0;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const work = (ids: readonly string[]) =>
      database.write(async ({ rows }) => {
        for (const id of ids) {
          await rows(add, [id]);
          ready += 1;
          if (ready === 2) resolve();
          await both;
        }
      });

    await Promise.all([work(['a', 'b']), work(['b', 'a'])]);

    expect(await values()).toEqual([2, 2]);
  });

  it('rejects a transaction that ignores the failure of a statement', async () => {
    const { database, add, values } = await newCounter();

    const outcome = database.write(async ({ rows }) => {
      await rows(add, ['a']);
      await rows('SELECT 1 / 0').catch(() => {});
    });

    await expect(outcome).rejects.toMatchObject({ code: 'internal' });
    expect(await values()).toEqual([0, 0]);
  });

  it('ends a statement of a transaction at its time limit, and keeps the connection', async () => {
    const { database, add, values } = await newCounter({
      statementTimeoutMs: 500,
      maxConnections: 1,
    });

    const outcome = database.write(async ({ rows }) => {
      await rows(add, ['a']);
      await rows('SELECT pg_sleep(60)');
    });

    await expect(outcome).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_busy' },
    });
    expect(await values()).toEqual([0, 0]);
  });

  it('closes the connection of a read at its time limit', async () => {
    const { database } = await newTestDatabase({ statementTimeoutMs: 500, maxConnections: 1 });
    const pid = () => database.read(({ rows }) => rows('SELECT pg_backend_pid() AS pid'));
    const before = await pid();

    const outcome = database.read(({ rows }) => rows('SELECT pg_sleep(60)'));

    await expect(outcome).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_busy' },
    });
    expect(await pid()).not.toEqual(before);
  });

  it('reports an exhausted pool as overloaded', async () => {
    const { database } = await newTestDatabase({ statementTimeoutMs: 500, maxConnections: 1 });
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const holder = database.write(() => end);

    const outcome = database.read(({ rows }) => rows('SELECT 1'));

    await expect(outcome).rejects.toMatchObject({
      code: 'overloaded',
      details: { reason: 'state_store_busy' },
    });
    resolve();
    await holder.catch(() => {});
  });

  it('rejects work after it was closed', async () => {
    const { database } = await newTestDatabase();

    await database.close();

    await expect(database.read(({ rows }) => rows('SELECT 1'))).rejects.toMatchObject({
      code: 'overloaded',
    });
  });
});
