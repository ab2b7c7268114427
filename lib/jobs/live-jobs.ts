import type { ImageJob } from '../contract/resources/job.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { GenerationStage, VerifiedEvent } from '../generation/generation-events.ts';
import type { Clock } from '../platform/clock.ts';
import type { JobRecord, JobStore, UnreadableJob } from './job-store-port.ts';

export type JobProgress = NonNullable<ImageJob['progress']>;

/** A preview that a provider sent before the final image of a running job. */
export interface JobPartial {
  readonly image: Extract<VerifiedEvent, { type: 'partial_image' }>['image'];
  readonly partialIndex: number;
}

/** An event of a running job, without the bytes of images. */
export type JobProgressEvent =
  | { readonly type: 'progress'; readonly stage: GenerationStage; readonly index?: number }
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partial_index: number;
      readonly width: number;
      readonly height: number;
    };

/** The identity of a running job. */
type JobKey = Pick<JobRecord, 'id' | 'scope' | 'sequence'>;

export type JobNotice =
  /** A commit may have changed jobs. The notice does not name the changed jobs; subscribers read the changes from the store. */
  | { readonly type: 'stored' }
  /** The progress in the summary of a running job has changed. */
  | { readonly type: 'advanced'; readonly job: JobKey }
  | { readonly type: 'happened'; readonly id: string; readonly event: JobProgressEvent }
  /** The end of a job is durable, or can no longer become durable. */
  | { readonly type: 'ended'; readonly id: string }
  /** This process no longer runs any job. From now on, only another process can change a job. */
  | { readonly type: 'over' };

/** The treatment of provider calls in flight when their job is cancelled. */
export type InFlight = 'stop' | 'finish';

interface State {
  readonly controller: AbortController;
  readonly calls: AbortController;
  progress: JobProgress;
  partial: JobPartial | undefined;
}

// The maximum size of a preview. A larger preview is discarded, because previews are kept in memory and are used only for
// display.
const MAX_PARTIAL_BYTES = 16 * 1024 * 1024;

export type LiveJobs = ReturnType<typeof createLiveJobs>;
/** A job that runs in this process. */
export type LiveJob = ReturnType<LiveJobs['begin']>;

/**
 * Registers the running jobs of this process. Keeps the state that exists only in memory: the progress of the jobs, their partial
 * images, the signals that stop the jobs, the requests that wait for the end of a job, and the subscribers to notices about
 * changes.
 */
export function createLiveJobs(clock: Clock) {
  const live = new Map<string, State>();
  const notices = createJobNotices(clock);
  const claims = new Set<Promise<unknown>>();
  let stopReason: BridgeError | undefined;

  function enter(id: string): State {
    const state: State = {
      controller: new AbortController(),
      calls: new AbortController(),
      progress: { stage: 'queued', partial_images: 0 },
      partial: undefined,
    };
    if (stopReason) state.controller.abort(stopReason);
    live.set(id, state);
    return state;
  }

  const ended = (id: string) => notices.publish({ type: 'ended', id });

  function note(job: JobKey, state: State, event: VerifiedEvent): void {
    const before = state.progress;
    const shown = takeIn(state, event);
    if (shown) notices.publish({ type: 'happened', id: job.id, event: shown });
    const { stage, partial_images: partials } = state.progress;
    if (stage !== before.stage || partials !== before.partial_images) {
      notices.publish({ type: 'advanced', job });
    }
  }

  return {
    ...notices,

    /** Must be called when the end of a job is durable. */
    ended,

    /** Settles as the given `claim` settles. The claimed job counts as running in this process as soon as the claim resolves. */
    async claim<T extends Pick<JobRecord | UnreadableJob, 'id' | 'request'>>(
      claim: () => Promise<T | undefined>,
    ): Promise<T | undefined> {
      const claiming = claim().then((job) => {
        if (job?.request) enter(job.id);
        return job;
      });
      claims.add(claiming);
      return claiming.finally(() => claims.delete(claiming));
    },

    begin(job: JobKey) {
      const { id } = job;
      const state = live.get(id) ?? enter(id);
      return {
        /** Aborts when the job must end. The reason of the signal is the reason for the end. */
        signal: state.controller.signal,
        /** Aborts when nothing further may be sent to a provider. */
        noMoreCalls: state.calls.signal,
        /** Records an event. Keeps only the latest partial image. */
        note: (event: VerifiedEvent) => note(job, state, event),
        /** Must be called when the end of the job is durable or can no longer become durable. */
        end(): void {
          live.delete(id);
          ended(id);
        },
      };
    },

    progress: (id: string): JobProgress | undefined => live.get(id)?.progress,

    partial: (id: string): JobPartial | undefined => live.get(id)?.partial,

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
 * Updates the state with an event. Returns the event without image bytes. Returns undefined for a partial image that is too
 * large.
 */
function takeIn(state: State, event: VerifiedEvent): JobProgressEvent | undefined {
  const { partial_images: count } = state.progress;
  if (event.type === 'progress') {
    state.progress = { stage: event.stage, partial_images: count };
    return event;
  }
  state.progress = { ...state.progress, partial_images: count + 1 };
  const { type, index, image, partialIndex } = event;
  if (image.bytes.length > MAX_PARTIAL_BYTES) return undefined;
  state.partial = { image, partialIndex };
  return { type, index, partial_index: partialIndex, width: image.width, height: image.height };
}

/** Notifies subscribers of changes to jobs. A subscriber does not receive notices that were published before its subscription. */
function createJobNotices(clock: Clock) {
  const subscribers = new Set<(notice: JobNotice) => void>();
  let isOver = false;

  function publish(notice: JobNotice): void {
    for (const subscriber of subscribers) subscriber(notice);
  }

  /** Returns a function that ends the subscription. */
  function subscribe(subscriber: (notice: JobNotice) => void): () => void {
    subscribers.add(subscriber);
    return () => void subscribers.delete(subscriber);
  }

  return {
    publish,

    subscribe,

    /** Resolves when the job has ended, after `waitMs`, or when the signal aborts, whichever is first. */
    async untilEnded(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted || isOver) return;
      await new Promise<void>((resolve) => {
        const resume = () => {
          cancel();
          unsubscribe();
          signal.removeEventListener('abort', resume);
          resolve();
        };
        const cancel = clock.after(waitMs, resume);
        const unsubscribe = subscribe((notice) => {
          if (notice.type === 'over' || (notice.type === 'ended' && notice.id === id)) resume();
        });
        signal.addEventListener('abort', resume, { once: true });
      });
    },

    /**
     * Must be called when this process no longer runs any job. Ends all waits, because from now on only another process can end
     * a job.
     */
    over(): void {
      isOver = true;
      publish({ type: 'over' });
    },

    isOver: () => isOver,
  };
}

/** Wraps the store so that a notice is published after each commit that may have changed a job. */
export function createPublishingStore(
  store: JobStore,
  { publish }: Pick<LiveJobs, 'publish'>,
): JobStore {
  function published<A extends unknown[], T>(write: (...given: A) => Promise<T>) {
    return async (...given: A): Promise<T> => {
      const written = await write(...given);
      publish({ type: 'stored' });
      return written;
    };
  }

  return {
    ...store,
    submit: published(store.submit),
    claim: published(store.claim),
    settle: published(store.settle),
    cancel: published(store.cancel),
    update: published(store.update),
    prune: published(store.prune),
    interruptAbandoned: published(store.interruptAbandoned),
  };
}
