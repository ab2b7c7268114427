import type { Clock } from '../platform/clock.ts';
import type { Claim, ReplayStore, StoredOutcome } from './replay-store-port.ts';

interface Deps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** `runtime.idempotency`. */
  readonly limits: {
    readonly max_entries: number;
    readonly max_completed_bytes: number;
    readonly completed_ttl_secs: number;
  };
}

interface Running {
  readonly scope: string;
  readonly fingerprint: string;
}

interface Finished extends Running {
  readonly outcome: StoredOutcome;
  readonly expiresMs: number;
}

// The estimated size of an entry without its outcome: two hashes and the table entries.
const ENTRY_BYTES = 512;
const EXPIRY_EVERY_MS = 60_000;

/**
 * Creates a store in the memory of one process. A restart forgets all keys. When space is needed, the scope that holds the most
 * loses its oldest success first. A success that is larger than the whole space is not stored, so that a repeated request is a new
 * request.
 */
export function createMemoryReplayStore({ clock, limits }: Deps) {
  const running = new Map<string, Running>();
  // Sorted by the time of finishing, which is also the order of expiry.
  const finished = new Map<string, Finished>();
  const shares = createReplayShares(limits.max_entries);

  function remove(keyHash: string | undefined): boolean {
    const entry = keyHash === undefined ? undefined : finished.get(keyHash);
    if (keyHash === undefined || !entry) return false;
    finished.delete(keyHash);
    if (entry.outcome.ok) shares.removeEvictable(entry.scope, keyHash);
    else shares.unpin(entry.scope);
    return true;
  }

  function removeExpired(): void {
    const nowMs = clock.monotonicMs();
    for (const [keyHash, { expiresMs }] of finished) {
      if (expiresMs > nowMs) return;
      remove(keyHash);
    }
  }

  function claimNow(scope: string, keyHash: string, fingerprint: string): Claim {
    removeExpired();
    const kept = finished.get(keyHash);
    const known = kept?.fingerprint ?? running.get(keyHash)?.fingerprint;
    if (known !== undefined && known !== fingerprint) return { kind: 'conflict' };
    if (kept) return { kind: 'finished', outcome: kept.outcome };
    if (known !== undefined) return { kind: 'running' };
    if (shares.isAtShare(scope)) return { kind: 'full' };
    const isFull = running.size + finished.size >= limits.max_entries;
    if (isFull && !remove(shares.oldestByCount())) return { kind: 'full' };
    running.set(keyHash, { scope, fingerprint });
    shares.pin(scope);
    return { kind: 'claimed' };
  }

  function endRunning(keyHash: string): Running | undefined {
    const ended = running.get(keyHash);
    if (!ended) return undefined;
    running.delete(keyHash);
    shares.unpin(ended.scope);
    return ended;
  }

  function finishNow(keyHash: string, outcome: StoredOutcome, outcomeBytes: number): void {
    const ended = endRunning(keyHash);
    const bytes = outcomeBytes + ENTRY_BYTES;
    if (!ended || (outcome.ok && bytes > limits.max_completed_bytes)) return;
    const expiresMs = clock.monotonicMs() + limits.completed_ttl_secs * 1000;
    finished.set(keyHash, { ...ended, outcome, expiresMs });
    if (outcome.ok) shares.addEvictable(ended.scope, keyHash, bytes);
    else shares.pin(ended.scope);
    // The new outcome is evicted too if it is larger than the successes of any other scope.
    while (shares.evictableBytes() > limits.max_completed_bytes) remove(shares.oldestByBytes());
  }

  const store: ReplayStore = {
    claim: async (scope, keyHash, fingerprint) => claimNow(scope, keyHash, fingerprint),
    finish: async (keyHash, outcome, bytes) => finishNow(keyHash, outcome, bytes),
    async forget(keyHash) {
      endRunning(keyHash);
    },
  };
  return {
    ...store,

    /** The task that frees the memory of expired outcomes, even if no request with a key arrives. */
    expiry: {
      name: 'idempotency-expiry',
      everyMs: EXPIRY_EVERY_MS,
      run: async () => removeExpired(),
    },

    /** Returns the number of entries and their size, for diagnostics and tests. */
    size: () => ({
      running: running.size,
      finished: finished.size,
      heldBytes: shares.evictableBytes(),
    }),
  };
}

/** The entries of one scope. */
interface Share {
  /** The memory size of each success by its key, oldest first. */
  readonly evictable: Map<string, number>;
  evictableBytes: number;
  /** Requests in flight and unknown outcomes, which are never evicted. */
  pinned: number;
}

/** The fraction of the entries that is reserved for scopes below their equal share. */
const RESERVED_PART = 0.1;

/** Counts the entries of each scope, so that a scope loses its own entries before it displaces entries of other scopes. */
function createReplayShares(maxEntries: number) {
  const shares = new Map<string, Share>();
  let pinned = 0;
  let evictableBytes = 0;

  function change(scope: string, apply: (share: Share) => void): void {
    const share = shares.get(scope) ?? { evictable: new Map(), evictableBytes: 0, pinned: 0 };
    apply(share);
    if (share.pinned === 0 && share.evictable.size === 0) shares.delete(scope);
    else shares.set(scope, share);
  }

  /** Returns the oldest success of the scope that holds the most, by this measure; undefined if no scope holds any. */
  function oldestOfLargest(measure: (share: Share) => number): string | undefined {
    const holders = [...shares.values()].filter(({ evictable }) => evictable.size > 0);
    const [first, ...others] = holders;
    if (!first) return undefined;
    const largest = others.reduce(
      (max, share) => (measure(share) > measure(max) ? share : max),
      first,
    );
    const [oldest] = largest.evictable.keys();
    return oldest;
  }

  return {
    pin(scope: string): void {
      pinned += 1;
      change(scope, (share) => {
        share.pinned += 1;
      });
    },

    unpin(scope: string): void {
      pinned -= 1;
      change(scope, (share) => {
        share.pinned -= 1;
      });
    },

    addEvictable(scope: string, keyHash: string, bytes: number): void {
      evictableBytes += bytes;
      change(scope, (share) => {
        share.evictable.set(keyHash, bytes);
        share.evictableBytes += bytes;
      });
    },

    removeEvictable(scope: string, keyHash: string): void {
      change(scope, (share) => {
        const bytes = share.evictable.get(keyHash) ?? 0;
        share.evictable.delete(keyHash);
        share.evictableBytes -= bytes;
        evictableBytes -= bytes;
      });
    },

    oldestByBytes: () => oldestOfLargest((share) => share.evictableBytes),

    oldestByCount: () => oldestOfLargest(({ evictable }) => evictable.size),

    /** Returns true if the scope may not pin another entry, because the remaining entries are for scopes with fewer. */
    isAtShare(scope: string): boolean {
      if (pinned < maxEntries * (1 - RESERVED_PART)) return false;
      const own = shares.get(scope);
      // At least two scopes are assumed, because a scope that has no entries yet may follow.
      const scopes = Math.max(2, shares.size + (own ? 0 : 1));
      return (own?.pinned ?? 0) >= Math.max(1, maxEntries / scopes);
    },

    evictableBytes: () => evictableBytes,
  };
}
