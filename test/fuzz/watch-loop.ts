/**
 * Runs inside a started program (`node --import`). Appends a line to the file `WATCHED_LOOP` for each stretch of the event loop
 * that computes too long, with the last requests.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import { MAX_STRETCH_MS, threadCpuMs } from './stretches.ts';

const INTERVAL_MS = 5;
const MAX_REQUESTS = 3;
const file = process.env['WATCHED_LOOP'];

if (isMainThread && file !== undefined) {
  let requests: string[] = [];
  subscribe('http.server.request.start', (message) => {
    // Node documents this member of the message.
    const { request } = message as { readonly request: IncomingMessage };
    requests = [...requests.slice(1 - MAX_REQUESTS), `${request.method} ${request.url}`];
  });
  let beforeMs = threadCpuMs();
  setInterval(() => {
    const nowMs = threadCpuMs();
    const tookMs = nowMs - beforeMs;
    beforeMs = nowMs;
    // Between two calls the thread computes for up to one interval before the stretch itself.
    if (tookMs <= MAX_STRETCH_MS + INTERVAL_MS) return;
    appendFileSync(file, `${Math.round(tookMs)} ms after ${requests.join(', ')}\n`);
  }, INTERVAL_MS).unref();
}
