import { BridgeError } from '../errors/bridge-error.ts';
import { createRunningWork } from '../platform/running-work.ts';

/**
 * Tracks the running calls of a provider. A call ends when its own signal aborts. All calls end when the provider
 * closes.
 */
export function createRunningCalls() {
  const calls = createRunningWork();
  let isClosed = false;

  return {
    /**
     * Runs `work` with a signal that aborts when the caller's signal aborts, when `close` is called, and when the work
     * has settled, so that anything the work started also stops. Throws `overloaded` after `close`.
     */
    async run<T>(callerSignal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (isClosed) throw new BridgeError('overloaded', 'the provider is closed');
      callerSignal.throwIfAborted();
      const { result, cancel } = calls.start(work, callerSignal);
      return result.finally(() => cancel(new Error('the call has ended')));
    },

    /** Aborts all calls and rejects new calls. Resolves when the aborted calls have settled. */
    async close(): Promise<void> {
      isClosed = true;
      await calls.close(new BridgeError('cancelled', 'the provider is closing'));
    },
  };
}
