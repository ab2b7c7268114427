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
  /** Called if the index failed. Searches work without it, and the thread continues. */
  onIndexFailure(error: Error): void;
  /** Called when the thread has ended. `cause` is the error that ended the thread, undefined after `close`. */
  onEnd(cause: unknown): void;
}

// The arrays for indexing a block are outside this heap.
const HEAP_MB = 64;

export function startSearchThread(
  files: SearchFiles,
  { onReply, onIndexFailure, onEnd }: Listener,
): SearchThread {
  // Always the compiled file, even if this file runs from source. `imports` in package.json has its path.
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
