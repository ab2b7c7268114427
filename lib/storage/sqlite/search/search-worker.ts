import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toBridgeError } from '../../../errors/bridge-error.ts';
import { systemClock } from '../../../platform/clock.ts';
import { toStoreError } from '../driver-errors.ts';
import { findJobs } from './find-jobs.ts';
import { openJobReader } from './job-reader.ts';
import { confirmIndex, forgetRemoved, indexBlocks } from './keep-index.ts';
import { openSearchIndex } from './search-index.ts';
import type { SearchFiles, SearchOrder, SearchReply } from './search-messages.ts';
import { createSearchScheduler, type Steps } from './search-scheduler.ts';
import { createUnindexedBlocks } from './unindexed-blocks.ts';

/** What the search thread runs: it answers searches, and keeps the index between them. */
function serve(port: MessagePort, { stateFile, indexFile }: SearchFiles): void {
  const jobs = openJobReader(stateFile);
  const index = openSearchIndex(indexFile);
  const sources = { jobs, index, unindexed: createUnindexedBlocks(jobs) };
  const turns = createSearchScheduler(systemClock);
  const running = new Map<number, () => void>();
  // Blocks that may have lost jobs. At first all of them: what was removed since they were indexed, nobody has told.
  const suspects = new Set<number>();
  let isKeeping = false;
  let isBehind = false;

  function* keep(): Steps<void> {
    do {
      isBehind = false;
      index.reopen();
      yield* indexBlocks(sources);
      for (const block of suspects) {
        suspects.delete(block);
        yield* forgetRemoved(sources, block);
        yield;
      }
    } while (isBehind);
    isKeeping = false;
  }

  function keepIndex(): void {
    isBehind = true;
    if (isKeeping) return;
    isKeeping = true;
    turns.background(keep(), () => {
      // A full disk, say. Searches go on without, and the next change tries again.
      isKeeping = false;
    });
  }

  function answer(message: SearchReply): void {
    running.delete(message.id);
    port.postMessage(message);
    // A search is what finds a damaged index.
    if (!index.isOpen()) keepIndex();
  }

  function obey(order: SearchOrder): void {
    if (order.kind === 'find') {
      const { id, request } = order;
      const stop = turns.search(
        findJobs(sources, request),
        (sequences) => answer({ id, sequences }),
        (error) => answer({ id, ...toFailure(error) }),
      );
      running.set(id, stop);
    } else if (order.kind === 'forget') {
      running.get(order.id)?.();
      running.delete(order.id);
    } else if (order.kind === 'close') {
      turns.stop();
      index.close();
      jobs.close();
      port.close();
    } else {
      if (order.kind === 'removed') for (const block of order.blocks) suspects.add(block);
      keepIndex();
    }
  }

  confirmIndex(sources);
  for (const { number } of index.blocks()) suspects.add(number);
  keepIndex();
  port.on('message', obey);
}

function toFailure(thrown: unknown) {
  const { code, message, details } = toBridgeError(toStoreError(thrown));
  return { code, message, details };
}

if (parentPort !== null) serve(parentPort, workerData);
