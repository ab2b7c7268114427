import { onTestFinished } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { type Database, openDatabase } from '../../../../lib/storage/postgres/database.ts';
import { emptySchema } from '../../../support/postgres.ts';

type Options = Partial<Parameters<typeof openDatabase>[0]>;

const ids = createIds(systemClock.nowMs);

/** Opens a database in the named schema, and closes it after the current test. */
export async function openTestDatabase(
  place: Pick<Parameters<typeof openDatabase>[0], 'url' | 'schema'>,
  options: Options = {},
): Promise<Database> {
  const database = await openDatabase({
    maxConnections: 4,
    statementTimeoutMs: 5000,
    migrate: true,
    clock: systemClock,
    ids,
    ...place,
    ...options,
  });
  onTestFinished(database.close);
  return database;
}

/** Opens a database in an empty schema for the current test. `another` opens the same database as another replica does. */
export async function newTestDatabase(options?: Options) {
  const place = await emptySchema();
  return {
    place,
    database: await openTestDatabase(place, options),
    another: (more?: Options) => openTestDatabase(place, { ...options, ...more }),
  };
}
