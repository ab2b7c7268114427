import { setMaxListeners } from 'node:events';
import { BridgeError } from '../errors/bridge-error.ts';

/** Tracks the calls of a provider. A call ends when its own signal aborts; all calls end when the provider closes. */
export function createRunningCalls() {
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  return {
    /**
     * Runs `work` with a signal that aborts with the caller's signal, at `close`, and when the work has settled, so
     * that nothing started by the work outlives it. Throws `overloaded` after `close`.
     */
    async run<T>(callerSignal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (isClosed) throw new BridgeError('overloaded', 'the provider is closed');
      callerSignal.throwIfAborted();
      const controller = new AbortController();
      // Every output of a call adds listeners. Node would report a leak above ten.
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

    /** Aborts all calls and resolves when they have settled. No new call can begin. */
    async close(): Promise<void> {
      isClosed = true;
      const reason = new BridgeError('cancelled', 'the provider is closing');
      const results = [...running.values()];
      for (const controller of running.keys()) controller.abort(reason);
      await Promise.allSettled(results);
    },
  };
}
