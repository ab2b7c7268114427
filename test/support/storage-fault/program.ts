/**
 * Loaded with `--import` by every thread of a bridge. The thread that `STORAGE_THREAD` names ends in the way that
 * `STORAGE_FAULT` names, as soon as the file `break` exists in the working directory.
 */
import { existsSync, watch } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

const FAULTS: Readonly<Record<string, () => void>> = {
  error() {
    throw new TypeError('a text that must not be printed');
  },
  exit: () => process.exit(0),
  memory() {
    const filled: number[][] = [];
    for (;;) filled.push(new Array<number>(1_000_000).fill(0.5));
  },
};

function breakIfTold(): void {
  if (existsSync('break')) FAULTS[process.env['STORAGE_FAULT'] ?? '']?.();
}

if (!isMainThread && workerData === process.env['STORAGE_THREAD']) {
  watch(process.cwd(), breakIfTold).unref();
  // The thread may start after the file was made.
  breakIfTold();
}
