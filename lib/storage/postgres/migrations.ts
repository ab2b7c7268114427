import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Queries } from './connection.ts';
import { isExtensionRefused, isRefusal, sqlState } from './driver-errors.ts';
import { baseSchema } from './schema-base.ts';
import { batchesSchema } from './schema-batches.ts';
import { billingSchema } from './schema-billing.ts';
import { factsSchema } from './schema-facts.ts';
import { finishedImagesSchema } from './schema-finished-images.ts';
import { groupsSchema } from './schema-groups.ts';
import { jobSchema } from './schema-jobs.ts';
import { labelsSchema } from './schema-labels.ts';
import { limitsSchema } from './schema-limits.ts';
import { lineageSchema } from './schema-lineage.ts';
import { loginSchema } from './schema-login.ts';
import { modelsSchema } from './schema-models.ts';
import { moneySchema } from './schema-money.ts';
import { ownFavoriteSchema } from './schema-own-favorite.ts';
import { progressSchema } from './schema-progress.ts';
import { provenanceSchema } from './schema-provenance.ts';
import { retriesSchema } from './schema-retries.ts';
import { storesSchema } from './schema-stores.ts';
import { ticketsSchema } from './schema-tickets.ts';
import { titlesSchema } from './schema-titles.ts';

/** One step from a schema to the next schema. */
export interface Migration {
  /** Returns the statements, which may be several in one text. `schema` is the quoted name of the schema. */
  readonly sql: (schema: string) => string;
  /** The oldest version of the schema whose program can still run after this step. */
  readonly oldest: number;
}

/**
 * All steps, beginning with an empty schema. The number of a step is the version of the schema after the step. A released step is
 * never edited or moved. A step only adds, and a later release removes what the oldest running program no longer needs.
 */
export const MIGRATIONS: readonly Migration[] = [
  { sql: baseSchema, oldest: 1 },
  { sql: storesSchema, oldest: 1 },
  { sql: jobSchema, oldest: 1 },
  { sql: progressSchema, oldest: 1 },
  { sql: limitsSchema, oldest: 1 },
  { sql: ticketsSchema, oldest: 1 },
  { sql: moneySchema, oldest: 1 },
  { sql: billingSchema, oldest: 1 },
  { sql: labelsSchema, oldest: 1 },
  { sql: provenanceSchema, oldest: 1 },
  { sql: lineageSchema, oldest: 1 },
  { sql: batchesSchema, oldest: 1 },
  { sql: titlesSchema, oldest: 1 },
  { sql: groupsSchema, oldest: 1 },
  { sql: loginSchema, oldest: 1 },
  { sql: finishedImagesSchema, oldest: 1 },
  { sql: ownFavoriteSchema, oldest: 1 },
  { sql: factsSchema, oldest: 1 },
  { sql: retriesSchema, oldest: 1 },
  { sql: modelsSchema, oldest: 1 },
];

interface Options {
  readonly connection: Connection;
  readonly clock: Clock;
  /** False if an old schema is rejected instead of migrated. */
  readonly isAllowed?: boolean;
  readonly migrations?: readonly Migration[];
}

/** The version of the schema, and the oldest version of a program that can use it. */
interface SchemaVersion {
  readonly version: number;
  readonly oldest: number;
}

const EMPTY: SchemaVersion = { version: 0, oldest: 0 };

// Statements wait this long for a lock. A longer wait would block all later statements of other replicas on the same table.
const LOCK_TIMEOUT_MS = 2000;
// Ten minutes, which is enough for another replica to migrate a large table.
const MAX_ATTEMPTS = 240;
const RETRY_PAUSE_MS = 500;

// Reads the catalog as a table, because `to_regclass` may use an old cache in a transaction that has waited for the lock.
const FIND_TABLE = `
  SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE relname = 'schema_version' AND concat('"', nspname, '"') = $1`;

const FIND_SCHEMA = `SELECT FROM pg_namespace WHERE concat('"', nspname, '"') = $1`;

const LOCK_UNAVAILABLE = '55P03';

