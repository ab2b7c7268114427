import * as v from 'valibot';
import type { ArtifactStore } from '../../lib/artifacts/artifact-store-port.ts';
import { type Clock, systemClock } from '../../lib/platform/clock.ts';
import { createIds, type Ids } from '../../lib/platform/ids.ts';
import { ARTIFACT_COLUMNS, ArtifactRow } from '../../lib/storage/artifact-rows.ts';
import { createArtifactFiles } from '../../lib/storage/file-system/artifact-files.ts';
import { createStoredInputFiles } from '../../lib/storage/file-system/stored-input-files.ts';
import { createMemoryReplayStore } from '../../lib/storage/memory/replay-store.ts';
import type { Stores } from '../../lib/storage/open-stores.ts';
import { createArtifactStore } from '../../lib/storage/sqlite/artifact-store.ts';
import { IN_MEMORY } from '../../lib/storage/sqlite/connection.ts';
import {
  openStateDatabase,
  type StateDatabase,
  stateDatabaseFile,
} from '../../lib/storage/sqlite/database.ts';
import { withJobNotices } from '../../lib/storage/sqlite/job-notices.ts';
import { createJobStore } from '../../lib/storage/sqlite/jobs/job-store.ts';
import { createQueueStore } from '../../lib/storage/sqlite/jobs/queue-store.ts';
import { createLedgerStore } from '../../lib/storage/sqlite/ledger-store.ts';
import { createPresetStore } from '../../lib/storage/sqlite/preset-store.ts';
import { createSessionStore } from '../../lib/storage/sqlite/session-store.ts';
import { createUsageStore } from '../../lib/storage/sqlite/usage-store.ts';
import { createWebhookStore } from '../../lib/storage/sqlite/webhook-store.ts';

interface Options {
  readonly clock?: Clock;
  readonly ids?: Pick<Ids, 'newOpaqueId'>;
  /** The folder of a state that outlives this object. By default the state is in memory and has no stored inputs. */
  readonly directory?: string;
  /** The folder of the artifacts. By default a folder that does not exist. */
  readonly root?: string;
}

const NO_FOLDER = '/nonexistent';
const FILES = `
  SELECT name, state, sha256 FROM artifact
  UNION ALL
  SELECT sidecar_name, state, sidecar_sha256 FROM artifact WHERE sidecar_name IS NOT NULL
  ORDER BY 1`;

const INTENTS = `SELECT ${ARTIFACT_COLUMNS} FROM artifact WHERE state = 'pending'`;

export type TestStores = Awaited<ReturnType<typeof openTestStores>>;

/**
 * Opens real stores for the test of another room. Such a test does not import a driver, so that it can run over each of them.
 * The job search finds nothing; a test that needs it opens the whole application.
 */
export async function openTestStores({
  clock = systemClock,
  ids = createIds(clock.nowMs),
  directory,
  root = NO_FOLDER,
}: Options = {}) {
  const file = directory === undefined ? IN_MEMORY : stateDatabaseFile(directory);
  const database = openStateDatabase({ file, ids });
  const stores: Stores = {
    ...withJobNotices({ jobs: createJobStore(database), queue: createQueueStore(database) }),
    search: { find: async () => ({ sequences: [], more: false }) },
    presets: createPresetStore(database),
    sessions: createSessionStore(database),
    ledger: createLedgerStore(database),
    usage: createUsageStore(database),
    webhooks: createWebhookStore(database),
    artifacts: createArtifactStore(database),
    artifactFiles: createArtifactFiles({ root, clock }),
    storedInputs: createStoredInputFiles({ directory: directory ?? NO_FOLDER, clock }),
    permits: undefined,
    openReplay: (policies) => createMemoryReplayStore({ clock, policies }),
    secret: database.secret,
    leaseRenewal: { name: 'lease-renewal', everyMs: 60_000, run: async () => {} },
    probe: database.probe,
    sizes: database.sizes,
    close: database.close,
  };
  return {
    ...stores,

    /** Returns the artifacts and the jobs as another process sees them that opens the same state. */
    ofNextProcess(): { readonly artifacts: ArtifactStore; readonly jobs: Stores['jobs'] } {
      const next = { ...database, owner: ids.newOpaqueId() };
      return { artifacts: createArtifactStore(next), jobs: createJobStore(next) };
    },

    /** Opens the files below the root again, without what the first object knows about them. */
    reopenArtifactFiles: () => createArtifactFiles({ root, clock }),

    state: createStateAccess(database),
  };
}

/** Reads and damages the stored state, in ways that no port allows. */
function createStateAccess(database: StateDatabase) {
  const run = (sql: string, ...values: unknown[]) =>
    database.write(() => void database.prepare(sql).run(...values));

  return {
    /** Makes every later write fail, or succeed again. */
    setReadOnly: (isOn: boolean): void =>
      void database.prepare(`PRAGMA query_only = ${isOn}`).run(),

    /** Resolves with the name, the state and the checksum of each file that an artifact has. */
    listArtifactFiles: () => database.read(() => database.prepare(FILES).raw().all()),

    /** Resolves with the publications of all processes that have begun but not ended. */
    listIntents: () =>
      database.read(() => v.parse(v.array(ArtifactRow), database.prepare(INTENTS).all())),

    /** Resolves with true if the text is stored with a job. */
    hasJobText: (text: string): Promise<boolean> =>
      database.read(() =>
        JSON.stringify(database.prepare('SELECT * FROM job_content').all()).includes(text),
      ),

    renameArtifacts: (name: string) => run('UPDATE artifact SET name = ?', name),

    damageJobRequests: () => run("UPDATE job_content SET request = '{}'"),

    /** Makes all jobs lose the process that they belong to. */
    disownJobs: () => run('UPDATE job SET owner = NULL'),

    /** Makes all open accounts belong to another process. */
    giveAccountsAway: () => run("UPDATE ledger SET owner = 'another'"),

    forgetInput: (sha256: string) => run('DELETE FROM job_input WHERE sha256 = ?', sha256),

    /** Adds to the number of each change, as if further jobs had changed. */
    skipChanges: (count: number) => run('UPDATE job_change SET change = change + ?', count),

    forgetChanges: () => run('DELETE FROM job_change'),
  };
}
