import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { abortable } from '../platform/abortable.ts';
import type { Clock } from '../platform/clock.ts';
import { linkSignal } from '../platform/linked-signal.ts';
import { createRunningWork } from '../platform/running-work.ts';
import { copyBridgeError } from '../platform/thrown-copy.ts';
import { memoryBytes } from './outcome.ts';
import type { ReplayPolicy, ReplayStore } from './replay-store-port.ts';

interface Deps {
  readonly store: Pick<
    ReplayStore,
    'markStarted' | 'finish' | 'owe' | 'forget' | 'abandon' | 'untilAttached'
  >;
  readonly clock: Pick<Clock, 'after'>;
}

/** Running or queued work. `started` resolves when the work is queued or running; `result` settles when it has ended. */
export interface StartedWork<T> {
  readonly started: Promise<void>;
  readonly result: Promise<T>;
}

/** Work of a request. `started` is absent if no request waits for the start of equal work. */
export type Work<T> = Pick<StartedWork<T>, 'result'> & Partial<StartedWork<T>>;

/** Starts work. `isWanted` resolves with true once a client waits for the outcome, and with false if `signal` aborts first. */
export type StartWork<W> = (signal: AbortSignal, isWanted: () => Promise<boolean>) => W;

/** Work that several requests may share. */
export interface SharedWork<W> extends StartedWork<unknown> {
  /** The object that `start` returned. Undefined if `start` threw an error. */
  readonly own: W | undefined;
  /** Must be called when another client attaches. */
  attach(): void;
  /** Must be called when a client detaches. */
  detach(): void;
  /**
   * Cancels the work with `reason` if no client attaches within the `keepMs` of the policy. Does nothing while a client of this
   * process is attached.
   */
  linger(reason: BridgeError): void;
}

/** Runs the work of replay entries and stores the outcomes. */
export function createWorkInFlight({ store, clock }: Deps) {
  const running = createRunningWork();
  /** For each work that waits for a client, the function that ends the work immediately. */
  const lingering = new Set<() => void>();
  let isStopping = false;

  /** Calls `end` after `forMs`, or earlier if the bridge stops. Returns a function that prevents this call. */
  function linger(forMs: number, end: () => void): () => void {
    const endNow = () => {
      stop();
      end();
    };
    const cancel = clock.after(forMs, endNow);
    const stop = () => {
      lingering.delete(endNow);
      cancel();
    };
    lingering.add(endNow);
    if (isStopping) endNow();
    return stop;
  }

  return {
    /** Starts the work of an entry. `result` settles when the outcome is stored. */
    begin<W extends Work<unknown>>(
      id: string,
      policy: ReplayPolicy,
      start: StartWork<W>,
    ): SharedWork<W> {
      const audience = createAudience();
      const begun: { own?: W } = {};
      const { result, cancel } = running.start((signal) => {
        const work = start(signal, () => isWanted(signal));
        begun.own = work;
        return stored(store, id, policy, work.result).finally(audience.close);
      });

      const lingerFor = (reason: BridgeError) =>
        audience.whileAbsent(() => linger(policy.keepMs, () => void abandon(reason)));

      async function abandon(reason: BridgeError): Promise<void> {
        // If the store fails, cancel the work, because no other process can attach a client either.
        if (await store.abandon(id).catch(() => true)) cancel(reason);
        // A client of another process waits for the work. Its process does not know when the work should be cancelled.
        else if (!isStopping) lingerFor(reason);
      }

      /** Resolves with true once a client of any process is attached, and with false if the signal aborts first. */
      async function isWanted(signal: AbortSignal): Promise<boolean> {
        if (signal.aborted || audience.isPresent()) return !signal.aborted;
        const waiting = linkSignal(signal);
        const present = abortable(audience.untilPresent(), waiting.signal);
        const attached = store.untilAttached(id, waiting.signal);
        return Promise.race([present, attached])
          .then(
            () => true,
            () => false,
          )
          .finally(() => {
            waiting.abort(new BridgeError('cancelled', 'the wait is over'));
            waiting.end();
          });
      }

      const { own } = begun;
      // If the start cannot be recorded, requests at other processes wait for the end of the work instead.
      own?.started?.then(() => store.markStarted(id)).catch(() => {});
      return {
        own,
        result,
        // If the work does not start, the error is reported only after the outcome is stored.
        started: (own?.started ?? result).catch(() => result).then(() => {}),
        attach: audience.attach,
        detach: audience.detach,
        linger: lingerFor,
      };
    },

    /** Ends the work that has no client, and waits for all other work. When `grace` aborts, cancels the remaining work. */
    async drain(grace: AbortSignal): Promise<void> {
      isStopping = true;
      for (const end of lingering) end();
      await running.drain(grace, stopping());
    },

    /** Cancels all work. Resolves when all work has ended. */
    close: (): Promise<void> => running.close(stopping()),
  };
}

/** Settles like `result`, after the outcome is stored. If the outcome cannot be stored, still settles like `result`. */
async function stored(
  store: Deps['store'],
  id: string,
  policy: ReplayPolicy,
  result: Promise<unknown>,
): Promise<unknown> {
  try {
    const value = await result;
    await store.finish(id, { ok: true, value }, memoryBytes(value)).catch(() => {});
    return value;
  } catch (thrown) {
    const error = toBridgeError(thrown);
    await storeFailure(store, id, policy, error).catch(() => {});
    throw error;
  }
}

async function storeFailure(
  store: Deps['store'],
  id: string,
  policy: ReplayPolicy,
  error: BridgeError,
): Promise<void> {
  switch (policy.onFailure(error)) {
    case 'keep':
      return store.finish(id, { ok: false, failure: copyBridgeError(error) }, 0);
    case 'owe':
      return store.owe(id);
    case 'forget':
      return store.forget(id);
  }
}

/** Counts the clients of this process that wait for the outcome of work. The client that started the work is included. */
function createAudience() {
  let clients = 1;
  let isOver = false;
  let wake = () => {};
  let stop = () => {};
  return {
    isPresent: () => clients > 0,

    /** Resolves when a client attaches. */
    untilPresent: (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
      }),

    attach(): void {
      clients += 1;
      stop();
      wake();
    },

    detach(): void {
      clients -= 1;
    },

    /**
     * Calls `start` unless a client is attached or the work has ended. The function that `start` returns is called when a
     * client attaches or the work ends.
     */
    whileAbsent(start: () => () => void): void {
      if (clients === 0 && !isOver) stop = start();
    },

    close(): void {
      isOver = true;
      stop();
    },
  };
}

function stopping(): BridgeError {
  return new BridgeError('cancelled', 'the bridge is stopping');
}
