import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { IndexFailure, SearchCommand, SearchFiles, SearchReply } from './search-messages.ts';

export interface SearchThread {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  send(command: SearchCommand): void;
}

interface Listener {
  onReply(reply: SearchReply): void;
  /** Searches work without the index, and the thread runs on. */
  onIndexFailure(error: Error): void;
  /** `cause` is the error that ended it; undefined after `close`. */
  onEnd(cause: unknown): void;
}

// The arrays that indexing a block needs are outside of this heap.
const HEAP_MB = 64;

export function startSearchThread(
  files: SearchFiles,
  { onReply, onIndexFailure, onEnd }: Listener,
): SearchThread {
  // The compiled file, whether this runs compiled or from source: package.json's imports say where it is.
  const program = createRequire(import.meta.url).resolve('#search-worker');
  const worker = new Worker(program, {
    name: 'search',
    workerData: files,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let cause: unknown;
  worker.on('message', (message: SearchReply | IndexFailure) => {
    if ('id' in message) onReply(message);
    else onIndexFailure(Object.assign(new Error(message.message), message));
  });
  worker.on('error', (error) => {
    cause = error;
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onEnd(cause);
      resolve();
    });
  });
  return { ended, send: (command) => worker.postMessage(command) };
}
