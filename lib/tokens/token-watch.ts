import type { Caller } from '../contract/request/caller.ts';
import type { Task } from '../platform/task.ts';

interface Watch {
  /** Whether this caller may still do what was begun. */
  readonly stillMay: (caller: Caller) => boolean;
  readonly onEnd: () => void;
}

// How long something may outlive its token.
const EVERY_MS = 2000;

/** Notices for all who are interested that a token has expired, or that the tokens file refuses or changes it. */
export function createTokenWatch(
  find: (sha256: string) => Caller | undefined,
  isRemoved: (id: string) => boolean,
) {
  const removals = new Set<{ readonly id: string; readonly onRemoval: () => void }>();
  const bySha256 = new Map<string, Set<Watch>>();

  function check(): void {
    // The sets are copied: who is called ends its watch, and may end others.
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
     * Calls `onEnd` while the token with this SHA-256 is not valid, or its caller may no longer do what was begun. Returns
     * how to end the watch.
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

    /** As `NamedTokens.watchRemoval`. */
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
