import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { SearchFiles, SearchOrder, SearchReply } from './search-messages.ts';

export interface SearchThread {
  /** Resolves when it runs no more. */
  readonly ended: Promise<void>;
  tell(order: SearchOrder): void;
}

interface Listener {
  onAnswer(answer: SearchReply): void;
  /** `cause` is what it died of; undefined when it was told to close. */
  onEnd(cause: unknown): void;
}

// What a block needs while it is indexed lies outside of this heap.
const HEAP_MB = 64;

export function startSearchThread(files: SearchFiles, { onAnswer, onEnd }: Listener): SearchThread {
  // The compiled file, whether this runs compiled or from source: package.json's imports say where it is.
  const program = createRequire(import.meta.url).resolve('#search-worker');
  const worker = new Worker(program, {
    name: 'search',
    workerData: files,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let cause: unknown;
  worker.on('message', onAnswer);
  worker.on('error', (error) => {
    cause = error;
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onEnd(cause);
      resolve();
    });
  });
  return { ended, tell: (order) => worker.postMessage(order) };
}
