import type { Config } from '../config/settings/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Task } from '../platform/task.ts';
import type { ArtifactFiles, PublishedFile } from './artifact-files-port.ts';
import type { ArtifactRoot } from './artifact-root.ts';
import type { ArtifactStore } from './artifact-store-port.ts';
import type { StoredObjects } from './stored-objects-port.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'findNames' | 'isEmpty'>;
  readonly files: Pick<ArtifactFiles, 'remove'>;
  readonly objects: StoredObjects;
  readonly artifactRoot: Pick<ArtifactRoot, 'findLoss'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Setting `artifacts.s3.orphans`. */
  readonly orphans: Config['artifacts']['s3']['orphans'];
  /** Reports the number of objects without a record, if there are any. */
  readonly report: (count: number, isRemoved: boolean) => void;
}

const LOOK_EVERY_MS = 3_600_000;
const SWEEP_EVERY_MS = 604_800_000;
// Leaves the operator a week to notice that the database has lost commits. A publication in progress has a record.
const LEAST_AGE_MS = 604_800_000;

/**
 * Creates the task that looks once a week for objects of the bridge without a record: neither an artifact nor a publication that
 * has not ended. Such objects remain if the database loses commits or is restored, or if a move to another database is abandoned.
 */
export function createOrphanSweep(deps: Deps): Task {
  const { store, files, objects, artifactRoot, clock, orphans, report } = deps;

  async function* listOrphans(): AsyncGenerator<PublishedFile> {
    for await (const names of objects.list(clock.nowMs() - LEAST_AGE_MS)) {
      const recorded = await store.findNames(names);
      for (const name of names) {
        const file = recorded.has(name) ? undefined : await objects.find(name);
        if (file !== undefined) yield file;
      }
    }
  }

  return {
    name: 'orphan-sweep',
    everyMs: LOOK_EVERY_MS,
    async run(signal) {
      const loss = await artifactRoot.findLoss();
      if (loss) throw loss;
      if (!(await objects.beginSweep(SWEEP_EVERY_MS))) return;
      // With an empty database, all images would be orphans. The bridge is then probably connected to the wrong database.
      const isRemoved = orphans === 'remove' && !(await store.isEmpty());
      let count = 0;
      for await (const file of listOrphans()) {
        if (signal.aborted) break;
        if (isRemoved) await files.remove(file);
        count += 1;
      }
      if (count > 0) report(count, isRemoved);
    },
  };
}
