import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { systemClock } from '../../lib/platform/clock.ts';
import { createIds } from '../../lib/platform/ids.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../../lib/storage/artifact-rows.ts';
import type { Queries } from '../../lib/storage/postgres/connection.ts';
import { type Database, openDatabase } from '../../lib/storage/postgres/database.ts';
import { createPostgresStores } from '../../lib/storage/postgres/postgres-stores.ts';
import { createReplicaLease } from '../../lib/storage/postgres/replica-lease.ts';
import { createSchema } from './postgres.ts';
import { takeSchema } from './reused-schemas.ts';
import type { OpenState } from './stores.ts';

// A lease that no test outlives.
const LEASE_MS = 3_600_000;

const ids = createIds(systemClock.nowMs);

/** Opens the schema of this directory, or a schema without a job, which is emptied on close. */
export async function openPostgresState(directory?: string): Promise<OpenState> {
  const { url, schema, release } = await (directory === undefined
    ? takeSchema()
    : schemaOf(directory));
  const opened: Database[] = [];
  let isReadOnly = false;

  async function openReplica() {
    const database = await openDatabase({
      ...{ url, schema, clock: systemClock, ids },
      ...{ maxConnections: 4, statementTimeoutMs: 30_000, migrate: true },
    });
    opened.push(database);
    const checked: Database = {
      ...database,
      async write(work) {
        if (isReadOnly) throw readOnly();
        return database.write(work);
      },
    };
    const options = { name: 'test', version: 1, leaseMs: LEASE_MS, clock: systemClock };
    const lease = createReplicaLease(checked, options);
    await lease.renew();
    return { database: checked, lease };
  }

  /** A test decides which process is gone: the first process goes on after the next process has taken over. */
  function asJudge({ database, lease }: Awaited<ReturnType<typeof openReplica>>) {
    return createPostgresStores(database, {
      ...lease,
      async hold(queries: Queries) {
        if (await lease.hold(queries)) return true;
        await lease.renew();
        return lease.hold(queries);
      },
      async judge({ rows }: Queries) {
        await rows(`DELETE FROM ${database.schema}.replica WHERE id <> $1`, [database.owner]);
        return true;
      },
    });
  }

  const first = await openReplica();
  const { database } = first;
  const { health, ...stores } = asJudge(first);
  const read = <Row>(sql: string, values: readonly unknown[] = []) =>
    database.read(({ rows }) => rows<Row>(sql, values));
  const run = (sql: string, values: readonly unknown[] = []) =>
    database.write(async ({ rows }) => void (await rows(sql, values)));
  const table = (name: string) => `${database.schema}.${name}`;

  return {
    ...stores,
    ...health,
    secret: database.secret,
    async close() {
      isReadOnly = false;
      for (const { close } of opened) await close();
      await release();
    },

    async ofNextProcess() {
      const { artifacts, jobs } = asJudge(await openReplica());
      return { artifacts, jobs };
    },

    state: {
      setReadOnly(isOn) {
        isReadOnly = isOn;
      },
      async listArtifactFiles() {
        const files = await read<{ name: string; state: string; sha256: string }>(`
          SELECT name, state, sha256 FROM ${table('artifact')}
          UNION ALL
          SELECT sidecar_name, state, sidecar_sha256 FROM ${table('artifact')}
          WHERE sidecar_name IS NOT NULL
          ORDER BY 1`);
        return files.map(({ name, state, sha256 }) => [name, state, sha256]);
      },
      async listIntents() {
        const sql = `SELECT ${ARTIFACT_COLUMNS} FROM ${table('artifact')} WHERE state = 'pending'`;
        return v.parse(v.array(ArtifactRow), await read(sql));
      },
      async hasJobText(text) {
        const contents = await read(`SELECT * FROM ${table('job_content')}`);
        return JSON.stringify(contents).includes(text);
      },
      renameArtifacts: (name) => run(`UPDATE ${table('artifact')} SET name = $1`, [name]),
      damageJobRequests: () => run(`UPDATE ${table('job_content')} SET request = '{}'`),
      disownJobs: () => run(`UPDATE ${table('job')} SET owner = NULL`),
      giveAccountsAway: () => run(`UPDATE ${table('ledger')} SET owner = 'another'`),
      forgetInput: (sha256) => run(`DELETE FROM ${table('job_input')} WHERE sha256 = $1`, [sha256]),
      async skipChanges(count) {
        await run(`UPDATE ${table('job_change')} SET change = change + $1`, [count]);
        await run(`UPDATE ${table('job_scope')} SET changes = changes + $1`, [count]);
      },
      async forgetChanges() {
        await run(`DELETE FROM ${table('job_change')}`);
        await run(`UPDATE ${table('job_scope')} SET changes = 0`);
      },
    },
  };
}

/** Returns the error of a server that rejects writes, for example because a standby has replaced it. */
function readOnly(): BridgeError {
  const details = { reason: 'state_store_read_only' };
  return new BridgeError('overloaded', 'the state database is unavailable', { details });
}

/** Resolves with the schema of a directory, which stays. All processes with this directory share the schema. */
async function schemaOf(directory: string) {
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 32);
  const { url } = await createSchema();
  return { url, schema: `test_${name}`, release: async () => {} };
}
