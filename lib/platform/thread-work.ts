import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Returns the result of a thread: `value`, with `buffers` transferred instead of copied. */
export function transferResult(value: object, buffers: readonly ArrayBuffer[]) {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value });
}

/** The number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

/** Calls `work` for each row of an image. Returns false if the task was stopped. `stop` is the flag that the pool adds to a task. */
export function eachRow(height: number, stop: SharedArrayBuffer, work: (y: number) => void) {
  const flag = new Int32Array(stop);
  for (let y = 0; y < height; y += 1) {
    if (y % ROWS_AT_ONCE === 0 && Atomics.load(flag, 0) !== 0) return false;
    work(y);
  }
  return true;
}
