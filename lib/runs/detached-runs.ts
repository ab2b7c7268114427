import { BridgeError } from '../errors/bridge-error.ts';

/** Work that no client's leaving ends by itself. */
export interface DetachedRun<T> {
  readonly outcome: Promise<T>;
  cancel(reason: BridgeError): void;
}

export type DetachedRuns = ReturnType<typeof createDetachedRuns>;

/** Knows all work that may run on without a client, so that a shutdown can wait for it, and end it. */
export function createDetachedRuns() {
  const running = new Map<AbortController, Promise<unknown>>();
  let stopReason: BridgeError | undefined;

  function cancelAll(reason: BridgeError): void {
    stopReason = reason;
    for (const controller of running.keys()) controller.abort(reason);
  }

  async function untilIdle(): Promise<void> {
    while (running.size > 0) await Promise.allSettled(running.values());
  }

  function newController(): AbortController {
    const controller = new AbortController();
    if (stopReason) controller.abort(stopReason);
    return controller;
  }

  function watch<T>(controller: AbortController, work: Promise<T>): Promise<T> {
    const outcome = work.finally(() => running.delete(controller));
    // Everybody who waited for it may have left.
    outcome.catch(() => {});
    running.set(controller, outcome);
    return outcome;
  }

  return {
    run<T>(work: (signal: AbortSignal) => Promise<T>): DetachedRun<T> {
      const controller = newController();
      const outcome = watch(controller, work(controller.signal));
      return { outcome, cancel: (reason) => controller.abort(reason) };
    },

    /** The same for work that tells more of itself than how it ends. */
    begin<W extends { readonly result: Promise<unknown> }>(work: (signal: AbortSignal) => W): W {
      const controller = newController();
      const begun = work(controller.signal);
      void watch(controller, begun.result);
      return begun;
    },

    /** Resolves when nothing runs any more; once `grace` aborts, what still runs is cancelled and waited for. */
    async drain(grace: AbortSignal): Promise<void> {
      const end = () => cancelAll(stopping());
      if (grace.aborted) end();
      else grace.addEventListener('abort', end, { once: true });
      await untilIdle();
      grace.removeEventListener('abort', end);
    },

    /** Cancels what runs, and what would still start; resolves when nothing does any more. */
    async close(): Promise<void> {
      cancelAll(stopping());
      await untilIdle();
    },

    size: () => running.size,
  };
}

function stopping(): BridgeError {
  return new BridgeError('cancelled', 'the bridge is stopping');
}
