import { toBridgeError } from '../../errors/bridge-error.ts';
import { abortable } from '../../platform/abortable.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queries } from './connection.ts';

/** Wakes the readers of all replicas that wait for a change. A wake-up may be lost, so a reader also looks from time to time. */
export interface WakeUps {
  /** Wakes the readers of `topic` when the transaction of the queries is committed. */
  send(queries: Queries, topic: string): Promise<void>;
  /** Returns the arguments of `pg_notify` that wake the readers of `topic`, for a statement that also does other work. */
  argumentsOf(topic: string): readonly [channel: string, payload: string];
  /** Calls `wake` at each wake-up of `topic`, until the returned function is called. */
  listen(topic: string, wake: () => void): () => void;
}

interface Deps {
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
  /** The longest time between two looks. */
  readonly pollMs: number;
}

/**
 * Calls `look` until it resolves with a value: immediately, after each wake-up of `topic`, and at least every `pollMs`. Continues
 * after a rejected look, because the database may be unavailable for a while. Rejects with the reason of the signal if the signal
 * aborts first.
 */
export async function waitUntilFound<T>(
  { clock, wakeUps, pollMs }: Deps,
  topic: string,
  look: () => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T> {
  let wake = () => {};
  let isWoken = false;
  const stop = wakeUps.listen(topic, () => {
    isWoken = true;
    wake();
  });
  try {
    for (;;) {
      signal.throwIfAborted();
      isWoken = false;
      const found = await look().catch(ignoreUnavailable);
      if (found !== undefined) return found;
      if (isWoken) continue;
      let cancel = () => {};
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
        cancel = clock.after(pollMs, resolve);
      });
      await abortable(woken, signal).finally(cancel);
    }
  } finally {
    stop();
  }
}

function ignoreUnavailable(thrown: unknown): undefined {
  // Any other error would be the same at the next look.
  if (toBridgeError(thrown).code !== 'overloaded') throw thrown;
}
