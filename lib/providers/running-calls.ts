import { BridgeError } from '../errors/bridge-error.ts';
import { createRunningWork } from '../platform/running-work.ts';

/** Tracks the calls of a provider. A call ends when its own signal aborts; all calls end when the provider closes. */
export function createRunningCalls() {
  const calls = createRunningWork();
  let isClosed = false;

  return {
    /**
     * Runs `work` with a signal that aborts with the caller's signal, at `close`, and when the work has settled, so
     * that nothing started by the work outlives it. Throws `overloaded` after `close`.
     */
    async run<T>(callerSignal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (isClosed) throw new BridgeError('overloaded', 'the provider is closed');
      callerSignal.throwIfAborted();
      const { result, cancel } = calls.start(work, callerSignal);
      return result.finally(() => cancel(new Error('the call has ended')));
    },

    /** Aborts all calls and resolves when they have settled. No new call can begin. */
    async close(): Promise<void> {
      isClosed = true;
      await calls.close(new BridgeError('cancelled', 'the provider is closing'));
    },
  };
}
