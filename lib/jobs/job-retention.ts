import type { Config } from '../config/settings/settings.ts';
import { toBridgeError } from '../errors/bridge-error.ts';
import type { StoredInputs } from '../inputs/stored-inputs.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { JobRetention, JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'prune'>;
  readonly inputs: Pick<StoredInputs, 'isShared' | 'removeUnneeded' | 'sweep'>;
  readonly clock: Clock;
  /** The settings of `server.jobs`. */
  readonly limits: Pick<
    Config['server']['jobs'],
    'retention_secs' | 'max_retained' | 'max_retained_bytes'
  >;
}

// An expired job must be removed within one minute. A sweep and the wait for the next sweep together take less than one minute.
const SWEEP_EVERY_MS = 30_000;
// The number of jobs that one transaction examines. The number is small so that the transaction does not delay requests
// noticeably.
const BATCH = 32;
// Images that several processes use are not removed immediately, so a later sweep looks for them again.
const INPUT_SWEEP_EVERY_MS = 3_600_000;

/**
 * Removes the jobs of the ordinary history that are too old. While the history is too long or too large, also removes jobs of the
 * scopes with the largest histories. Works in small batches between requests. After each batch, removes the stored images that
 * only the removed jobs used. The rows are removed before the images, because a later sweep finds images that remain after a
 * crash.
 */
export function createJobRetention({ store, inputs, clock, limits }: Deps) {
  let isHealthy = true;
  /** True if stored images without a job may exist: from an earlier process, or after a failed removal. */
  let hasLeftovers = true;
  let sweptMs = 0;

  async function removeAll(signal: AbortSignal): Promise<void> {
    const retention = {
      completedBeforeSecs: nowSecs(clock) - limits.retention_secs,
      maxRetained: limits.max_retained,
      maxRetainedBytes: limits.max_retained_bytes,
      batch: BATCH,
    };
    let after: JobRetention['after'];
    while (!signal.aborted) {
      const { releasedInputs, next } = await store.prune({ ...retention, after });
      await inputs.removeUnneeded(releasedInputs).catch((error) => {
        hasLeftovers = true;
        throw error;
      });
      if (!next) return;
      after = next;
    }
  }

  return {
    /** Removes the jobs and images that exceed the limits. Throws `overloaded`, `internal`. */
    sweep: {
      name: 'job-retention',
      everyMs: SWEEP_EVERY_MS,
      async run(signal: AbortSignal): Promise<void> {
        try {
          await removeAll(signal);
          const isDue = inputs.isShared && clock.monotonicMs() - sweptMs >= INPUT_SWEEP_EVERY_MS;
          if ((hasLeftovers || isDue) && !signal.aborted) {
            await inputs.sweep(signal);
            hasLeftovers = false;
            sweptMs = clock.monotonicMs();
          }
          isHealthy = true;
        } catch (error) {
          // `overloaded` does not make the retention unhealthy, because the store itself reports when it rejects writes and when
          // it recovers.
          isHealthy = toBridgeError(error).code === 'overloaded';
          throw error;
        }
      },
    },
    /** False while the history grows because old jobs cannot be removed. */
    isHealthy: () => isHealthy,
  };
}
