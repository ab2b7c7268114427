import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { type Connection, createConnection, type Postgres, type Queries } from './connection.ts';
import { isRefusal, sqlState } from './driver-errors.ts';
import { findVersion, MIGRATIONS, type Migration, migrate } from './migrations.ts';

export interface DatabaseOptions {
  /** A connection URL (https://www.postgresql.org/docs/current/libpq-connect.html). */
  readonly url: string;
  /** The name of the schema, which matches `[a-z_][a-z0-9_]{0,62}`. */
  readonly schema: string;
  readonly maxConnections: number;
  readonly statementTimeoutMs: number;
  /** False if an old schema is rejected instead of migrated. */
  readonly migrate: boolean;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newFraction'>;
  readonly migrations?: readonly Migration[];
}

/** The database of the service. */
export interface Database extends Postgres {
  /** 32 random bytes, created with the schema. Used as the key for all values that must not be guessed or forged. */
  readonly secret: Uint8Array;
  /** Resolves with true if the database can be read and written. After a rejected write, tries to write as much as a job needs. */
  probe(): Promise<boolean>;
  /** Resolves with the bytes that the tables of the schema use, and with the size of the whole database. */
  sizes(): Promise<{ readonly logicalBytes: number; readonly physicalBytes: number }>;
  /** Resolves when all pending work has ended and all connections are closed. */
  close(): Promise<void>;
}

// PostgreSQL 15 is the oldest supported version.
const OLDEST_SERVER = 150_000;

// About the size of an ordinary job, including the bytes reserved for its end.
const TRIAL_BYTES = 32_768;

const CHECK_SERVER = `
  SELECT current_setting('server_version_num')::integer AS version,
    current_setting('server_encoding') AS encoding`;

/**
 * Opens the database in the newest schema, or creates the schema. Throws `configuration` if the server cannot be used or the schema
 * cannot be migrated, and `overloaded` if the server is unavailable.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { ids, clock, migrations = MIGRATIONS, migrate: isAllowed } = options;
  const connection = createConnection({
    ...options,
    schema: `"${options.schema}"`,
    owner: ids.newOpaqueId(),
  });
  try {
    await connection.read(refuseServer);
    await migrate({ connection, clock, isAllowed, migrations });
    return serve(connection, await findSecret(connection, ids));
  } catch (error) {
    await connection.close();
    throw toOpenError(error);
  }
}

/** Resolves with the version of the schema, or with 0 if the schema does not exist. Changes nothing. Throws as `openDatabase` does. */
export async function findSchema(options: Omit<DatabaseOptions, 'migrate'>): Promise<number> {
  const schema = `"${options.schema}"`;
  const connection = createConnection({ ...options, schema, owner: options.ids.newOpaqueId() });
  try {
    await connection.read(refuseServer);
    return (await connection.read((queries) => findVersion(queries, schema))).version;
  } catch (error) {
    throw toOpenError(error);
  } finally {
    await connection.close();
  }
}

async function refuseServer({ rows }: Queries): Promise<void> {
  const [server] = await rows<{ version: number; encoding: string }>(CHECK_SERVER);
  if (!server || server.version < OLDEST_SERVER) {
    throw refusal('the server is older than PostgreSQL 15');
  }
  if (server.encoding !== 'UTF8') {
    throw refusal(
      `the encoding of the database is ${server.encoding}; create the database with UTF8`,
    );
  }
}

/** Resolves with the secret. If several replicas start at the same time, the first replica creates the secret. */
function findSecret(
  { schema, write }: Connection,
  ids: Pick<Ids, 'newOpaqueId'>,
): Promise<Uint8Array> {
  return write(async ({ rows }) => {
    const select = `SELECT value FROM ${schema}.meta WHERE name = 'secret'`;
    const insert = `INSERT INTO ${schema}.meta VALUES ('secret', $1) ON CONFLICT DO NOTHING`;
    const [existing] = await rows<{ value: Uint8Array }>(select);
    if (existing) return existing.value;
    await rows(insert, [Buffer.from(ids.newOpaqueId() + ids.newOpaqueId(), 'hex')]);
    const [created] = await rows<{ value: Uint8Array }>(select);
    if (!created) throw new BridgeError('internal', 'the state database has no secret');
    return created.value;
  });
}

function serve(connection: Connection, secret: Uint8Array): Database {
  const { schema, owner, read } = connection;
  let isRefused = false;

  async function noting<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      isRefused ||= isRefusal(error);
      throw error;
    }
  }

  return {
    schema,
    owner,
    secret,
    read,
    apply: (text, values) => noting(connection.apply(text, values)),
    write: (work) => noting(connection.write(work)),
    attempt(work) {
      const attempt = connection.attempt(work);
      return { ...attempt, run: () => noting(attempt.run()) };
    },
    writeOrUndo: (work, undo) => noting(connection.writeOrUndo(work, undo)),

    async probe() {
      const trial = `INSERT INTO ${schema}.meta VALUES ('trial', $1) ON CONFLICT (name) DO UPDATE SET value = $1`;
      try {
        // A small write may succeed although a job does not fit. Therefore, only a trial write of the size of a job ends the
        // refusal.
        if (isRefused) {
          await connection.write(({ rows }) => rows(trial, [Buffer.alloc(TRIAL_BYTES)]));
          await connection.write(({ rows }) =>
            rows(`DELETE FROM ${schema}.meta WHERE name = 'trial'`),
          );
          isRefused = false;
        }
        await read(({ rows }) => rows(`SELECT FROM ${schema}.meta WHERE name = 'secret'`));
        return true;
      } catch {
        return false;
      }
    },

    sizes: () =>
      read(async ({ rows }) => {
        const [found] = await rows<{ logicalBytes: number; physicalBytes: number }>(
          `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS "logicalBytes",
             pg_database_size(current_database()) AS "physicalBytes"
           FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace`,
          [schema],
        );
        if (!found)
          throw new BridgeError('internal', 'the sizes of the state database are unknown');
        return found;
      }),

    close: connection.close,
  };
}

// Settings that a person must correct: the user, the password, and the name of the database.
const WRONG_SETTING = /^(28|3D)/;

/** Names the setting in an error that the operator can correct. Returns any other error unchanged. */
function toOpenError(error: unknown): unknown {
  if (!(error instanceof BridgeError)) return error;
  const { code, details, cause } = error;
  const state = sqlState(cause);
  if (state !== undefined && WRONG_SETTING.test(state)) {
    return refusal(
      `the server rejects the connection (SQLSTATE ${state}); correct the connection URL`,
    );
  }
  if (code !== 'overloaded') return error;
  const message =
    'state.postgres: the database server is unavailable; start the server, or correct the connection URL';
  return new BridgeError('overloaded', message, { details, cause });
}

function refusal(sentence: string): BridgeError {
  return new BridgeError('configuration', `state.postgres: ${sentence}`);
}
