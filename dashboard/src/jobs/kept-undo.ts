/** A completed change of many jobs that can be undone. */
interface KeptUndo {
  /** The message about the change. */
  readonly text: string;
  /** The ids of the undos of the bridge, in the order of the changes. */
  readonly ids: readonly string[];
}

const KEY = 'image-bridge.undo';
/** The time for which an undo is offered again after a reload, in milliseconds. */
const KEPT_MS = 60_000;

/** Keeps the latest undo in this tab, so that a reload right after a change does not take the undo away. */
export function createKeptUndo(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  nowMs: () => number,
) {
  return {
    /** Returns the kept undo, unless it is too old to be offered again. */
    read(): KeptUndo | undefined {
      try {
        const kept: unknown = JSON.parse(storage.getItem(KEY) ?? 'null');
        const { text, ids, madeMs } = Object(kept) as Partial<KeptUndo & { madeMs: number }>;
        if (typeof text !== 'string' || !Array.isArray(ids) || madeMs === undefined)
          return undefined;
        return nowMs() - madeMs < KEPT_MS ? { text, ids } : undefined;
      } catch {
        return undefined;
      }
    },
    write(kept: KeptUndo): void {
      try {
        storage.setItem(KEY, JSON.stringify({ ...kept, madeMs: nowMs() }));
      } catch {
        // The storage is full or blocked, so the undo is offered until the page is closed.
      }
    },
    clear: () => storage.removeItem(KEY),
  };
}
