import { cut, type Plane, type Rect } from './plane.ts';

interface Step {
  readonly rect: Rect;
  /** What was there on the other side of the step. */
  readonly pixels: Uint8Array;
}

/** What all steps together may hold: eight changes of the largest plane, or thousands of strokes. */
const MAX_BYTES = 64 * 1024 * 1024;

export type History = ReturnType<typeof createHistory>;

/** Takes changes of a plane back, and makes them again. The oldest are forgotten when the memory for them is full. */
export function createHistory(plane: Plane, maxBytes = MAX_BYTES) {
  const past: Step[] = [];
  const future: Step[] = [];
  const before = new Uint8Array(plane.pixels.length);

  function forget(): void {
    let bytes = [...past, ...future].reduce((sum, { pixels }) => sum + pixels.length, 0);
    while (bytes > maxBytes && past.length > 1) bytes -= past.shift()?.pixels.length ?? 0;
  }

  /** Puts the last step of one side back and keeps how to reverse that on the other. */
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

    /** Remembers the plane as it is, for `commit` and `abandon`. */
    begin(): void {
      before.set(plane.pixels);
    },
    /** Makes one step of what has changed since `begin`. */
    commit(rect: Rect): void {
      past.push({ rect, pixels: cut(before, plane.width, rect) });
      future.length = 0;
      forget();
    },
    /** Reverts the changes since `begin`. */
    abandon(rect: Rect): void {
      plane.put(rect, cut(before, plane.width, rect));
    },

    undo: () => move(past, future),
    redo: () => move(future, past),
  };
}
