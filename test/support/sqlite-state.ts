import * as v from 'valibot';
import type { Ids } from '../../lib/platform/ids.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../../lib/storage/artifact-rows.ts';
import { createArtifactStore } from '../../lib/storage/sqlite/artifact-store.ts';
import { IN_MEMORY } from '../../lib/storage/sqlite/connection.ts';
import { openStateDatabase, stateDatabaseFile } from '../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../lib/storage/sqlite/jobs/job-store.ts';
import { createSqliteStores } from '../../lib/storage/sqlite/sqlite-stores.ts';
import type { OpenState } from './stores.ts';

const FILES = `
  SELECT name, state, sha256 FROM artifact
  UNION ALL
  SELECT sidecar_name, state, sidecar_sha256 FROM artifact WHERE sidecar_name IS NOT NULL
  ORDER BY 1`;
const INTENTS = `SELECT ${ARTIFACT_COLUMNS} FROM artifact WHERE state = 'pending'`;

/** Opens the SQLite database in this directory, or a new database in memory. */
export async function openSqliteState(
  ids: Pick<Ids, 'newOpaqueId'>,
  directory?: string,
): Promise<OpenState> {
  const file = directory === undefined ? IN_MEMORY : stateDatabaseFile(directory);
  const database = openStateDatabase({ file, ids });
  const { lease: _, health, ...stores } = createSqliteStores(database);
  const run = (sql: string, ...values: unknown[]) =>
    database.write(() => void database.prepare(sql).run(...values));

  return {
    ...stores,
    ...health,
    secret: database.secret,
    close: database.close,

    async ofNextProcess() {
      const next = { ...database, owner: ids.newOpaqueId() };
      return { artifacts: createArtifactStore(next), jobs: createJobStore(next) };
    },

    state: {
      setReadOnly: (isOn) => void database.prepare(`PRAGMA query_only = ${isOn}`).run(),
      listArtifactFiles: () => database.read(() => database.prepare(FILES).raw().all()),
      listIntents: () =>
        database.read(() => v.parse(v.array(ArtifactRow), database.prepare(INTENTS).all())),
      hasJobText: (text) =>
        database.read(() =>
          JSON.stringify(database.prepare('SELECT * FROM job_content').all()).includes(text),
        ),
      renameArtifacts: (name) => run('UPDATE artifact SET name = ?', name),
      damageJobRequests: () => run("UPDATE job_content SET request = '{}'"),
      disownJobs: () => run('UPDATE job SET owner = NULL'),
      giveAccountsAway: () => run("UPDATE ledger SET owner = 'another'"),
      forgetInput: (sha256) => run('DELETE FROM job_input WHERE sha256 = ?', sha256),
      skipChanges: (count) => run('UPDATE job_change SET change = change + ?', count),
      forgetChanges: () => run('DELETE FROM job_change'),
    },
  };
}
