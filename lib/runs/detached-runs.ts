import { BridgeError } from '../errors/bridge-error.ts';

/** Work that continues when its client disconnects. */
export interface DetachedRun<T> {
  readonly outcome: Promise<T>;
  cancel(reason: BridgeError): void;
}

export type DetachedRuns = ReturnType<typeof createDetachedRuns>;

/** Creates the set of all work that may continue without a client. A shutdown waits for the work or cancels it. */
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
    // All clients that waited for the work may have disconnected, so that no one handles its rejection.
    outcome.catch(() => {});
    running.set(controller, outcome);
    return outcome;
  }

  return {
    /** Starts work and returns its outcome. */
    run<T>(work: (signal: AbortSignal) => Promise<T>): DetachedRun<T> {
      const controller = newController();
      const outcome = watch(controller, work(controller.signal));
      return { outcome, cancel: (reason) => controller.abort(reason) };
    },

    /** Starts work that has more than a result, for example events. */
    begin<W extends { readonly result: Promise<unknown> }>(work: (signal: AbortSignal) => W): W {
      const controller = newController();
      const begun = work(controller.signal);
      void watch(controller, begun.result);
      return begun;
    },

    /** Waits until all work has ended. Once `grace` aborts, cancels the running work and waits until it has ended. */
    async drain(grace: AbortSignal): Promise<void> {
      const end = () => cancelAll(stopping());
      if (grace.aborted) end();
      else grace.addEventListener('abort', end, { once: true });
      await untilIdle();
      grace.removeEventListener('abort', end);
    },

    /** Cancels all work, including work that starts later. Resolves when all work has ended. */
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
