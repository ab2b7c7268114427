import type { BridgeError } from '../errors/bridge-error.ts';
import { linkSignal } from './linked-signal.ts';

/** Running work that can be cancelled. */
export interface CancellableWork<T> {
  readonly result: Promise<T>;
  cancel(reason: Error): void;
}

/** Creates a set of running work that can be cancelled, and whose end can be awaited. */
export function createRunningWork() {
  const running = new Map<Promise<unknown>, (reason: Error) => void>();
  let stopReason: BridgeError | undefined;

  function add<T>(result: Promise<T>, cancel: (reason: Error) => void): Promise<T> {
    const forget = () => running.delete(result);
    running.set(result, cancel);
    // Handles a rejection here, because the callers may no longer await the work.
    result.then(forget, forget);
    return result;
  }

  async function untilIdle(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running.keys());
  }

  function cancelAll(reason: BridgeError): void {
    stopReason = reason;
    for (const cancel of running.values()) cancel(reason);
  }

  return {
    /** Starts work with its own signal. This signal also aborts when the signal `follows` aborts. */
    start<T>(work: (signal: AbortSignal) => Promise<T>, follows?: AbortSignal): CancellableWork<T> {
      const { signal, abort, end } = linkSignal(follows);
      if (stopReason) abort(stopReason);
      const result = add(work(signal), abort);
      result.then(end, end);
      return { result, cancel: abort };
    },

    /** Adds work that cannot be cancelled. */
    track: <T>(work: Promise<T>): Promise<T> => add(work, () => {}),

    /** Resolves when no work runs. */
    untilIdle,

    /** Waits until no work runs. When `grace` aborts, cancels the running work and waits until that work has ended. */
    async drain(grace: AbortSignal, reason: BridgeError): Promise<void> {
      const end = () => cancelAll(reason);
      if (grace.aborted) end();
      else grace.addEventListener('abort', end, { once: true });
      await untilIdle();
      grace.removeEventListener('abort', end);
    },

    /** Cancels all work, including work that starts later. Resolves when no work runs. */
    async close(reason: BridgeError): Promise<void> {
      cancelAll(reason);
      await untilIdle();
    },

    size: () => running.size,
  };
}
