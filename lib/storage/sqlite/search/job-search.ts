import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobSearch, JobStore } from '../../../jobs/job-store-port.ts';
import { abortable } from '../../../platform/abortable.ts';
import { restoreThrown, type ThrownCopy } from '../../../platform/thrown-copy.ts';
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

/** A message from the search thread. */
export type SearchReport =
  /** The reply to `find`. There is at most one sequence more than the limit. */
  | { readonly id: number; readonly sequences: readonly number[] }
  | { readonly id: number; readonly thrown: ThrownCopy }
  /** The index could not be updated. Searches work without the index, and the thread continues. */
  | { readonly indexFailure: ThrownCopy };

interface Deps {
  readonly files: SearchFiles;
  /** The approximate number of jobs. */
  readonly jobs: number;
  /** Reports that the index could not be updated, or that the thread has failed. */
  readonly onFailure: (error: unknown) => void;
}

type Waiting = PromiseWithResolvers<readonly number[]>;

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

  function onReport(report: SearchReport): void {
    if ('indexFailure' in report) {
      onFailure(restoreThrown(report.indexFailure));
      return;
    }
    const search = waiting.get(report.id);
    waiting.delete(report.id);
    if ('sequences' in report) search?.resolve(report.sequences);
    else search?.reject(restoreThrown(report.thrown));
  }

  function onEnd(cause: unknown): void {
    thread = undefined;
    if (cause !== undefined) onFailure(cause);
    const failure = new BridgeError('overloaded', 'the search thread has ended', { cause });
    for (const search of waiting.values()) search.reject(failure);
    waiting.clear();
  }

  function running(): SearchThread {
    thread ??= startSearchThread(files, onReport, onEnd);
    return thread;
  }

  async function ask(request: SearchRequest, signal: AbortSignal): Promise<readonly number[]> {
    lastId += 1;
    const id = lastId;
    const search: Waiting = Promise.withResolvers();
    waiting.set(id, search);
    try {
      running().send({ kind: 'find', id, request });
      return await abortable(search.promise, signal);
    } finally {
      // The search is still waiting only if the signal has aborted.
      if (waiting.delete(id)) thread?.send({ kind: 'forget', id });
    }
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

    /** Must be called after each commit that adds jobs, with the number of added jobs. */
    added,

    /** Must be called after each commit that removes jobs, with the sequences of the removed jobs. */
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

type SearchThread = ReturnType<typeof startSearchThread>;

// The limit of the JavaScript heap. The arrays for indexing a block are outside this heap.
const HEAP_MB = 64;

/** Starts the thread. `onEnd` is called with the error that ended the thread, or with undefined after the `close` command. */
function startSearchThread(
  files: SearchFiles,
  onReport: (report: SearchReport) => void,
  onEnd: (cause: unknown) => void,
) {
  // The worker is always the compiled file, even if this file runs from source. The path of the worker is in `imports` of
  // package.json.
  const program = createRequire(import.meta.url).resolve('#search-worker');
  const worker = new Worker(program, {
    name: 'search',
    workerData: files,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  let cause: unknown;
  worker.on('message', onReport);
  worker.on('error', (error) => {
    cause = error;
  });
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', () => {
      onEnd(cause);
      resolve();
    });
  });
  return {
    /** Resolves when the thread has ended. */
    ended,
    send: (command: SearchCommand) => worker.postMessage(command),
  };
}
