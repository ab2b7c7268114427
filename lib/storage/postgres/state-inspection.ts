import type { Config } from '../../config/settings/settings.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { systemClock } from '../../platform/clock.ts';
import { createIds } from '../../platform/ids.ts';
import type { StateInspection } from '../state-inspection-port.ts';
import type { StateReader } from '../state-reader-port.ts';
import type { Environment } from '../stores.ts';
import { createArtifactStore } from './artifact-store.ts';
import { type Connection, createConnection } from './connection.ts';
import { readConnectionUrls } from './connection-urls.ts';
import { findSchema, openDatabase } from './database.ts';
import { createJobInputs } from './jobs/job-list.ts';
import { MIGRATIONS } from './migrations.ts';
import { moveIn, moveOut } from './move-state.ts';
import { createReplicaLease } from './replica-lease.ts';

/**
 * Inspects the PostgreSQL database. PostgreSQL has its own programs to check, copy and restore a database, so these methods throw
 * `configuration` and name the program.
 */
export function createPostgresInspection(
  { postgres }: Config['state'],
  env: Environment,
): StateInspection {
  const clock = systemClock;
  const options = () => ({
    url: readConnectionUrls(postgres, env).url,
    schema: postgres.schema,
    maxConnections: postgres.max_connections,
    statementTimeoutMs: postgres.statement_timeout_ms,
    clock,
    ids: createIds(clock.nowMs),
  });
  const schema = async () => {
    const present = await findSchema(options());
    return { present: present === 0 ? undefined : present, newest: MIGRATIONS.length };
  };
  const { schema: name } = postgres;

  async function migrate(): Promise<undefined> {
    await (await openDatabase({ ...options(), migrate: true })).close();
  }

  async function openReader(): Promise<StateReader | undefined> {
    if ((await schema()).present === undefined) return undefined;
    const database = await openDatabase({ ...options(), migrate: false });
    const reader = { name: 'reader', version: MIGRATIONS.length, leaseMs: 1, clock };
    return {
      artifacts: createArtifactStore(database, createReplicaLease(database, reader)),
      jobs: createJobInputs(database),
      close: database.close,
    };
  }

  async function withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { ids, ...rest } = options();
    const owner = ids.newOpaqueId();
    const connection = createConnection({ ...rest, ids, schema: `"${name}"`, owner });
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  return {
    lockedFolder: undefined,
    restoreCommand: `pg_restore --dbname "$${postgres.url_env}" FILE`,
    async refuseForeign() {
      readConnectionUrls(postgres, env);
    },
    findLoss: async () => undefined,
    schema,
    quickCheck: async () => [],
    check: () => refuse(`pg_amcheck --schema ${name} --dbname "$${postgres.url_env}"`),
    backUp: () =>
      refuse(`pg_dump --format custom --schema ${name} --file FILE "$${postgres.url_env}"`),
    restore: () => refuse(`pg_restore --dbname "$${postgres.url_env}" FILE`),
    tryMigration: () => refuse('a copy of the database, made with pg_dump and pg_restore'),
    migrate,
    openReader,
    async moveOut(work) {
      const reader = await openReader();
      if (reader === undefined) {
        throw new BridgeError(
          'configuration',
          `state.postgres.schema: the schema ${name} does not exist`,
        );
      }
      try {
        return await withConnection((connection) => moveOut(connection, reader, work));
      } finally {
        await reader.close();
      }
    },
    async moveIn(work) {
      await migrate();
      return withConnection((connection) => moveIn(connection, work));
    },
  };
}

async function refuse(remedy: string): Promise<never> {
  throw new BridgeError(
    'configuration',
    `state.driver: the state is in PostgreSQL, which has its own programs for this: ${remedy}`,
  );
}
