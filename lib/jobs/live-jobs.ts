import type { ImageJob } from '../contract/resources/job.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { VerifiedEvent } from '../generation/events/generation-event.ts';
import type { Clock } from '../platform/clock.ts';

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
  const early = new Map<string, BridgeError>();
  let stopReason: BridgeError | undefined;
  let isOver = false;

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
      const reason = stopReason ?? early.get(id);
      early.delete(id);
      if (reason) controller.abort(reason);
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

    /** Stops a job that has been claimed and has not ended. */
    stop(id: string, reason: BridgeError): void {
      const state = live.get(id);
      if (state) state.controller.abort(reason);
      // Its claim is as old as the wish: it begins in a moment.
      else early.set(id, reason);
    },

    /** Stops all that runs, and what still begins. */
    stopAll(reason: BridgeError): void {
      stopReason = reason;
      for (const { controller } of live.values()) controller.abort(reason);
    },

    /** To be called for a job that has ended without having run. */
    ended: wake,

    /** To be called when nothing runs here any more: nobody waits for an end that only another process could bring. */
    over(): void {
      isOver = true;
      for (const id of [...waiters.keys()]) wake(id);
    },

    /** Resolves when the job has ended, the time is over, or the client has left: at the first of them. */
    async untilEnded(id: string, waitMs: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted || isOver) return;
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
