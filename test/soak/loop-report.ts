/** Runs inside a started program (`node --import`). Writes the longest stretch of the event loop of each second into `LOOP_REPORT`. */
import { writeFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import { threadCpuMs } from '../fuzz/stretches.ts';

const INTERVAL_MS = 5;
const REPORT_MS = 1000;
const file = process.env['LOOP_REPORT'];

if (isMainThread && file !== undefined) {
  let beforeMs = threadCpuMs();
  let longestMs = 0;
  setInterval(() => {
    const nowMs = threadCpuMs();
    longestMs = Math.max(longestMs, nowMs - beforeMs);
    beforeMs = nowMs;
  }, INTERVAL_MS).unref();
  setInterval(() => {
    const text = String(longestMs);
    longestMs = 0;
    void writeFile(file, text);
  }, REPORT_MS).unref();
}
