import type { TraceLog } from '../log/trace-log.ts';
import { abortable } from '../platform/abortable.ts';
import { type Clock, nowSecs, sleep } from '../platform/clock.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import type { LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'claim'>;
  readonly live: Pick<LiveJobs, 'claim'>;
  /** False while the images of a job could not be stored. */
  readonly canPublish: () => boolean;
  /** Ends the jobs that must not be claimed. Awaited before each claim. Returns undefined if there is nothing to do. */
  readonly beforeClaim: () => Promise<void> | undefined;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
}

// The wait after a claim that failed, and while nothing can be published.
const RETRY_MS = 1000;

export type JobQueue = ReturnType<typeof createJobQueue>;

/** Claims queued jobs for workers, in the order of the store. Idle workers wait until they are woken; they do not poll. */
export function createJobQueue({ store, live, canPublish, beforeClaim, log, clock }: Deps) {
  const waiting = new Set<() => void>();
  let wakes = 0;
  let isRefused = false;

  /** Reports the first failed claim in a row to the log, because no request waits for a claim. */
  function noteRefusal(thrown: unknown): void {
    if (!isRefused) log.failure(thrown, { task: 'job-claim' });
    isRefused = true;
  }

  function untilWoken(signal: AbortSignal): Promise<void> {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    waiting.add(wake);
    return abortable(woken, signal).finally(() => waiting.delete(wake));
  }

  return {
    /** Wakes one worker. Must be called after each commit that adds a job. */
    wake(): void {
      wakes += 1;
      const [first] = waiting;
      if (first === undefined) return;
      waiting.delete(first);
      first();
    },

    /** Wakes all workers. Must be called when queued jobs may be claimed again after a pause. */
    wakeAll(): void {
      wakes += 1;
      for (const wake of waiting) wake();
      waiting.clear();
    },

    /** Waits for a job and claims it. Throws the reason of the signal if it aborts. */
    async next(signal: AbortSignal): Promise<JobRecord> {
      for (;;) {
        signal.throwIfAborted();
        if (!canPublish()) {
          // The job stays queued, because its images would be paid for and lost.
          await sleep(clock, RETRY_MS, signal);
          continue;
        }
        const before = wakes;
        try {
          const ending = beforeClaim();
          if (ending) await ending;
          const job = await live.claim(() => store.claim(nowSecs(clock)));
          isRefused = false;
          if (job) return job;
        } catch (thrown) {
          noteRefusal(thrown);
          await sleep(clock, RETRY_MS, signal);
          continue;
        }
        // If a job was added during this claim, no worker was waiting to be woken: claim again.
        if (wakes === before) await untilWoken(signal);
      }
    },
  };
}
