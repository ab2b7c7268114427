import type { ArtifactRecord } from '../../lib/artifacts/artifact-store-port.ts';
import { type Clock, systemClock } from '../../lib/platform/clock.ts';
import { createIds, type Ids } from '../../lib/platform/ids.ts';
import { createArtifactFiles } from '../../lib/storage/file-system/artifact-files.ts';
import { createStoredInputFiles } from '../../lib/storage/file-system/stored-input-files.ts';
import { createMemoryReplayStore } from '../../lib/storage/memory/replay-store.ts';
import type { Stores } from '../../lib/storage/open-stores.ts';
import { withJobNotices } from '../../lib/storage/sqlite/job-notices.ts';
import { IS_SCALED } from './drivers.ts';

interface Options {
  readonly clock?: Clock;
  readonly ids?: Pick<Ids, 'newOpaqueId'>;
  /** The folder of a state that outlives this object. By default the state is new and has no stored inputs. */
  readonly directory?: string;
  /** The folder of the artifacts. By default a folder that does not exist. */
  readonly root?: string;
}

const NO_FOLDER = '/nonexistent';

export type TestStores = Awaited<ReturnType<typeof openTestStores>>;

type StateStores = Pick<
  Stores,
  | 'jobs'
  | 'history'
  | 'queue'
  | 'presets'
  | 'sessions'
  | 'ledger'
  | 'usage'
  | 'billing'
  | 'batches'
  | 'webhooks'
  | 'artifacts'
>;

/** The open state of a test, in the database of one driver. */
export interface OpenState
  extends StateStores,
    Pick<Stores, 'secret' | 'probe' | 'sizes' | 'close'> {
  /** Returns the artifacts and the jobs as another process sees them that opens the same state after this process has ended. */
  ofNextProcess(): Promise<Pick<Stores, 'artifacts' | 'jobs'>>;
  readonly state: StateAccess;
}

/** Reads and damages the stored state, in ways that no port allows. */
interface StateAccess {
  /** Makes every later write fail, or succeed again. */
  setReadOnly(isOn: boolean): void;
  /** Resolves with the name, the state and the checksum of each file that an artifact has. */
  listArtifactFiles(): Promise<readonly unknown[]>;
  /** Resolves with the publications of all processes that have begun but not ended. */
  listIntents(): Promise<readonly ArtifactRecord[]>;
  /** Resolves with true if the text is stored with a job. */
  hasJobText(text: string): Promise<boolean>;
  renameArtifacts(name: string): Promise<void>;
  damageJobRequests(): Promise<void>;
  /** Makes all jobs lose the process that they belong to. */
  disownJobs(): Promise<void>;
  /** Makes all open accounts belong to another process. */
  giveAccountsAway(): Promise<void>;
  forgetInput(sha256: string): Promise<void>;
  /** Adds to the number of each change, as if further jobs had changed. */
  skipChanges(count: number): Promise<void>;
  forgetChanges(): Promise<void>;
}

/**
 * Opens real stores for the test of another room. Such a test does not import a driver, so that it runs over each of them: with
 * `STORES=scaled`, the state is in PostgreSQL, otherwise in SQLite. The job search finds nothing; a test that needs it opens the
 * whole application.
 */
export async function openTestStores({
  clock = systemClock,
  ids = createIds(clock.nowMs),
  directory,
  root = NO_FOLDER,
}: Options = {}) {
  const opened = await openState(ids, directory);
  const { jobs, queue, artifacts, state, ofNextProcess, ...others } = opened;
  const stores: Stores = {
    ...others,
    ...withJobNotices({ jobs, queue }),
    artifacts,
    search: { find: async () => ({ sequences: [], more: false }) },
    artifactFiles: createArtifactFiles({ root, clock }),
    storedInputs: createStoredInputFiles({ directory: directory ?? NO_FOLDER, clock }),
    permits: undefined,
    login: undefined,
    openReplay: (policies) => createMemoryReplayStore({ clock, policies }),
    leaseRenewal: { name: 'lease-renewal', everyMs: 60_000, run: async () => {} },
  };
  return {
    ...stores,
    ofNextProcess,
    state,
    /** Opens the files below the root again, without what the first object knows about them. */
    reopenArtifactFiles: () => createArtifactFiles({ root, clock }),
  };
}

async function openState(
  ids: Pick<Ids, 'newOpaqueId'>,
  directory: string | undefined,
): Promise<OpenState> {
  if (IS_SCALED) {
    return (await import('./postgres-state.ts')).openPostgresState(directory);
  }
  return (await import('./sqlite-state.ts')).openSqliteState(ids, directory);
}
