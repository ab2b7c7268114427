import { toBridgeError } from '../errors/bridge-error.ts';
import type { StoredInputs } from '../inputs/stored-inputs.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { JobRetention } from './job-retention-port.ts';
import type { JobSearch } from './job-search-port.ts';
import type { JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'prune'>;
  readonly search: Pick<JobSearch, 'removed'>;
  readonly inputs: Pick<StoredInputs, 'removeUnneeded' | 'sweep'>;
  readonly clock: Clock;
  /** Of `server.jobs`. */
  readonly limits: {
    readonly retention_secs: number;
    readonly max_retained: number;
    readonly max_retained_bytes: number;
  };
}

// A sweep and the wait for the next one together stay within the minute of contract.md 6.
const SWEEP_EVERY_MS = 30_000;
// A transaction that no request notices.
const BATCH = 32;

/**
 * Removes the ordinary history that is too old, too long or too large, the largest histories of scopes first, in small batches between requests, and the stored
 * images that only removed jobs came with. The rows go first: an image that is left after a crash is found by a sweep.
 */
export function createJobRetention({ store, search, inputs, clock, limits }: Deps) {
  let isHealthy = true;
  /** Whether stored images may be left that no job came with: from before this process, or of a failed removal. */
  let hasLeftovers = true;

  async function removeAll(signal: AbortSignal): Promise<void> {
    const retention = {
      completedBeforeSecs: nowSecs(clock) - limits.retention_secs,
      maxRetained: limits.max_retained,
      maxRetainedBytes: limits.max_retained_bytes,
      batch: BATCH,
    };
    let after: JobRetention['after'];
    while (!signal.aborted) {
      const { removed, releasedInputs, next } = await store.prune({ ...retention, after });
      if (removed.length > 0) search.removed(removed);
      await removeInputs(releasedInputs);
      if (!next) return;
      after = next;
    }
  }

  async function removeInputs(released: readonly string[]): Promise<void> {
    try {
      await inputs.removeUnneeded(released);
    } catch (error) {
      hasLeftovers = true;
      throw error;
    }
  }

  async function removeLeftovers(signal: AbortSignal): Promise<void> {
    if (!hasLeftovers || signal.aborted) return;
    await inputs.sweep(signal);
    hasLeftovers = false;
  }

  return {
    /** A task. Throws `overloaded`, `internal`. */
    sweep: {
      name: 'job-retention',
      everyMs: SWEEP_EVERY_MS,
      async run(signal: AbortSignal): Promise<void> {
        try {
          await removeAll(signal);
          await removeLeftovers(signal);
          isHealthy = true;
        } catch (error) {
          // A store that refuses is known without a sweep, and so is that it takes writes again.
          isHealthy = toBridgeError(error).code === 'overloaded';
          throw error;
        }
      },
    },
    /** False while the history grows because old jobs cannot be removed. */
    isHealthy: () => isHealthy,
  };
}
