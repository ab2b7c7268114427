import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ask } from './server-process.ts';

/** Requests of one kind, one after the other on each connection, until the time is over. */
export interface LoadTask {
  readonly port: number;
  /** Headers of each request as sent, except `Host` and `Content-Length`. A connection always sends the same headers. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly forMs: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly bodyFile?: string;
  /** Content type of the file. JSON by default. */
  readonly contentType?: string;
}

export interface LoadResult {
  readonly completed: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Rejects if a reply is not a success or a connection breaks. */
export type Load = (task: LoadTask) => Promise<LoadResult>;

const PROGRAM = fileURLToPath(new URL('../programs/load-generator.js', import.meta.url));

/** Starts the process that creates the load, because the load must not share an event loop with a server. */
export function startLoad(): { load: Load; stop(): void } {
  const child = fork(PROGRAM);
  return {
    async load(task) {
      const reply = await ask<LoadResult | { readonly failed: string }>(child, task);
      if ('failed' in reply) throw new Error(reply.failed);
      return reply;
    },
    stop: () => child.disconnect(),
  };
}
