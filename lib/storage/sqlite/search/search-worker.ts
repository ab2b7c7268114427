import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toBridgeError } from '../../../errors/bridge-error.ts';
import { systemClock } from '../../../platform/clock.ts';
import { createTimeSlices, type Steps } from '../../../platform/time-slices.ts';
import { toStoreError } from '../driver-errors.ts';
import { findJobs, type SearchRequest } from './find-jobs.ts';
import { openJobReader } from './job-reader.ts';
import { confirmIndex, forgetRemoved, indexBlocks } from './keep-index.ts';
import { openSearchIndex } from './search-index.ts';
import type { SearchFiles, SearchOrder, SearchReply } from './search-messages.ts';
import { createUnindexedBlocks } from './unindexed-blocks.ts';

/** What the search thread runs: it answers searches, and keeps the index between them. */
function serve(port: MessagePort, { stateFile, indexFile }: SearchFiles): void {
  const jobs = openJobReader(stateFile);
  const index = openSearchIndex(indexFile);
  const sources = { jobs, index, unindexed: createUnindexedBlocks(jobs) };
  // Each has its own share of a turn: searches do not hold up the index that would make them short.
  const searches = createTimeSlices(systemClock);
  const background = createTimeSlices(systemClock);
  const closing = new AbortController();
  const running = new Map<number, AbortController>();
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
    background.run(keep(), closing.signal).catch(() => {
      // A full disk, say. Searches go on without, and the next change tries again.
      isKeeping = false;
    });
  }

  function reply(message: SearchReply): void {
    running.delete(message.id);
    port.postMessage(message);
    // A search is what finds a damaged index.
    if (!index.isOpen()) keepIndex();
  }

  async function search(id: number, request: SearchRequest): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const sequences = await searches.run(findJobs(sources, request), controller.signal);
      if (!controller.signal.aborted) reply({ id, sequences });
    } catch (thrown) {
      if (!controller.signal.aborted) reply({ id, ...toFailure(thrown) });
    }
  }

  function obey(order: SearchOrder): void {
    if (order.kind === 'find') {
      void search(order.id, order.request);
    } else if (order.kind === 'forget') {
      running.get(order.id)?.abort();
      running.delete(order.id);
    } else if (order.kind === 'close') {
      closing.abort();
      for (const search of running.values()) search.abort();
      running.clear();
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
