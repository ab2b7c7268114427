import { setMaxListeners } from 'node:events';

/** The calls that run now: each ends when its own signal aborts, all of them when `close` is called. */
export function createRunningCalls() {
  const running = new Map<AbortController, Promise<unknown>>();

  return {
    /**
     * Runs `work` with a signal that aborts with the caller's, at `abortAll`, and when the work has settled: nothing that
     * it started continues without it.
     */
    async run<T>(callerSignal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

    /** Resolves when all calls have settled. */
    async abortAll(reason: Error): Promise<void> {
      const results = [...running.values()];
      for (const controller of running.keys()) controller.abort(reason);
      await Promise.allSettled(results);
    },
  };
}
