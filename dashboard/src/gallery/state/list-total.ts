import type { Api } from '../../api/api.ts';
import { readTotal, type Total } from '../../jobs/read-total.ts';
import { painted } from '../../shell/painted.ts';
import { type CountDeps, createListCount } from './list-count.ts';

/** The delay between a change of a job and the next count, in milliseconds. */
const LATER_MS = 4000;

interface Deps extends CountDeps {
  readonly api: Pick<Api, 'GET'>;
}

/**
 * Counts the jobs of the list on all pages. The request is sent after the cards have been painted, because a search counts up to 10,000
 * jobs, and reads only 60 for its first page.
 */
export function createListTotal(deps: Deps) {
  return createListCount<Total>(deps, {
    laterMs: LATER_MS,
    async read(filter, abort) {
      await painted();
      // The number of a list that has been read to its end is known.
      if (abort.aborted || deps.feed.peek().isWhole()) return undefined;
      return readTotal(deps.api, filter, abort);
    },
  });
}
