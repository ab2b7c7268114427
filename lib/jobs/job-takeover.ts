import type { ArtifactRecord } from '../artifacts/artifact-store-port.ts';
import { toStoredError } from '../errors/error-body.ts';
import { interruption } from '../errors/interruption.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs, sleep } from '../platform/clock.ts';
import type { Usage } from '../usage/usage.ts';
import type { JobProgress } from './job-notices-port.ts';
import type { AbandonedEnd, JobStore, ResumedJob } from './job-store-port.ts';
import type { LiveJobs } from './live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'listAbandonedOutputs' | 'resumeAbandoned' | 'interruptAbandoned'>;
  readonly live: Pick<LiveJobs, 'claim'>;
  readonly publisher: {
    /** Completes publications of ended processes. Resolves with the ids of the complete publications. */
    finish(records: readonly ArtifactRecord[]): Promise<readonly string[]>;
  };
  readonly usage: Pick<Usage, 'recover'>;
  /** Runs a resumed job. Never rejects. */
  readonly run: (resumed: ResumedJob) => Promise<void>;
  /** Stops the jobs of this process whose cancellation is requested. */
  readonly stopCancelled: () => Promise<void>;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
}

/** The first progress of a resumed job. Its partial images were lost with the earlier process. */
const RESUMED_PROGRESS: JobProgress = {
  stage: 'dispatched',
  partial_images: 0,
  finished_images: 0,
};
// The wait in milliseconds after the store could not be read or written.
const RETRY_MS = 1000;

/**
 * Takes over the jobs that ended processes left running. A job with a ticket continues here, and every other job ends as
 * `interrupted`, because an output that may have been sent is never sent again. A resumed job needs no worker: its tasks already
 * run, and their results may be kept only for minutes.
 */
export function createJobTakeover(deps: Deps) {
  const { store, live, publisher, usage, run, stopCancelled, log, clock } = deps;
  const running = new Set<Promise<void>>();
  /** Aborts when no further job is resumed. Undefined while this process runs no jobs. */
  let serving: AbortSignal | undefined;

  const resumes = () => serving !== undefined && !serving.aborted;

  async function resumeAll(end: AbandonedEnd): Promise<void> {
    while (resumes()) {
      const resumed = await live.claim(
        () => store.resumeAbandoned(end),
        ({ job }) => job,
        RESUMED_PROGRESS,
      );
      if (!resumed) return;
      const ended = run(resumed).finally(() => running.delete(ended));
      running.add(ended);
      if (resumed.job.cancelRequested) await stopCancelled();
    }
  }

  async function takeOver(): Promise<void> {
    // The takeover of artifacts removes the files of unfinished publications, which belong to no result.
    const publications = await publisher.finish(await store.listAbandonedOutputs());
    const end = { atSecs: nowSecs(clock), error: toStoredError(interruption()), publications };
    await resumeAll(end);
    await store.interruptAbandoned(end);
    await usage.recover();
  }

  return {
    /** Ends jobs and accounts of ended processes, and resumes jobs with tickets if `serveResumed` has been called. */
    takeOver,

    /**
     * Lets `takeOver` resume jobs, and repeats the takeover until the store can be used. Resolves after the signal has aborted and
     * all resumed jobs have ended or have been left to another process.
     */
    async serveResumed(signal: AbortSignal): Promise<void> {
      serving = signal;
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        try {
          await takeOver();
          break;
        } catch (thrown) {
          if (attempt === 1) log.failure(thrown, { task: 'takeover' });
          await sleep(clock, RETRY_MS, signal).catch(() => {});
        }
      }
      await untilAborted(signal);
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
