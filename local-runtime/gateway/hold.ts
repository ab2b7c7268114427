import { setImmediate } from 'node:timers/promises';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Coordination, Slot } from './coordination.ts';

interface Deps {
  readonly coordination: Pick<Coordination, 'target' | 'onChange'>;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** The maximum time to hold a request. */
  readonly holdMs: number;
  /** The maximum number of requests held at the same time. */
  readonly maxHeld: number;
  /** Called for each held request when it is released. */
  readonly onReleased: (held: { readonly durationMs: number }) => void;
}

export type Hold = ReturnType<typeof createHold>;

interface Waiter {
  release(slot: Slot): void;
  refuse(error: BridgeError): void;
}

// Releasing this many requests takes a few milliseconds.
const RELEASED_AT_ONCE = 32;

/** Holds requests while the coordination file says `hold`, and releases them in the order of arrival. */
export function createHold({ coordination, clock, holdMs, maxHeld, onReleased }: Deps) {
  const waiting = new Set<Waiter>();
  let isReleasing = false;
  let isClosed = false;

  function slot(): Slot | undefined {
    const target = coordination.target();
    return target === 'hold' ? undefined : target;
  }

  async function release(): Promise<void> {
    if (isReleasing) return;
    isReleasing = true;
    for (let released = 1; ; released += 1) {
      const target = slot();
      const [waiter] = waiting;
      if (!target || !waiter) break;
      waiter.release(target);
      if (released % RELEASED_AT_ONCE === 0) await setImmediate();
    }
    isReleasing = false;
  }

  coordination.onChange(() => void release());

  return {
    count: () => waiting.size,

    /**
     * Resolves with the active slot, immediately unless requests are held. Rejects with the signal's reason. Throws
     * `overloaded` if the request was held too long, too many requests are held, or the gateway is stopping.
     */
    next(signal: AbortSignal): Promise<Slot> {
      if (signal.aborted) return Promise.reject(signal.reason);
      const active = slot();
      if (active && waiting.size === 0) return Promise.resolve(active);
      if (isClosed) return Promise.reject(stopping());
      if (waiting.size >= maxHeld) return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const sinceMs = clock.monotonicMs();
        const waiter: Waiter = {
          release(target) {
            end();
            onReleased({ durationMs: clock.monotonicMs() - sinceMs });
            resolve(target);
          },
          refuse(error) {
            end();
            reject(error);
          },
        };
        const cancel = clock.after(holdMs, () => waiter.refuse(heldTooLong()));
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

    /** Rejects every held request and every request that would be held later. */
    close(): void {
      isClosed = true;
      for (const waiter of waiting) waiter.refuse(stopping());
    },
  };
}

function stopping(): BridgeError {
  return refused('the gateway is stopping', 'stopping');
}

function tooMany(): BridgeError {
  return refused('the gateway holds the maximum number of requests', 'held_requests');
}

function heldTooLong(): BridgeError {
  return refused('no slot became active while the request was held', 'hold');
}

function refused(message: string, reason: string): BridgeError {
  return new BridgeError('overloaded', message, { details: { reason, retry_after_ms: 1000 } });
}
