import { resolve } from 'node:path';
import type { Permits } from '../admission/permits-port.ts';
import type { ArtifactFiles } from '../artifacts/artifact-files-port.ts';
import type { Config } from '../config/settings/settings.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { StoredInputFiles } from '../inputs/stored-inputs-port.ts';
import type { JobNotices, JobProgressStore } from '../jobs/job-notices-port.ts';
import type { JobSearch } from '../jobs/job-store-port.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Task } from '../platform/task.ts';
import type { ReplayPolicies, ReplayStore } from '../replay/replay-store-port.ts';
import {
  createArtifactFiles,
  hasArtifacts,
  refuseArtifactRoot,
} from './file-system/artifact-files.ts';
import { createStoredInputFiles } from './file-system/stored-input-files.ts';
import { inspectState } from './inspect-state.ts';
import { createMemoryReplayStore } from './memory/replay-store.ts';
import { stateDatabaseFile } from './sqlite/database.ts';
import { isDamage, toOpenError } from './sqlite/driver-errors.ts';
import { withJobNotices } from './sqlite/job-notices.ts';
import { createJobSearch, reportingTo, searchIndexFile } from './sqlite/search/job-search.ts';
import type { OpenSqlite, SqliteStores } from './sqlite/sqlite-stores.ts';
import { startStorageThreads } from './sqlite/storage-threads.ts';
import type { StorageThread } from './storage-thread.ts';

/** The settings that locate the stores. */
type StorageSettings = Pick<Config, 'state' | 'artifacts'>;

interface Outside {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  /** Reports that the index of the job search failed. Searches are slower without the index. */
  readonly onIndexFailure: (error: unknown) => void;
  /**
   * Called once if a storage thread has ended by itself. Acknowledged writes are durable, and all later calls are rejected, so
   * the process must end.
   */
  readonly onThreadFailure?: ((error: unknown) => void) | undefined;
  /**
   * True (the default) if the database is opened on separate threads. False if the database is opened on the caller's thread,
   * which waits for the disk at each commit.
   */
  readonly thread?: boolean;
}

/** All stores, each behind its port. */
export interface Stores extends Omit<SqliteStores, 'lease' | 'health'> {
  readonly search: JobSearch;
  readonly notices: JobNotices;
  readonly progress: JobProgressStore;
  readonly artifactFiles: ArtifactFiles;
  readonly storedInputs: StoredInputFiles;
  /** The slots of limits that hold for all replicas. Undefined if this process is the only one. */
  readonly permits: Permits | undefined;
  openReplay(policies: ReplayPolicies): ReplayStore;
  /** 32 random bytes, created with the state. Used as the key for all values that must not be guessed or forged. */
  readonly secret: Uint8Array;
  /** Renews the lease that shows other processes that the rows of this process are not abandoned. */
  readonly leaseRenewal: Task;
  /** Resolves with true if the state can be read and written. After a rejected write, tries to write as much as a job needs. */
  probe(): Promise<boolean>;
  /** Resolves with the number of bytes that the state uses, and with the size of its file. */
  sizes(): Promise<{ readonly logicalBytes: number; readonly physicalBytes: number }>;
  /** Resolves when all pending writes are durable and all stores are closed. */
  close(): Promise<void>;
}

const LEASE_SECS = 180;
const RENEW_EVERY_MS = 60_000;

/** Throws `configuration` if `openStores` would reject the existing state or artifacts. Changes nothing. */
export async function refuseForeignStores(settings: StorageSettings): Promise<void> {
  await inspectState(settings).refuseForeign();
  refuseArtifactRoot(settings.artifacts.root);
  await refuseLostState(settings);
}

/**
 * Throws `configuration` if the state has lost its content although there are artifacts, because a new state would not list the
 * artifacts. Changes nothing.
 */
export async function refuseLostState({ state, artifacts }: StorageSettings): Promise<void> {
  const { findLoss, restoreCommand } = inspectState({ state });
  const loss = await findLoss();
  if (loss === undefined || !hasArtifacts(artifacts.root)) return;
  throw new BridgeError(
    'configuration',
    `state.directory: ${loss}, but ${resolve(artifacts.root)} contains artifacts; restore a backup with: ${restoreCommand} (or remove the empty file to start without the artifacts)`,
  );
}

/**
 * Converts an error caused by a damaged page to an error that names the database and the remedy. Returns any other error
 * unchanged.
 */
export function nameDamage(thrown: unknown, { state }: Pick<StorageSettings, 'state'>): unknown {
  return isDamage(thrown) ? toOpenError(thrown, stateDatabaseFile(state.directory)) : thrown;
}

/**
 * Opens every store in the newest format, and creates missing stores. The state directory must be locked for this process,
 * because afterwards all rows of other processes count as abandoned. Throws `configuration` or `overloaded`.
 */
export function openStores(settings: StorageSettings, outside: Outside): Promise<Stores> {
  return startStorage(outside).open(settings, outside);
}

/**
 * Starts the storage thread before the stores are opened, unless the caller has `started` the thread. `open` opens the stores as
 * `openStores` does. `close` ends the thread if the stores are not opened.
 */
export function startStorage(
  { thread = true }: Pick<Outside, 'thread'> = {},
  started?: StorageThread,
) {
  const threads = thread ? startStorageThreads(started) : undefined;
  return {
    async open(settings: StorageSettings, outside: Outside): Promise<Stores> {
      const { ids, onThreadFailure: onFailure = () => {} } = outside;
      const file = stateDatabaseFile(settings.state.directory);
      const database = threads
        ? await threads.open({ file, onFailure })
        : await (await import('./sqlite/sqlite-stores.ts')).openOnThisThread({ file, ids });
      try {
        return await createStores(settings, database, outside);
      } catch (error) {
        await database.close();
        throw error;
      }
    },

    close: async (): Promise<void> => threads?.close(),
  };
}

async function createStores(
  { state, artifacts: { root, permissions } }: StorageSettings,
  { stores: { lease, health, ...stores }, secret, close }: OpenSqlite,
  { clock, onIndexFailure }: Pick<Outside, 'clock' | 'onIndexFailure'>,
): Promise<Stores> {
  const leaseEnd = () => nowSecs(clock) + LEASE_SECS;
  await lease.begin(leaseEnd());
  const { byStatus } = await stores.jobs.totals();
  const jobs = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const stateFile = stateDatabaseFile(state.directory);
  const files = { stateFile, indexFile: searchIndexFile(stateFile) };
  const search = createJobSearch({ files, jobs, onFailure: onIndexFailure });
  return {
    ...stores,
    ...withJobNotices({ jobs: reportingTo(search, stores.jobs), queue: stores.queue }),
    search,
    artifactFiles: createArtifactFiles({ root, permissions, clock }),
    storedInputs: createStoredInputFiles({ ...state, clock }),
    permits: undefined,
    openReplay: (policies) => createMemoryReplayStore({ clock, policies }),
    secret,
    leaseRenewal: {
      name: 'lease-renewal',
      everyMs: RENEW_EVERY_MS,
      run: () => lease.renew(leaseEnd()),
    },
    probe: () => health.probe().catch(() => false),
    sizes: health.sizes,
    async close() {
      await search.close();
      await close();
    },
  };
}
