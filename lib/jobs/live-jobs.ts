import type { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedEvent } from '../generation/generation-events.ts';
import type {
  JobPartial,
  JobProgress,
  JobProgressEvent,
  JobProgressStore,
} from './job-notices-port.ts';
import type { InFlight, JobKey } from './job-store-port.ts';

interface State {
  readonly controller: AbortController;
  readonly calls: AbortController;
  progress: JobProgress;
}

const FIRST_PROGRESS: JobProgress = { stage: 'queued', partial_images: 0, finished_images: 0 };
// The maximum size of a preview. A larger preview is discarded, because previews are used only for display.
const MAX_PARTIAL_BYTES = 16 * 1024 * 1024;

export type LiveJobs = ReturnType<typeof createLiveJobs>;
/** A job that runs in this process. */
export type LiveJob = ReturnType<LiveJobs['begin']>;

/** Registers the running jobs of this process with the signals that stop them, and reports their progress. */
export function createLiveJobs(store: Pick<JobProgressStore, 'begin' | 'report' | 'remove'>) {
  const live = new Map<string, State>();
  const claims = new Set<Promise<unknown>>();
  let stopReason: BridgeError | undefined;

  function enter(job: JobKey, progress = FIRST_PROGRESS): State {
    const state: State = {
      controller: new AbortController(),
      calls: new AbortController(),
      progress,
    };
    if (stopReason) state.controller.abort(stopReason);
    live.set(job.id, state);
    store.begin(job, state.progress);
    return state;
  }

  function note(job: JobKey, state: State, event: VerifiedEvent): void {
    const before = state.progress;
    const { progress, ...shown } = takeIn(before, event);
    state.progress = progress;
    const isAdvanced =
      progress.stage !== before.stage || progress.partial_images !== before.partial_images;
    if (isAdvanced) store.report(job, { progress, ...shown });
    else if (shown.event) store.report(job, shown);
  }

  return {
    /**
     * Settles as the given `claim` settles. The claimed job counts as running in this process as soon as the claim resolves.
     * `jobOf` returns undefined if the job has already ended. `progress` is the first progress of the job.
     */
    async claim<T>(
      claim: () => Promise<T | undefined>,
      jobOf: (claimed: T) => JobKey | undefined,
      progress = FIRST_PROGRESS,
    ): Promise<T | undefined> {
      const claiming = claim().then((claimed) => {
        const job = claimed && jobOf(claimed);
        if (job) enter(job, progress);
        return claimed;
      });
      claims.add(claiming);
      return claiming.finally(() => claims.delete(claiming));
    },

    begin(job: JobKey) {
      const { id } = job;
      const state = live.get(id) ?? enter(job);
      return {
        /** Aborts when the job must end. The reason of the signal is the reason for the end. */
        signal: state.controller.signal,
        /** Aborts when nothing further may be sent to a provider. */
        noMoreCalls: state.calls.signal,
        /** Records and reports an event. */
        note: (event: VerifiedEvent) => note(job, state, event),
        /** Records the number of finished images. Does nothing after the end of the job. */
        noteFinished(count: number): void {
          if (live.get(id) !== state || count === state.progress.finished_images) return;
          state.progress = { ...state.progress, finished_images: count };
          store.report(job, { progress: state.progress });
        },
        /** Must be called when the end of the job is durable or can no longer become durable. */
        end(): void {
          live.delete(id);
          store.remove(job);
        },
      };
    },

    /** Returns true if no job runs in this process and no claim is in progress. */
    isIdle: () => live.size + claims.size === 0,

    /**
     * Stops a running job of this process, either immediately or after its calls in flight have ended. Resolves with false if the
     * job does not run in this process.
     */
    async stop(id: string, reason: BridgeError, inFlight: InFlight): Promise<boolean> {
      // The store may list a job as running before the claim of the job has resolved here.
      if (!live.has(id)) await Promise.allSettled(claims);
      const state = live.get(id);
      state?.calls.abort(reason);
      if (inFlight === 'stop') state?.controller.abort(reason);
      return state !== undefined;
    },

    /** Stops all running jobs, and every job that begins later. */
    stopAll(reason: BridgeError): void {
      stopReason = reason;
      for (const { controller } of live.values()) controller.abort(reason);
    },

    size: () => live.size,
  };
}

/**
 * Returns the progress after an event, the event without image bytes, and the partial image. A partial image that is too large is
 * only counted.
 */
function takeIn(
  before: JobProgress,
  event: VerifiedEvent,
): { progress: JobProgress; event?: JobProgressEvent; partial?: JobPartial } {
  if (event.type === 'progress') {
    return { progress: { ...before, stage: event.stage }, event };
  }
  const progress = { ...before, partial_images: before.partial_images + 1 };
  const { type, index, image, partialIndex } = event;
  const { bytes, format, width, height } = image;
  if (bytes.length > MAX_PARTIAL_BYTES) return { progress };
  return {
    progress,
    event: { type, index, partial_index: partialIndex, width, height },
    partial: { image: { bytes, format }, partialIndex },
  };
}
