import { setImmediate } from 'node:timers/promises';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { Coordination } from './coordination.ts';
import type { Slot } from './coordination-file.ts';

interface Deps {
  readonly coordination: Pick<Coordination, 'target' | 'onChange'>;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** How long one request may be held. */
  readonly holdMs: number;
  /** How many requests may be held at once. */
  readonly maxHeld: number;
  /** Is notified of each request that was held and is now sent. */
  readonly onReleased: (held: { readonly durationMs: number }) => void;
}

export type Hold = ReturnType<typeof createHold>;

interface Waiter {
  release(slot: Slot): void;
  refuse(error: BridgeError): void;
}

// The release of this many requests takes a few milliseconds.
const RELEASED_AT_ONCE = 32;

/** Keeps requests while the coordination file says `hold`, in the order in which they came. */
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
     * Resolves with the slot that is active, at once unless requests are held. Rejects with the signal's reason. Throws
     * `overloaded` when it was held too long, too many are, or the gateway stops.
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

    /** Refuses every request that is held now or would be later. */
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
  return refused('the gateway holds as many requests as it may', 'held_requests');
}

function heldTooLong(): BridgeError {
  return refused('no slot became active while the request was held', 'hold');
}

function refused(message: string, reason: string): BridgeError {
  return new BridgeError('overloaded', message, { details: { reason, retry_after_ms: 1000 } });
}
