import { runAndRelease } from './abortable.ts';
import { createFifoQueue, type FifoQueue } from './fifo-queue.ts';

/** A request for a slot. */
export interface SlotRequest<K extends string> {
  readonly kind: K;
  /** The owner of the work. Owners take turns. */
  readonly owner: string;
  /** True for long work. If a kind has several slots, long work of one owner never occupies all of them. */
  readonly isLarge: boolean;
}

interface Waiter {
  readonly order: number;
  readonly start: () => void;
}

interface Waiters {
  readonly small: FifoQueue<Waiter>;
  readonly large: FifoQueue<Waiter>;
}

/**
 * Creates `total` slots. `kinds` limits the number of slots for each kind of work. Waiting owners take turns. The work of an
 * owner starts in the order of its requests, except that large work may have to wait for other large work of the owner.
 */
export function createFairSlots<K extends string>(
  total: number,
  kinds: Readonly<Record<K, number>>,
) {
  const names = Object.keys(kinds) as K[];
  /** The waiting owners of each kind, in the order of their turns. */
  const waiting = new Map<K, Map<string, Waiters>>(names.map((kind) => [kind, new Map()]));
  const { mayStart, activeOf, count } = createCounts(total, kinds);
  let orders = 0;

  function take(request: SlotRequest<K>): () => void {
    count(request, 1);
    return () => {
      count(request, -1);
      startWaiting();
    };
  }

  /** Returns the queue with the oldest request of an owner that may start now, or undefined if no request may start. */
  function firstOf(
    kind: K,
    owner: string,
    { small, large }: Waiters,
  ): FifoQueue<Waiter> | undefined {
    const [s, l] = [small.peek(), large.peek()];
    const canStart = (isLarge: boolean) => mayStart({ kind, owner, isLarge });
    if (l && canStart(true) && (!s || l.order < s.order)) return large;
    return s && canStart(false) ? small : undefined;
  }

  /** Starts the request whose turn it is, and returns false if no request may start now. */
  function startNext(kind: K): boolean {
    const owners = waiting.get(kind) ?? new Map<string, Waiters>();
    // Only owners that already hold slots are skipped, so the loop ends after a few steps.
    for (const [owner, waiters] of owners) {
      const queue = firstOf(kind, owner, waiters);
      if (queue === undefined) continue;
      const waiter = queue.dequeue();
      owners.delete(owner);
      if (waiters.small.size() + waiters.large.size() > 0) owners.set(owner, waiters);
      waiter?.start();
      return true;
    }
    return false;
  }

  function startWaiting(): void {
    // The kind with the fewest occupied slots is first.
    while (names.toSorted((one, other) => activeOf(one) - activeOf(other)).some(startNext));
  }

  function acquire(request: SlotRequest<K>, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (mayStart(request)) return Promise.resolve(take(request));
    const { kind, owner, isLarge } = request;
    const owners = waiting.get(kind) ?? new Map<string, Waiters>();
    const waiters = owners.get(owner) ?? { small: createFifoQueue(), large: createFifoQueue() };
    owners.set(owner, waiters);
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', onAbort);
        resolve(take(request));
      };
      orders += 1;
      const remove = (isLarge ? waiters.large : waiters.small).enqueue({ order: orders, start });
      const onAbort = () => {
        remove();
        const isEmpty = waiters.small.size() + waiters.large.size() === 0;
        if (isEmpty && owners.get(owner) === waiters) owners.delete(owner);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    /** Runs `work` in a slot, like `Semaphore.run`. */
    async run<T>(request: SlotRequest<K>, work: () => Promise<T>, signal: AbortSignal) {
      return runAndRelease(await acquire(request, signal), work, signal);
    },
  };
}

/** Creates the counters of occupied slots, which determine whether a request may start. */
function createCounts<K extends string>(total: number, kinds: Readonly<Record<K, number>>) {
  const active = new Map<K, number>();
  const activeLarge = new Map<string, number>();
  let activeInAll = 0;

  const activeOf = (kind: K) => active.get(kind) ?? 0;
  const largeKey = ({ kind, owner }: SlotRequest<K>) => `${kind} ${owner}`;

  return {
    activeOf,

    mayStart(request: SlotRequest<K>): boolean {
      const { kind, isLarge } = request;
      if (activeInAll >= total || activeOf(kind) >= kinds[kind]) return false;
      const mostLarge = Math.max(1, kinds[kind] - 1);
      return !isLarge || (activeLarge.get(largeKey(request)) ?? 0) < mostLarge;
    },

    count(request: SlotRequest<K>, change: 1 | -1): void {
      activeInAll += change;
      active.set(request.kind, activeOf(request.kind) + change);
      if (!request.isLarge) return;
      const key = largeKey(request);
      const large = (activeLarge.get(key) ?? 0) + change;
      if (large === 0) activeLarge.delete(key);
      else activeLarge.set(key, large);
    },
  };
}
