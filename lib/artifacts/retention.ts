import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRoot } from './artifact-root.ts';
import type { ArtifactPosition, ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import { isUnavailable } from './patience.ts';
import { removeFiles } from './published-files.ts';
import type { Publisher } from './publisher.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'listByAge' | 'withdraw' | 'publish' | 'discard'>;
  readonly files: Pick<ArtifactFiles, 'remove'>;
  readonly artifactRoot: Pick<ArtifactRoot, 'findLoss'>;
  /** Removes artifacts from the cache. */
  readonly forget: (records: readonly ArtifactRecord[]) => void;
  readonly publisher: Pick<Publisher, 'discard' | 'recover'>;
  readonly clock: Clock;
  /** Setting `artifacts.retention.max_age_secs`. If the value is 0, artifacts are kept for ever. */
  readonly maxAgeSecs: number;
}

// A sweep and the wait for the next sweep together take less than a minute, as docs/contract.md, section 6 promises.
const SWEEP_EVERY_MS = 30_000;
// The number of artifacts that are withdrawn together before their files are removed.
const BATCH = 32;

/** Creates the task that removes expired artifacts and the remains of unfinished publications. */
export function createArtifactRetention(deps: Deps) {
  const { store, files, artifactRoot, forget, publisher, clock, maxAgeSecs } = deps;

  /**
   * Removes a batch of artifacts, except those that another process is removing. The rows first become intents. As intents, the
   * artifacts are no longer found, and after a crash they are removed like any uncommitted publication. The rows are deleted
   * last, so that no published file is ever without a row. Resolves with the errors of the file system.
   */
  async function remove(batch: readonly ArtifactRecord[], signal: AbortSignal): Promise<unknown[]> {
    const taken = new Set(idsOf(await store.withdraw(idsOf(batch))));
    const withdrawn = batch.filter(({ id }) => taken.has(id));
    forget(batch);
    try {
      return await removeWithdrawn(withdrawn, signal);
    } catch (failure) {
      // If the store fails again, `publisher.recover` removes the artifacts later.
      await publisher.discard(withdrawn.map((record) => ({ record }))).catch(() => undefined);
      throw failure;
    }
  }

  /** Removes the files, then the rows. A file that is no longer the published file is kept, but its row is deleted. */
  async function removeWithdrawn(
    withdrawn: readonly ArtifactRecord[],
    signal: AbortSignal,
  ): Promise<unknown[]> {
    const removed: ArtifactRecord[] = [];
    const failures: unknown[] = [];
    // One file after the other, because a sync occupies one of the few threads that all file operations share.
    for (const record of withdrawn) {
      if (signal.aborted) break;
      await removeFiles(files, record).then(
        () => removed.push(record),
        (failure) => failures.push(failure),
      );
      // The next file could not be removed either, and each try takes as long as the time-out.
      if (isUnavailable(failures.at(-1))) break;
    }
    await store.discard(idsOf(removed));
    // Artifacts that were not removed are probably complete and are published again. The next sweep retries their removal.
    await store.publish(idsOf(withdrawn.filter((record) => !removed.includes(record))));
    return failures;
  }

  async function removeOld(signal: AbortSignal): Promise<unknown[]> {
    const loss = await artifactRoot.findLoss();
    if (loss) return [loss];
    if (maxAgeSecs === 0) return [];
    const untilSecs = nowSecs(clock) - maxAgeSecs;
    const failures: unknown[] = [];
    let after: ArtifactPosition | undefined;
    while (!signal.aborted) {
      const batch = await store.listByAge({ untilSecs, after, limit: BATCH });
      after = batch.at(-1);
      if (after === undefined) break;
      const lostSince = await artifactRoot.findLoss();
      if (lostSince) return [lostSince];
      failures.push(...(await remove(batch, signal)));
    }
    return failures;
  }

  return {
    /**
     * The task that removes all expired artifacts in small batches, oldest first. Throws `overloaded` if the store fails.
     * Throws `artifact` without any change if the artifact root is missing. Throws `artifact` at the end if a file could not be
     * removed.
     */
    sweep: {
      name: 'artifact-retention',
      everyMs: SWEEP_EVERY_MS,
      async run(signal: AbortSignal): Promise<void> {
        if (signal.aborted) return;
        const leftovers = await publisher.recover().then(() => [], onlyArtifact);
        const failures = [...leftovers, ...(await removeOld(signal))];
        if (failures.length > 0) throw failures[0];
      },
    },
  };
}

/** Returns the error in a list if it is an `artifact` error, which concerns one file. Rethrows any other error. */
function onlyArtifact(error: unknown): unknown[] {
  if (error instanceof BridgeError && error.code === 'artifact') return [error];
  throw error;
}

function idsOf(records: readonly ArtifactRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}
