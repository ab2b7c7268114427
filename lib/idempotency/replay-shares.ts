/** The entries of one scope. */
interface Share {
  /** The keys of successes and their memory, oldest first. */
  readonly evictable: Map<string, number>;
  evictableBytes: number;
  /** Requests in flight and unknown outcomes, which are never evicted. */
  pinned: number;
}

/** The part of the entries that is left for scopes below their equal share. */
const RESERVED_PART = 0.1;

/** Counts the entries of each scope, so that a scope makes room at its own cost before it does at that of others. */
export function createReplayShares(maxEntries: number) {
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

    /** True if the scope may not pin another entry, because the remaining ones are for scopes with fewer. */
    isAtShare(scope: string): boolean {
      if (pinned < maxEntries * (1 - RESERVED_PART)) return false;
      const own = shares.get(scope);
      // There may always be one more scope, which has sent nothing yet.
      const scopes = Math.max(2, shares.size + (own ? 0 : 1));
      return (own?.pinned ?? 0) >= Math.max(1, maxEntries / scopes);
    },

    evictableBytes: () => evictableBytes,
  };
}