/**
 * Migrates the schema to the newest version, or creates it. Replicas that start at the same time migrate once, because each step
 * is a transaction under one lock. Throws `configuration` if a step fails, if the schema is too new for this program, or if
 * the schema is old and a migration is not allowed. Throws `overloaded` if the database is unavailable.
 */
export async function migrate({
  connection,
  clock,
  isAllowed = true,
  migrations = MIGRATIONS,
}: Options): Promise<void> {
  const { schema } = connection;
  const newest = migrations.length;
  const present = await connection.read((queries) => findVersion(queries, schema));
  refuseNewerSchema(present, newest);
  if (present.version >= newest) return;
  if (!isAllowed) {
    throw new BridgeError(
      'configuration',
      `state.postgres: the schema ${schema} has version ${present.version}, but this version of the bridge needs ${newest}; set \`state.postgres.migrate\` to true`,
    );
  }
  for (const [index, migration] of migrations.entries()) {
    if (index >= present.version)
      await retryLocked(clock, () => step(connection, index + 1, migration));
  }
}

/** Throws `configuration` if a program that knows `newest` as the newest version cannot use this schema. */
function refuseNewerSchema({ version, oldest }: SchemaVersion, newest: number): void {
  if (newest >= oldest) return;
  throw new BridgeError(
    'configuration',
    `state.postgres: the schema has version ${version}, which needs a program that knows version ${oldest}, but this version of the bridge knows only ${newest}; use a newer version of the bridge`,
  );
}

/** Resolves with version 0 if the schema does not exist or is empty. */
export async function findVersion({ rows }: Queries, schema: string): Promise<SchemaVersion> {
  if ((await rows(FIND_TABLE, [schema])).length === 0) return EMPTY;
  const [row] = await rows<SchemaVersion>(`SELECT version, oldest FROM ${schema}.schema_version`);
  return row ?? EMPTY;
}

function step(connection: Connection, version: number, migration: Migration): Promise<void> {
  const { schema } = connection;
  return connection.writeOnce(async (queries) => {
    await queries.rows(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    // The lock ends with the transaction. A lock of the session could outlive it behind a pooler.
    await queries.rows('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [schema]);
    const present = await findVersion(queries, schema);
    if (present.version >= version) return;
    try {
      if (version === 1) await createSchema(queries, schema);
      await queries.rows(migration.sql(schema));
      await queries.rows(`UPDATE ${schema}.schema_version SET version = $1, oldest = $2`, [
        version,
        migration.oldest,
      ]);
    } catch (cause) {
      if (isExtensionRefused(cause)) {
        throw new BridgeError(
          'configuration',
          'state.postgres: the user may not create the extension pg_trgm, which the job search needs; an administrator of the database must run: CREATE EXTENSION pg_trgm WITH SCHEMA public',
          { cause },
        );
      }
      if (isRefusal(cause)) throw cause;
      throw new BridgeError(
        'configuration',
        `state.postgres: migration ${version} of the schema ${schema} failed; the data is unchanged`,
        { cause },
      );
    }
  });
}

async function createSchema({ rows }: Queries, schema: string): Promise<void> {
  // "CREATE SCHEMA IF NOT EXISTS" needs a privilege on the database, even if an administrator has created the schema for the user.
  const present = await rows(FIND_SCHEMA, [schema]);
  if (present.length === 0) await rows(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await rows(`
    -- "oldest" is the oldest version of a program that can use this version of the schema.
    CREATE TABLE ${schema}.schema_version (
      only_row integer NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version integer NOT NULL,
      oldest integer NOT NULL
    );
    INSERT INTO ${schema}.schema_version VALUES (1, 0, 0)`);
}

/** Repeats a step that could not get a lock in time. */
async function retryLocked(clock: Clock, run: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const isLocked = error instanceof BridgeError && sqlState(error.cause) === LOCK_UNAVAILABLE;
      if (!isLocked || attempt === MAX_ATTEMPTS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(RETRY_PAUSE_MS, resolve));
  }
}
