import { setMaxListeners } from 'node:events';
import { BridgeError } from '../errors/bridge-error.ts';

/** A provider's calls: each ends when its own signal aborts, all of them when the provider closes. */
export function createRunningCalls() {
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  return {
    /**
     * Runs `work` with a signal that aborts with the caller's, at `close`, and when the work has settled: nothing that it
     * started continues without it. Throws `overloaded` after `close`.
     */
    async run<T>(callerSignal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (isClosed) throw new BridgeError('overloaded', 'the provider is closed');
      callerSignal.throwIfAborted();
      const controller = new AbortController();
      // Every output of a call listens at every step; Node warns of a leak above ten.
      setMaxListeners(0, controller.signal);
      const follow = () => controller.abort(callerSignal.reason);
      callerSignal.addEventListener('abort', follow, { once: true });
      const result = work(controller.signal);
      running.set(controller, result);
      try {
        return await result;
      } finally {
        callerSignal.removeEventListener('abort', follow);
        running.delete(controller);
        controller.abort(new Error('the call has ended'));
      }
    },

    /** Aborts all calls, and resolves when they have settled. No call is begun any more. */
    async close(): Promise<void> {
      isClosed = true;
      const reason = new BridgeError('cancelled', 'the provider is closing');
      const results = [...running.values()];
      for (const controller of running.keys()) controller.abort(reason);
      await Promise.allSettled(results);
    },
  };
}
