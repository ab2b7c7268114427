import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BridgeError, type BridgeErrorOptions } from '../../../errors/bridge-error.ts';
import type { ErrorCode } from '../../../errors/codes.ts';
import type { JobSearch, JobStore } from '../../../jobs/job-store-port.ts';
import type { SearchRequest } from './find-jobs.ts';
import { BLOCK_JOBS, blockOf } from './grams.ts';

/** The files that the search thread opens. */
export interface SearchFiles {
  readonly stateFile: string;
  readonly indexFile: string;
}

/** A message to the search thread. */
export type SearchCommand =
  | { readonly kind: 'find'; readonly id: number; readonly request: SearchRequest }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'added' }
  | { readonly kind: 'removed'; readonly blocks: readonly number[] }
  | { readonly kind: 'close' };

/**
 * A failed update of the index, with the fields of the error, because an error object loses some of its fields when it is sent
 * between threads.
 */
export interface IndexFailure {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: unknown;
}

/** The reply to `find`: at most one sequence more than the limit, or the error. */
export type SearchReply = { readonly id: number } & (
  | { readonly sequences: readonly number[] }
  | {
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: NonNullable<BridgeErrorOptions['details']>;
    }
);

interface Deps {
  readonly files: SearchFiles;
  /** The approximate number of jobs. */
  readonly jobs: number;
  /** Reports that the index could not be updated, or that the thread has failed. */
  readonly onFailure: (error: unknown) => void;
}

interface Waiting {
  onReply(reply: SearchReply): void;
  onThreadEnd(cause: unknown): void;
}

// The maximum number of waiting searches. Further searches are rejected, because an error is better for a client than a longer
// wait.
const MAX_WAITING = 64;
const JOBS_PER_MESSAGE = BLOCK_JOBS / 8;

/** Returns the file of the search index. The file may be removed while no bridge runs. */
export function searchIndexFile(stateFile: string): string {
  return join(dirname(stateFile), 'search.sqlite');
}

export type IndexedSearch = ReturnType<typeof createJobSearch>;

/**
 * Searches in a separate thread, which starts with the first search or with the first complete block. If the thread fails, its
 * searches fail too, and the next search starts another thread.
 */
export function createJobSearch({ files, jobs, onFailure }: Deps) {
  const waiting = new Map<number, Waiting>();
  let thread: SearchThread | undefined;
  let isClosed = false;
  let lastId = 0;
  let unreported = 0;

  function running(): SearchThread {
    thread ??= startSearchThread(files, {
      onReply: (reply) => waiting.get(reply.id)?.onReply(reply),
      onIndexFailure: onFailure,
      onEnd(cause) {
        thread = undefined;
        if (cause !== undefined) onFailure(cause);
        for (const search of [...waiting.values()]) search.onThreadEnd(cause);
      },
    });
    return thread;
  }

  function ask(request: SearchRequest, signal: AbortSignal): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      const forget = () => {
        waiting.delete(id);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        forget();
        thread?.send({ kind: 'forget', id });
        reject(signal.reason);
      };
      waiting.set(id, {
        onReply(reply) {
          forget();
          if ('sequences' in reply) resolve(reply.sequences);
          else reject(new BridgeError(reply.code, reply.message, { details: reply.details }));
        },
        onThreadEnd(cause) {
          forget();
          reject(new BridgeError('overloaded', 'the search thread has ended', { cause }));
        },
      });
      signal.addEventListener('abort', onAbort, { once: true });
      running().send({ kind: 'find', id, request });
    });
  }

  function added(count: number): void {
    unreported += count;
    // Without a complete block there is nothing to index, and no thread is needed until the first search.
    if (isClosed || unreported < (thread === undefined ? BLOCK_JOBS : JOBS_PER_MESSAGE)) return;
    unreported = 0;
    running().send({ kind: 'added' });
  }

  const find: JobSearch['find'] = async (scope, filter, page, signal) => {
    signal.throwIfAborted();
    if (isClosed) throw new BridgeError('overloaded', 'the bridge is stopping');
    if (waiting.size >= MAX_WAITING) {
      throw new BridgeError('overloaded', 'too many searches are waiting');
    }
    const found = await ask({ ...page, scope, filter }, signal);
    return { sequences: found.slice(0, page.limit), more: found.length > page.limit };
  };

  added(jobs);
  return {
    find,

    /** Must be called after each commit that adds jobs, with their number. */
    added,

    /** Must be called after each commit that removes jobs, with their sequences. */
    removed(sequences: readonly number[]): void {
      // A thread that starts later checks all blocks.
      thread?.send({ kind: 'removed', blocks: [...new Set(sequences.map(blockOf))] });
    },

    /** Resolves when the thread has ended. Must be called before the database is closed. */
    async close() {
      isClosed = true;
      thread?.send({ kind: 'close' });
      await thread?.ended;
    },
  };
}

/** Returns a job store that also reports every added and removed job to the index. */
export function reportingTo({ added, removed }: IndexedSearch, store: JobStore): JobStore {
  return {
    ...store,
    async submit(job, admission) {
      const submitted = await store.submit(job, admission);
      if (!submitted.repeated) added(1);
      return submitted;
    },
    async prune(retention) {
      const pruned = await store.prune(retention);
      if (pruned.removed.length > 0) removed(pruned.removed);
      return pruned;
    },
  };
}

interface SearchThread {
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  send(command: SearchCommand): void;
}

interface Listener {
  onReply(reply: SearchReply): void;
  /** Called when the index fails. Searches work without the index, and the thread continues. */
  onIndexFailure(error: Error): void;
  /** Called when the thread has ended. `cause` is the error that ended the thread, undefined after `close`. */
  onEnd(cause: unknown): void;
}

// The limit of the JavaScript heap. The arrays for indexing a block are outside this heap.
const HEAP_MB = 64;

function startSearchThread(
  files: SearchFiles,
  { onReply, onIndexFailure, onEnd }: Listener,
): SearchThread {
  // Always the compiled file, even if this file runs from source. Its path is in `imports` of package.json.
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
