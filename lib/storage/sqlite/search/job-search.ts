import { dirname, join } from 'node:path';
import { BridgeError } from '../../../errors/bridge-error.ts';
import type { JobSearch } from '../../../jobs/job-store-port.ts';
import type { SearchRequest } from './find-jobs.ts';
import { BLOCK_JOBS, blockOf } from './grams.ts';
import type { SearchFiles, SearchReply } from './search-messages.ts';
import { type SearchThread, startSearchThread } from './search-thread.ts';

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

// Further searches are rejected, because an error is better for a client than a longer wait.
const MAX_WAITING = 64;
const JOBS_PER_MESSAGE = BLOCK_JOBS / 8;

/** Returns the file of the search index. The file may be removed while no bridge runs. */
export function searchIndexFile(stateFile: string): string {
  return join(dirname(stateFile), 'search.sqlite');
}

/**
 * Searches in a separate thread, which starts with the first search or with the first complete block. If the thread fails, its
 * searches fail too, and the next search starts another thread.
 */
export function createJobSearch({ files, jobs, onFailure }: Deps): JobSearch {
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

  added(jobs);
  return {
    async find(scope, filter, page, signal) {
      signal.throwIfAborted();
      if (isClosed) throw new BridgeError('overloaded', 'the bridge is stopping');
      if (waiting.size >= MAX_WAITING) {
        throw new BridgeError('overloaded', 'too many searches are waiting');
      }
      const found = await ask({ ...page, scope, filter }, signal);
      return { sequences: found.slice(0, page.limit), more: found.length > page.limit };
    },
    added,
    removed(sequences) {
      // A thread that starts later checks all blocks.
      thread?.send({ kind: 'removed', blocks: [...new Set(sequences.map(blockOf))] });
    },
    async close() {
      isClosed = true;
      thread?.send({ kind: 'close' });
      await thread?.ended;
    },
  };
}
