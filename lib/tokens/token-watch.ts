import type { Caller } from '../contract/request/caller.ts';
import type { Task } from '../platform/task.ts';

interface Watch {
  /** Returns true if this caller still has the permission for the watched work. */
  readonly stillMay: (caller: Caller) => boolean;
  readonly onEnd: () => void;
}

// The maximum time for which work continues after its token has become invalid.
const EVERY_MS = 2000;

/** Checks periodically whether watched tokens have expired or were changed or removed in the tokens file. */
export function createTokenWatch(
  find: (sha256: string) => Caller | undefined,
  isRemoved: (id: string) => boolean,
) {
  const removals = new Set<{ readonly id: string; readonly onRemoval: () => void }>();
  const bySha256 = new Map<string, Set<Watch>>();

  function check(): void {
    // The sets are copied because a called listener ends its watch and may end others.
    for (const [sha256, watches] of bySha256) {
      const caller = find(sha256);
      for (const { stillMay, onEnd } of [...watches]) {
        if (caller === undefined || !stillMay(caller)) onEnd();
      }
    }
    for (const removal of [...removals]) {
      if (isRemoved(removal.id) && removals.delete(removal)) removal.onRemoval();
    }
  }

  return {
    /**
     * Calls `onEnd` at each check while the token with this SHA-256 is invalid or its caller lacks the permission. Returns a
     * function that ends the watch.
     */
    watch(sha256: string, stillMay: Watch['stillMay'], onEnd: () => void): () => void {
      const watch = { stillMay, onEnd };
      bySha256.set(sha256, (bySha256.get(sha256) ?? new Set()).add(watch));
      return () => {
        const watches = bySha256.get(sha256);
        watches?.delete(watch);
        if (watches?.size === 0) bySha256.delete(sha256);
      };
    },

    /** See `NamedTokens.watchRemoval`. */
    watchRemoval(id: string, onRemoval: () => void): () => void {
      if (isRemoved(id)) {
        onRemoval();
        return () => {};
      }
      const removal = { id, onRemoval };
      removals.add(removal);
      return () => void removals.delete(removal);
    },

    task: { name: 'tokens-file', everyMs: EVERY_MS, run: async () => check() } satisfies Task,
  };
}
