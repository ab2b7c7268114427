import { cut, type Plane, type Rect } from './plane.ts';

interface Step {
  readonly rect: Rect;
  /** The pixels before the step, or the pixels after the step if the step was undone. */
  readonly pixels: Uint8Array;
}

/** The limit for the memory of all steps, in bytes: eight changes of the whole largest plane. */
const MAX_BYTES = 64 * 1024 * 1024;

export type History = ReturnType<typeof createHistory>;

/** Creates the undo history of a plane. The oldest steps are discarded when the memory limit is reached. */
export function createHistory(plane: Plane, maxBytes = MAX_BYTES) {
  const past: Step[] = [];
  const future: Step[] = [];
  const before = new Uint8Array(plane.pixels.length);

  function forget(): void {
    let bytes = [...past, ...future].reduce((sum, { pixels }) => sum + pixels.length, 0);
    while (bytes > maxBytes && past.length > 1) bytes -= past.shift()?.pixels.length ?? 0;
  }

  /** Reverts the last step of the stack `from`, and pushes the inverse step onto the stack `to`. */
  function move(from: Step[], to: Step[]): Rect | undefined {
    const step = from.pop();
    if (step === undefined) return undefined;
    to.push({ rect: step.rect, pixels: cut(plane.pixels, plane.width, step.rect) });
    plane.put(step.rect, step.pixels);
    return step.rect;
  }

  return {
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,

    /** Remembers the pixels of the plane for `commit` and `abandon`. */
    begin(): void {
      before.set(plane.pixels);
    },
    /** Stores the changes since `begin` as one step. `rect` must contain all changes. */
    commit(rect: Rect): void {
      past.push({ rect, pixels: cut(before, plane.width, rect) });
      future.length = 0;
      forget();
    },
    /** Reverts the changes since `begin`. `rect` must contain all changes. */
    abandon(rect: Rect): void {
      plane.put(rect, cut(before, plane.width, rect));
    },

    undo: () => move(past, future),
    redo: () => move(future, past),
  };
}
