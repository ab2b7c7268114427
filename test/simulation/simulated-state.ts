import { join } from 'node:path';
import type { JobStore } from '../../lib/jobs/job-store-port.ts';
import { openStores } from '../../lib/storage/open-stores.ts';
import type { StateDatabase } from '../../lib/storage/sqlite/database.ts';
import { createSeeded } from '../support/seeded.ts';
import type { SimulatedState } from './bridge.ts';
import type { MemoryDisk } from './memory-files.ts';
import { createSharedState } from './replicas/shared-state.ts';
import type { Turns } from './turns.ts';
import type { VirtualClock } from './virtual-clock.ts';

const LOOK_EVERY_MS = 10_000;
const LONGEST_NOTICE_MS = 300;
const IS_FOREIGN = "SELECT 1 FROM job WHERE seq = ? AND status = 'running' AND owner <> ?";

/** Creates the state of a single bridge: the SQLite driver, which each process opens again. */
export function createOwnState(disk: MemoryDisk, turns: Turns): SimulatedState {
  const { artifactFiles, storedInputs } = disk;
  return {
    isShared: false,
    async open(settings, outside) {
      const stores = await turns.outside(() => openStores(settings, { ...outside, thread: false }));
      return { stores: { ...stores, artifactFiles, storedInputs } };
    },
  };
}

interface Deps {
  readonly seed: number;
  readonly folder: string;
  readonly leaseMs: number;
  readonly disk: MemoryDisk;
  readonly clock: VirtualClock;
  /** Reports something that must never happen. */
  readonly violate: (violation: string) => void;
}

/** Creates the state that several replicas share, and opens it for each of them. */
export function createReplicatedState({ seed, folder, leaseMs, disk, clock, violate }: Deps) {
  const random = createSeeded(seed ^ 0x5a7e);
  const newOpaqueId = () => Array.from({ length: 32 }, () => random.next(16).toString(16)).join('');
  const shared = createSharedState({
    file: join(folder, 'bridge.sqlite'),
    clock,
    ids: { newOpaqueId },
  });
  const { database } = shared;
  const foreign = database.prepare(IS_FOREIGN);

  return {
    /** Opens the state for one replica. Its notices are lost while `isDeaf` returns true. */
    openReplica: (isDeaf: () => boolean): SimulatedState => ({
      isShared: true,
      async open(_settings, { clock: own }, faults) {
        faults.refuseCut();
        const owner = newOpaqueId();
        const stores = shared.open({
          ...{ owner, clock: own, leaseMs, lookEveryMs: LOOK_EVERY_MS },
          noticeDelayMs: () =>
            isDeaf() || random.next(20) === 0 ? undefined : random.next(LONGEST_NOTICE_MS),
          ...faults,
        });
        await stores.leaseRenewal.run(new AbortController().signal);
        const isForeign = (sequence: number) => foreign.get(sequence, owner) !== undefined;
        return {
          stores: {
            ...stores,
            jobs: watchEnds(stores.jobs, { database, isForeign, violate }),
            search: NO_SEARCH,
            artifactFiles: { ...disk.artifactFiles, isShared: true },
            storedInputs: disk.shareInputs(own),
          },
          leave: () => shared.end(owner),
        };
      },
    }),

    close: shared.close,
  };
}

interface Watch extends Pick<Deps, 'violate'> {
  readonly database: Pick<StateDatabase, 'write'>;
  /** Returns true if a running job belongs to another replica. */
  isForeign(sequence: number): boolean;
}

/** Checks that a replica ends only jobs that belong to the replica. */
function watchEnds(jobs: JobStore, { database, isForeign, violate }: Watch): JobStore {
  return {
    ...jobs,
    async settle(sequence, end) {
      // Both run in one transaction, so that no other replica takes over the job between them.
      const [wasForeign, isEnded] = await Promise.all([
        database.write(() => isForeign(sequence)),
        jobs.settle(sequence, end),
      ]);
      if (wasForeign && isEnded) violate(`a replica has ended job ${sequence} of another replica`);
      return isEnded;
    },
  };
}

/** No simulated client searches. */
const NO_SEARCH = {
  find: () => Promise.reject(new Error('the simulated replicas have no search')),
};
