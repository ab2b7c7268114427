import type { Connection } from '../connection/connection.ts';
import { tokenPlace } from '../connection/token-place.ts';
import { type JsonStorage, readJson, writeJson } from '../shell/stored-json.ts';

/** A completed change of many jobs that can be undone. */
interface KeptUndo {
  /** The message about the change. */
  readonly text: string;
  /** The ids of the undos of the bridge, in the order of the changes. */
  readonly ids: readonly string[];
}

const PREFIX = 'image-bridge.undo.';
/** The time for which an undo is offered again after a reload, in milliseconds. */
const KEPT_MS = 60_000;

interface Deps {
  readonly connection: Pick<Connection, 'token'>;
  /** The storage of this tab. */
  readonly storage: JsonStorage;
  readonly nowMs: () => number;
}

/** Keeps the latest undo of the present token in this tab, so that the undo is offered again after a reload. */
export function createKeptUndo({ connection, storage, nowMs }: Deps) {
  const place = () => tokenPlace(PREFIX, connection.token.peek());
  return {
    /** Returns the kept undo, unless it is too old to be offered again. */
    read(): KeptUndo | undefined {
      const kept = readJson(storage, place());
      const { text, ids, madeMs } = Object(kept) as Partial<KeptUndo & { madeMs: number }>;
      if (typeof text !== 'string' || !Array.isArray(ids) || madeMs === undefined) return undefined;
      return nowMs() - madeMs < KEPT_MS ? { text, ids } : undefined;
    },
    write: (kept: KeptUndo) => writeJson(storage, place(), { ...kept, madeMs: nowMs() }),
    clear: () => writeJson(storage, place(), undefined),
  };
}
