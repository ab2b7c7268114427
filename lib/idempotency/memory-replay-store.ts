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

interface Finished {
  readonly fingerprint: string;
  readonly outcome: StoredOutcome;
  readonly bytes: number;
  readonly expiresMs: number;
}

// Two hashes and their entries in the tables.
const ENTRY_BYTES = 512;
const EXPIRY_EVERY_MS = 60_000;

/**
 * Keys in the memory of one process: a restart forgets them (contract.md 13). The oldest outcome is removed
 * first when space is needed. An outcome larger than all of the space is not kept: its repeat is a new request.
 */
export function createMemoryReplayStore({ clock, limits }: Deps) {
  const running = new Map<string, string>();
  // In the order in which they finished, which is that in which they expire.
  const finished = new Map<string, Finished>();
  let heldBytes = 0;

  function drop(keyHash: string, { bytes }: Finished): void {
    finished.delete(keyHash);
    heldBytes -= bytes;
  }

  function dropOldest(): boolean {
    for (const [keyHash, entry] of finished) {
      drop(keyHash, entry);
      return true;
    }
    return false;
  }

  function dropExpired(): void {
    const nowMs = clock.monotonicMs();
    for (const [keyHash, entry] of finished) {
      if (entry.expiresMs > nowMs) return;
      drop(keyHash, entry);
    }
  }

  function claimNow(keyHash: string, fingerprint: string): Claim {
    dropExpired();
    const kept = finished.get(keyHash);
    const known = kept?.fingerprint ?? running.get(keyHash);
    if (known !== undefined && known !== fingerprint) return { kind: 'conflict' };
    if (kept) return { kind: 'finished', outcome: kept.outcome };
    if (known !== undefined) return { kind: 'running' };
    const isFull = running.size + finished.size >= limits.max_entries;
    if (isFull && !dropOldest()) return { kind: 'full' };
    running.set(keyHash, fingerprint);
    return { kind: 'claimed' };
  }

  function finishNow(keyHash: string, outcome: StoredOutcome, outcomeBytes: number): void {
    const fingerprint = running.get(keyHash);
    if (fingerprint === undefined) return;
    running.delete(keyHash);
    const bytes = outcomeBytes + ENTRY_BYTES;
    if (bytes > limits.max_completed_bytes) return;
    while (heldBytes + bytes > limits.max_completed_bytes) dropOldest();
    const expiresMs = clock.monotonicMs() + limits.completed_ttl_secs * 1000;
    finished.set(keyHash, { fingerprint, outcome, bytes, expiresMs });
    heldBytes += bytes;
  }

  const store: ReplayStore = {
    claim: async (keyHash, fingerprint) => claimNow(keyHash, fingerprint),
    finish: async (keyHash, outcome, bytes) => finishNow(keyHash, outcome, bytes),
    async forget(keyHash) {
      running.delete(keyHash);
    },
  };
  return {
    ...store,

    /** A task: frees the memory of expired outcomes, also when no request with a key comes. */
    expiry: {
      name: 'idempotency-expiry',
      everyMs: EXPIRY_EVERY_MS,
      run: async () => dropExpired(),
    },

    /** For diagnostics and tests. */
    size: () => ({ running: running.size, finished: finished.size, heldBytes }),
  };
}
