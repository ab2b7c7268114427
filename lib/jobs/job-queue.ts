import type { TraceLog } from '../log/trace-log.ts';
import { abortable } from '../platform/abortable.ts';
import { type Clock, nowSecs, sleep } from '../platform/clock.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import type { LiveJobs } from './streams/live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'claim'>;
  readonly live: Pick<LiveJobs, 'claim'>;
  /** False while a job's images could not be kept. */
  readonly canPublish: () => boolean;
  /** Ends the jobs that must not be claimed; awaited before each claim. Undefined if there are none. */
  readonly beforeClaim: () => Promise<void> | undefined;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
}

// After a claim that the store refused, or while nothing can be published.
const RETRY_MS = 1000;

export type JobQueue = ReturnType<typeof createJobQueue>;

/** Hands out queued jobs in the order of the store. Waiting workers are woken; nothing polls. */
export function createJobQueue({ store, live, canPublish, beforeClaim, log, clock }: Deps) {
  const waiting = new Set<() => void>();
  let wakes = 0;
  let isRefused = false;

  /** No request waits for a claim, so there is no reply to fail. Only the first refusal in a row is reported. */
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
    /** To be called after each commit that has added a job. */
    wake(): void {
      wakes += 1;
      const [first] = waiting;
      if (first === undefined) return;
      waiting.delete(first);
      first();
    },

    /** To be called when jobs that were added before may be claimed again. */
    wakeAll(): void {
      wakes += 1;
      for (const wake of waiting) wake();
      waiting.clear();
    },

    /** A job that runs from now on, as soon as there is one. Rejects with the signal's reason on abort. */
    async next(signal: AbortSignal): Promise<JobRecord> {
      for (;;) {
        signal.throwIfAborted();
        if (!canPublish()) {
          // The job would pay for images that are lost. It stays queued.
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
        // A job that was added during this claim has woken no worker.
        if (wakes === before) await untilWoken(signal);
      }
    },
  };
}
