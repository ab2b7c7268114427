import { alphaOfDistance, clearRow, stepRow } from './clear-background.ts';
import { createDespill } from './despill.ts';
import { findKey } from './find-key.ts';
import type { MatteTask, Plate } from './matte-task.ts';

/** The number of rows between two checks of the stop flag. */
const ROWS_AT_ONCE = 16;

/**
 * Makes the flat background transparent, in the given buffer (contract.md 2, "The matte's distance"). False if it was
 * stopped. The same task gives the same bytes on every machine, because all arithmetic is of integers.
 */
export function cutOut(task: MatteTask): boolean {
  const { width, height, despill, stop } = task;
  const pixels = new Uint8Array(task.data);
  const plate: Plate = {
    pixels,
    width,
    height,
    distances: new Uint8Array(width * height),
    steps: new Uint8Array(width * height),
  };
  const key = findKey(plate, task.key);
  const alphas = alphaOfDistance(task);
  const flag = new Int32Array(stop);

  /** False if it was stopped. */
  function eachRow(work: (y: number) => void): boolean {
    for (let y = 0; y < height; y += 1) {
      if (y % ROWS_AT_ONCE === 0 && Atomics.load(flag, 0) !== 0) return false;
      work(y);
    }
    return true;
  }

  return (
    eachRow((y) => clearRow(y, plate, key, alphas)) &&
    (!despill ||
      (eachRow((y) => stepRow(height - 1 - y, plate)) &&
        eachRow(createDespill(plate, key, alphas))))
  );
}
