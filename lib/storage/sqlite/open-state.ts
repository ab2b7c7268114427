import type { Config } from '../../config/settings/settings.ts';
import { type Clock, nowSecs } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { createMemoryReplayStore } from '../memory/replay-store.ts';
import type { StorageThread } from '../storage-thread.ts';
import type { StateStores } from '../stores.ts';
import { stateDatabaseFile } from './database.ts';
import { withJobNotices } from './job-notices.ts';
import { createJobSearch, reportingTo, searchIndexFile } from './search/job-search.ts';
import type { OpenSqlite } from './sqlite-stores.ts';
import { startStorageThreads } from './storage-threads.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
  readonly onIndexFailure: (error: unknown) => void;
  readonly onThreadFailure?: ((error: unknown) => void) | undefined;
}

const LEASE_SECS = 180;
const RENEW_EVERY_MS = 60_000;

/**
 * Starts the thread of the database, unless the caller has `started` the thread. With `thread` false, the database is opened on
 * the caller's thread.
 */
export function startSqlite(thread: boolean, started?: StorageThread) {
  const threads = thread ? startStorageThreads(started) : undefined;
  return {
    /** Opens the database in the newest format, or creates the database. Throws `configuration` or `overloaded`. */
    async open(
      { directory }: Pick<Config['state'], 'directory'>,
      outside: Outside,
    ): Promise<StateStores> {
      const { ids, onThreadFailure: onFailure = () => {} } = outside;
      const file = stateDatabaseFile(directory);
      const database = threads
        ? await threads.open({ file, onFailure })
        : await (await import('./sqlite-stores.ts')).openOnThisThread({ file, ids });
      try {
        return await createStores(file, database, outside);
      } catch (error) {
        await database.close();
        throw error;
      }
    },

    /** Ends the thread if `open` was not called. */
    close: async (): Promise<void> => threads?.close(),
  };
}

async function createStores(
  stateFile: string,
  { stores: { lease, health, ...stores }, secret, close }: OpenSqlite,
  { clock, onIndexFailure: onFailure }: Pick<Outside, 'clock' | 'onIndexFailure'>,
): Promise<StateStores> {
  const leaseEnd = () => nowSecs(clock) + LEASE_SECS;
  await lease.begin(leaseEnd());
  const { byStatus } = await stores.jobs.totals();
  const jobs = Object.values(byStatus).reduce((sum, count) => sum + count, 0);
  const files = { stateFile, indexFile: searchIndexFile(stateFile) };
  const search = createJobSearch({ files, jobs, onFailure });
  return {
    ...stores,
    ...withJobNotices({ jobs: reportingTo(search, stores.jobs), queue: stores.queue }),
    search,
    permits: undefined,
    login: undefined,
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
