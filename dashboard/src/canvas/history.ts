import { cut, type Plane, type Rect, unite } from './plane.ts';
import { createTiles } from './tiles.ts';

/** The limit for the memory of all steps, in bytes: four changes of the whole largest plane. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The tiles of a step by their index. */
type Tiles = ReadonlyMap<number, Uint8Array>;

interface Step<State> {
  /** The tiles before the step, or the tiles after the step if the step was undone. */
  readonly tiles: Tiles;
  readonly state: State;
  /** Steps with the same key that follow each other are one step. */
  readonly key: string | undefined;
}

interface Deps<State> {
  readonly plane: Plane;
  /** The part of the edit that is not pixels. The values are immutable, and are compared by reference. */
  readonly state: { value: State; peek(): State };
  readonly maxBytes?: number;
}

export type History = Pick<
  ReturnType<typeof createHistory>,
  'begin' | 'touch' | 'commit' | 'abandon'
>;

/**
 * Creates the one undo history of a plane and of its state. A step stores the tiles that it changes. The oldest steps are discarded
 * when the memory limit is reached.
 */
export function createHistory<State>({ plane, state, maxBytes = MAX_BYTES }: Deps<State>) {
  const past: Step<State>[] = [];
  const future: Step<State>[] = [];
  const { indicesOf, rectOf } = createTiles(plane);
  let before = new Map<number, Uint8Array>();
  let stateBefore = state.peek();

  function copyOf(index: number): Uint8Array {
    return cut(plane.pixels, plane.width, rectOf(index));
  }

  /** Writes tiles to the plane. Returns the smallest rectangle around the tiles. */
  function put(tiles: Tiles): Rect | undefined {
    let changed: Rect | undefined;
    for (const [index, pixels] of tiles) {
      const rect = rectOf(index);
      plane.put(rect, pixels);
      changed = unite(changed, rect);
    }
    return changed;
  }

  function forget(): void {
    let bytes = [...past, ...future].reduce((sum, { tiles }) => sum + bytesOf(tiles), 0);
    while (bytes > maxBytes && past.length > 1) bytes -= bytesOf(past.shift()?.tiles ?? new Map());
  }

  /** Reverts the last step of the stack `from`, and pushes the inverse step onto the stack `to`. */
  function move(from: Step<State>[], to: Step<State>[]): Rect | undefined {
    const step = from.pop();
    if (step === undefined) return undefined;
    const tiles = new Map([...step.tiles.keys()].map((index) => [index, copyOf(index)]));
    to.push({ tiles, state: state.peek(), key: undefined });
    state.value = step.state;
    return put(step.tiles);
  }

  return {
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,

    /** Starts a step. */
    begin(): void {
      before = new Map();
      stateBefore = state.peek();
    },
    /** Remembers the tiles of an area before they are changed in the current step. */
    touch(area: Rect): void {
      for (const index of indicesOf(area)) {
        if (!before.has(index)) before.set(index, copyOf(index));
      }
    },
    /** Ends the step and stores its changes. Without a change, nothing is stored. */
    commit(key?: string): void {
      const tiles = new Map(
        [...before].filter(([index, pixels]) => isChanged(pixels, copyOf(index))),
      );
      before = new Map();
      if (tiles.size === 0 && stateBefore === state.peek()) return;
      const isSame = key !== undefined && past.at(-1)?.key === key && future.length === 0;
      future.length = 0;
      if (isSame) return;
      past.push({ tiles, state: stateBefore, key });
      forget();
    },
    /** Reverts the changes since `begin`. Returns the changed area. */
    abandon(): Rect | undefined {
      const rect = put(before);
      before = new Map();
      state.value = stateBefore;
      return rect;
    },

    undo: () => move(past, future),
    redo: () => move(future, past),
  };
}

function bytesOf(tiles: Tiles): number {
  return [...tiles.values()].reduce((sum, { length }) => sum + length, 0);
}

function isChanged(a: Readonly<Uint8Array>, b: Readonly<Uint8Array>): boolean {
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return true;
  return false;
}
