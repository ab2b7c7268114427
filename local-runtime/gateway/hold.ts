import { setImmediate } from 'node:timers/promises';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Coordination, Slot } from './coordination.ts';

interface Deps {
  readonly coordination: Pick<Coordination, 'target' | 'onChange'>;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** The maximum time to hold a request. */
  readonly holdMs: number;
  /** The maximum number of requests that are held at the same time. */
  readonly maxHeld: number;
  /** Called for each held request when it is released. */
  readonly onReleased: (held: { readonly durationMs: number }) => void;
}

export type Hold = ReturnType<typeof createHold>;

interface Waiter {
  release(slot: Slot): void;
  refuse(error: BridgeError): void;
}

// The number of requests that are released without a pause. Releasing these requests takes a few milliseconds.
const RELEASED_AT_ONCE = 32;

/** Holds requests while the coordination file says `hold`, and releases them in the order of arrival. */
export function createHold({ coordination, clock, holdMs, maxHeld, onReleased }: Deps) {
  const waiting = new Set<Waiter>();
  let isReleasing = false;
  let isClosed = false;

  async function release(): Promise<void> {
    if (isReleasing) return;
    isReleasing = true;
    for (let released = 1; ; released += 1) {
      const target = coordination.target();
      const [waiter] = waiting;
      if (target === 'hold' || !waiter) break;
      waiter.release(target);
      if (released % RELEASED_AT_ONCE === 0) await setImmediate();
    }
    isReleasing = false;
  }

  coordination.onChange(() => void release());

  return {
    count: () => waiting.size,

    /**
     * Resolves with the active slot. Waits while requests are held. Rejects with the signal's reason. Rejects with `overloaded`
     * if the request was held too long, if too many requests are held, or if the gateway is stopping.
     */
    next(signal: AbortSignal): Promise<Slot> {
      if (signal.aborted) return Promise.reject(signal.reason);
      const target = coordination.target();
      if (target !== 'hold' && waiting.size === 0) return Promise.resolve(target);
      if (isClosed) return Promise.reject(refused('the gateway is stopping', 'stopping'));
      if (waiting.size >= maxHeld) {
        const message = 'the gateway already holds the maximum number of requests';
        return Promise.reject(refused(message, 'held_requests'));
      }
      return new Promise((resolve, reject) => {
        const sinceMs = clock.monotonicMs();
        const waiter: Waiter = {
          release(slot) {
            end();
            onReleased({ durationMs: clock.monotonicMs() - sinceMs });
            resolve(slot);
          },
          refuse(error) {
            end();
            reject(error);
          },
        };
        const cancel = clock.after(holdMs, () =>
          waiter.refuse(refused('no slot became active while the request was held', 'hold')),
        );
        const onAbort = () => waiter.refuse(signal.reason);
        const end = () => {
          waiting.delete(waiter);
          cancel();
          signal.removeEventListener('abort', onAbort);
        };
        waiting.add(waiter);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },

    /** Rejects every held request, and later rejects every request that would be held. */
    close(): void {
      isClosed = true;
      for (const waiter of waiting) {
        waiter.refuse(refused('the gateway is stopping', 'stopping'));
      }
    },
  };
}

/** Returns the error for a request that the gateway cannot forward now. */
export function refused(message: string, reason: string): BridgeError {
  return new BridgeError('overloaded', message, { details: { reason, retry_after_ms: 1000 } });
}
