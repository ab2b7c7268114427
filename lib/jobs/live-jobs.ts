import type { ImageJob } from '../contract/job.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedEvent } from '../generation/generation-event.ts';
import type { Clock } from '../platform/clock.ts';

export type JobProgress = NonNullable<ImageJob['progress']>;

/** A picture that a running job has shown on its way. */
export interface JobPartial {
  readonly image: Extract<VerifiedEvent, { type: 'partial_image' }>['image'];
  readonly partialIndex: number;
}

/** A job that runs in this process. */
export interface LiveJob {
  /** Aborts with the reason why the job must end. */
  readonly signal: AbortSignal;
  /** Takes in what happens in it; of its partial images the latest is kept. */
  note(event: VerifiedEvent): void;
  /** To be called when its end is written down. */
  end(): void;
}

interface State {
  readonly controller: AbortController;
  progress: JobProgress;
  partial: JobPartial | undefined;
}

// A preview is for looking at; what is larger is not kept (specification 8).
const MAX_PARTIAL_BYTES = 16 * 1024 * 1024;

export type LiveJobs = ReturnType<typeof createLiveJobs>;

/** What is known of jobs in memory alone: how far they are, what they show, how to stop them, who waits for them. */
export function createLiveJobs(clock: Clock) {
  const live = new Map<string, State>();
  const waiters = new Map<string, Set<() => void>>();
  let stopReason: BridgeError | undefined;

  function wake(id: string): void {
    const waiting = waiters.get(id);
    waiters.delete(id);
    for (const resume of waiting ?? []) resume();
  }

  return {
    begin(id: string): LiveJob {
      const controller = new AbortController();
      const state: State = {
        controller,
        progress: { stage: 'queued', partial_images: 0 },
        partial: undefined,
      };
      live.set(id, state);
      if (stopReason) controller.abort(stopReason);
      return {
        signal: controller.signal,
        note: (event) => note(state, event),
        end() {
          live.delete(id);
          wake(id);
        },
      };
    },

    progress: (id: string): JobProgress | undefined => live.get(id)?.progress,

    partial: (id: string): JobPartial | undefined => live.get(id)?.partial,

    /** Stops the job if it runs here. */
    stop(id: string, reason: BridgeError): void {
      live.get(id)?.controller.abort(reason);
    },

    /** Stops all that runs, and what still begins. */
    stopAll(reason: BridgeError): void {
      stopReason = reason;
      for (const { controller } of live.values()) controller.abort(reason);
    },

    /** To be called for a job that has ended without having run. */
    ended: wake,

    /** Runs `look` once it may be of use again: when the job has ended, the time is over, or the client has left. */
    async untilEnded(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const waiting = waiters.get(id) ?? new Set();
        waiters.set(id, waiting);
        const resume = () => {
          cancel();
          signal.removeEventListener('abort', resume);
          waiting.delete(resume);
          if (waiting.size === 0 && waiters.get(id) === waiting) waiters.delete(id);
          resolve();
        };
        const cancel = clock.after(waitMs, resume);
        signal.addEventListener('abort', resume, { once: true });
        waiting.add(resume);
      });
    },

    size: () => live.size,
  };
}

function note(state: State, event: VerifiedEvent): void {
  const { partial_images: count } = state.progress;
  if (event.type === 'progress') {
    state.progress = { stage: event.stage, partial_images: count };
    return;
  }
  state.progress = { ...state.progress, partial_images: count + 1 };
  const { image, partialIndex } = event;
  if (image.bytes.length <= MAX_PARTIAL_BYTES) state.partial = { image, partialIndex };
}
