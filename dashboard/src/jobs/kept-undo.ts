import type { Connection } from '../connection/connection.ts';
import { tokenPlace } from '../connection/token-place.ts';
import { type JsonStorage, readJson, writeJson } from '../shell/stored-json.ts';
import type { SwitchedMarks } from './image-marks.ts';

/** A request that undoes a change: a batch by its undo on the bridge, or the marks of one job or image by their earlier values. */
export type Revert =
  | { readonly batch: string }
  | { readonly job: string; readonly hidden: boolean }
  | {
      readonly job: string;
      readonly image: string;
      readonly marks: SwitchedMarks;
    };

/** A completed change that can be undone. */
interface KeptUndo {
  /** The message about the change. */
  readonly text: string;
  /** In the order of the changes. */
  readonly reverts: readonly Revert[];
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
      const { text, reverts, madeMs = 0 } = Object(kept) as Partial<KeptUndo & { madeMs: number }>;
      if (typeof text !== 'string' || !Array.isArray(reverts)) return undefined;
      return nowMs() - madeMs < KEPT_MS ? { text, reverts } : undefined;
    },
    write: (kept: KeptUndo) => writeJson(storage, place(), { ...kept, madeMs: nowMs() }),
    clear: () => writeJson(storage, place(), undefined),
  };
}
