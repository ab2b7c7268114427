import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toBridgeError } from '../../../errors/bridge-error.ts';
import { systemClock } from '../../../platform/clock.ts';
import { copyThrown } from '../../../platform/thrown-copy.ts';
import { createTimeSlices, type Steps } from '../../../platform/time-slices.ts';
import { toStoreError } from '../driver-errors.ts';
import { findJobs, type SearchRequest } from './find-jobs.ts';
import { confirmIndex, forgetRemoved, indexBlocks } from './index-blocks.ts';
import { openJobReader } from './job-reader.ts';
import type { SearchCommand, SearchFiles, SearchReport } from './job-search.ts';
import { openSearchIndex } from './search-index.ts';
import { createUnindexedBlocks } from './unindexed-blocks.ts';

/** Runs the search thread: serves searches, and updates the index between them. */
function serve(port: MessagePort, { stateFile, indexFile }: SearchFiles): void {
  const post = (report: SearchReport) => port.postMessage(report);
  const jobs = openJobReader(stateFile);
  const index = openSearchIndex(indexFile);
  const sources = { jobs, index, unindexed: createUnindexedBlocks(jobs) };
  // Searches and index updates have separate time slices, so that searches do not delay the updates that make later searches
  // fast.
  const searches = createTimeSlices(systemClock);
  const background = createTimeSlices(systemClock);
  const closing = new AbortController();
  const running = new Map<number, AbortController>();
  // Blocks that may have lost jobs. At the start, all blocks are included, because removals are not reported while the thread
  // does not run.
  const suspects = new Set<number>();
  let isUpdating = false;
  let isBehind = false;
  let hasFailed = false;

  function* update(): Steps<void> {
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
    isUpdating = false;
    hasFailed = false;
  }

  function updateIndex(): void {
    isBehind = true;
    if (isUpdating) return;
    isUpdating = true;
    background.run(update(), closing.signal).catch((thrown: unknown) => {
      // An update fails, for example, if the disk is full. Searches work without the index, and the next change retries the
      // update.
      isUpdating = false;
      hasFailed = true;
      if (!closing.signal.aborted) post({ indexFailure: copyThrown(thrown) });
    });
  }

  function reply(report: SearchReport & { readonly id: number }): void {
    running.delete(report.id);
    post(report);
    // The search may have removed a damaged index. After a failed update, searches do not try to rebuild the index.
    if (!index.isOpen() && !hasFailed) updateIndex();
  }

  async function search(id: number, request: SearchRequest): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const sequences = await searches.run(findJobs(sources, request), controller.signal);
      if (!controller.signal.aborted) reply({ id, sequences });
    } catch (thrown) {
      if (!controller.signal.aborted)
        reply({ id, thrown: copyThrown(toBridgeError(toStoreError(thrown))) });
    }
  }

  function handle(command: SearchCommand): void {
    if (command.kind === 'find') {
      void search(command.id, command.request);
    } else if (command.kind === 'forget') {
      running.get(command.id)?.abort();
      running.delete(command.id);
    } else if (command.kind === 'close') {
      closing.abort();
      for (const search of running.values()) search.abort();
      running.clear();
      index.close();
      jobs.close();
      port.close();
    } else {
      if (command.kind === 'removed') for (const block of command.blocks) suspects.add(block);
      updateIndex();
    }
  }

  confirmIndex(sources);
  for (const { number } of index.blocks()) suspects.add(number);
  updateIndex();
  port.on('message', handle);
}

if (parentPort !== null) serve(parentPort, workerData);
