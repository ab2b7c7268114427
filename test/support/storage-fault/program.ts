/**
 * Loaded with `--import` by every thread of a bridge. The storage thread ends in the way that `STORAGE_FAULT` names, as soon as
 * the file `break` appears in the working directory.
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

if (!isMainThread && workerData === 'storage') {
  watch(process.cwd(), () => {
    if (existsSync('break')) FAULTS[process.env['STORAGE_FAULT'] ?? '']?.();
  }).unref();
}
