import type { Clock } from '../platform/clock.ts';
import { createReplayShares } from './replay-shares.ts';
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

// Two hashes and their entries in the tables.
const ENTRY_BYTES = 512;
const EXPIRY_EVERY_MS = 60_000;

/**
 * Creates a store in the memory of one process: a restart forgets its keys. When space is needed, the scope that holds the
 * most loses its oldest success first. A success larger than all of the space is not kept: its repeat is a new request.
 */
export function createMemoryReplayStore({ clock, limits }: Deps) {
  const running = new Map<string, Running>();
  // In the order in which they finished, which is also the order in which they expire.
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
    // The new outcome is evicted as well if it alone is more than any other scope holds.
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

    /** A task: frees the memory of expired outcomes, also when no request with a key comes. */
    expiry: {
      name: 'idempotency-expiry',
      everyMs: EXPIRY_EVERY_MS,
      run: async () => removeExpired(),
    },

    /** For diagnostics and tests. */
    size: () => ({
      running: running.size,
      finished: finished.size,
      heldBytes: shares.evictableBytes(),
    }),
  };
}
