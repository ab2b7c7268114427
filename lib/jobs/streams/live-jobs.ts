import type { ImageJob } from '../../contract/resources/job.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { VerifiedEvent } from '../../generation/generation-events.ts';
import type { Clock } from '../../platform/clock.ts';
import { createJobWaits } from '../job-waits.ts';
import type { JobKey, JobNotices, JobProgressEvent } from './job-notices.ts';

export type JobProgress = NonNullable<ImageJob['progress']>;

/** An image that a running job has shown on its way. */
export interface JobPartial {
  readonly image: Extract<VerifiedEvent, { type: 'partial_image' }>['image'];
  readonly partialIndex: number;
}

/** A job that runs in this process. */
export interface LiveJob {
  /** Aborts with the reason why the job must end. */
  readonly signal: AbortSignal;
  /** Aborts with the reason why nothing further may be sent to a provider. */
  readonly noMoreCalls: AbortSignal;
  /** Takes in what happens in it; of its partial images the latest is kept. */
  note(event: VerifiedEvent): void;
  /** To be called when its end is durable, or cannot become so any more. */
  end(): void;
}

/** The fate of calls that a provider already has when their job is cancelled. */
export type InFlight = 'stop' | 'finish';

interface State {
  readonly controller: AbortController;
  readonly calls: AbortController;
  progress: JobProgress;
  partial: JobPartial | undefined;
}

// A preview is for looking at; what is larger is not kept (specification 8).
const MAX_PARTIAL_BYTES = 16 * 1024 * 1024;

export type LiveJobs = ReturnType<typeof createLiveJobs>;

/** What only memory holds of jobs: their progress, their partial images, how to stop them, which requests wait for them. */
export function createLiveJobs(clock: Clock, { publish }: Pick<JobNotices, 'publish'>) {
  const live = new Map<string, State>();
  const waits = createJobWaits(clock);
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

  function ended(id: string): void {
    waits.ended(id);
    publish({ type: 'ended', id });
  }

  function note(job: JobKey, state: State, event: VerifiedEvent): void {
    const before = state.progress;
    const shown = takeIn(state, event);
    if (shown) publish({ type: 'happened', id: job.id, event: shown });
    if (!isSame(before, state.progress)) publish({ type: 'advanced', job });
  }

  return {
    untilEnded: waits.untilEnded,

    /** To be called when the end of a job is durable. */
    ended,

    /** To be called when nothing runs here any more: only another process could end a job now. */
    over(): void {
      waits.over();
      publish({ type: 'over' });
    },

    /** Resolves as `claim` does. The job that it returns counts as running here from the moment it is claimed. */
    async claim<T extends { readonly id: string }>(
      claim: () => Promise<T | undefined>,
    ): Promise<T | undefined> {
      const claiming = claim().then((job) => {
        if (job) enter(job.id);
        return job;
      });
      claims.add(claiming);
      return claiming.finally(() => claims.delete(claiming));
    },

    begin(job: JobKey): LiveJob {
      const { id } = job;
      const state = live.get(id) ?? enter(id);
      return {
        signal: state.controller.signal,
        noMoreCalls: state.calls.signal,
        note: (event) => note(job, state, event),
        end() {
          live.delete(id);
          ended(id);
        },
      };
    },

    progress: (id: string): JobProgress | undefined => live.get(id)?.progress,

    partial: (id: string): JobPartial | undefined => live.get(id)?.partial,

    /**
     * Ends a job that was claimed here and has not ended, at once or when its calls in flight have ended; false when there
     * is none.
     */
    async stop(id: string, reason: BridgeError, inFlight: InFlight): Promise<boolean> {
      // The store may show a job as running before the claim of it has resolved.
      if (!live.has(id)) await Promise.allSettled(claims);
      const state = live.get(id);
      state?.calls.abort(reason);
      if (inFlight === 'stop') state?.controller.abort(reason);
      return state !== undefined;
    },

    /** Stops all that runs, and what still begins. */
    stopAll(reason: BridgeError): void {
      stopReason = reason;
      for (const { controller } of live.values()) controller.abort(reason);
    },

    size: () => live.size,
  };
}

/** Changes the state, and returns what there is to be seen of the event. */
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

function isSame(one: JobProgress, other: JobProgress): boolean {
  return one.stage === other.stage && one.partial_images === other.partial_images;
}
