import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRoot } from './artifact-root.ts';
import type { ArtifactPosition, ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import { removeFiles } from './remove-files.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'listByAge' | 'withdraw' | 'publish' | 'discard'>;
  readonly files: Pick<ArtifactFiles, 'remove'>;
  readonly artifactRoot: Pick<ArtifactRoot, 'findLoss'>;
  /** Frees what is held of artifacts in memory. */
  readonly forget: (records: readonly ArtifactRecord[]) => void;
  /** Removes what publications have left that were never committed. Throws `artifact`, `overloaded`. */
  readonly recover: () => Promise<void>;
  readonly clock: Clock;
  /** `artifacts.retention.max_age_secs`; 0 keeps for ever. */
  readonly maxAgeSecs: number;
}

// A sweep and the wait for the next one together stay within the minute of contract.md 6.
const SWEEP_EVERY_MS = 30_000;
// How many artifacts are withdrawn at once and not yet removed.
const BATCH = 32;

/** Removes artifacts whose time has come, and what unfinished publications have left. */
export function createArtifactRetention(deps: Deps) {
  const { store, files, artifactRoot, forget, recover, clock, maxAgeSecs } = deps;

  /**
   * The rows become intents first: from then on no artifact is found, and after a crash the next start removes them like
   * any publication that was not committed. The rows go last: no file of ours is ever without one. A file that is no
   * longer what was published stays, and its row goes. Returns the failures of the file system.
   */
  async function remove(batch: readonly ArtifactRecord[], signal: AbortSignal): Promise<unknown[]> {
    await store.withdraw(idsOf(batch));
    forget(batch);
    const removed: ArtifactRecord[] = [];
    const kept: ArtifactRecord[] = [];
    const failures: unknown[] = [];
    // One after the other: a sync holds one of the few threads that every other file operation waits for.
    for (const record of batch) {
      if (signal.aborted) {
        kept.push(record);
        continue;
      }
      await removeFiles(files, record).then(
        () => removed.push(record),
        (failure) => {
          kept.push(record);
          failures.push(failure);
        },
      );
    }
    await store.discard(idsOf(removed));
    // Still whole as far as anybody knows: the next sweep tries again.
    await store.publish(idsOf(kept));
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
     * A task: goes once through all that is too old, in small batches, oldest first. Throws `overloaded`, and `artifact`
     * when the artifact root is missing, which changes nothing, or when at the end a file could not be removed.
     */
    sweep: {
      name: 'artifact-retention',
      everyMs: SWEEP_EVERY_MS,
      async run(signal: AbortSignal): Promise<void> {
        if (signal.aborted) return;
        const leftovers = await recover().then(() => [], onlyArtifact);
        const failures = [...leftovers, ...(await removeOld(signal))];
        if (failures.length > 0) throw failures[0];
      },
    },
  };
}

/** The failure of a file; rethrows any other. */
function onlyArtifact(error: unknown): unknown[] {
  if (error instanceof BridgeError && error.code === 'artifact') return [error];
  throw error;
}

function idsOf(records: readonly ArtifactRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}
