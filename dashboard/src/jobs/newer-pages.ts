import { batch, type Signal } from '@preact/signals';
import { joined } from '../api/api.ts';
import type { JobSummary } from '../api/schemas.ts';
import type { FeedPages } from './feed-pages.ts';
import { type JobFilter, LARGEST_PAGE, toJobQuery } from './job-filter.ts';

/** The upper end of a feed that does not begin with the newest job. */
export interface FeedTop {
  /** The feed began with the newest job that was accepted before this time, in Unix seconds. */
  readonly until: number;
  /** The newest job that has been read since. */
  readonly lastId?: string;
}

/** The list of a feed. `Read` is the state of a page that is being read. */
interface FeedList<Read> {
  begin(): Read;
  prepend(read: Read, page: readonly JobSummary[]): void;
  forget(read: Read): void;
}

interface NewerParts<Read> {
  readonly top: Signal<FeedTop | undefined>;
  readonly list: FeedList<Read>;
  readonly pages: Pick<FeedPages, 'request' | 'addNewer'>;
}

/**
 * Creates the function that reads pages above a feed, from the jobs next to the feed upwards, until `count` more jobs are listed. Stops
 * at a failure, after which the next call continues. A call during a read joins this read.
 */
export function createNewerReader<Read>(
  filter: JobFilter,
  { top, list, pages }: NewerParts<Read>,
): (count: number) => Promise<void> {
  let cursor: string | undefined;
  let left = 0;

  /** Resolves with the number of jobs on the page. */
  async function readPage({ until }: FeedTop): Promise<number> {
    const read = list.begin();
    try {
      const ofFilter = toJobQuery(filter);
      const query = {
        ...ofFilter,
        created_after: Math.max(until, ofFilter.created_after ?? 0),
        order: 'oldest' as const,
        limit: LARGEST_PAGE,
        ...(cursor && { cursor }),
      };
      const { items, next_cursor } = await pages.request(query);
      const lastId = items.at(-1)?.id;
      batch(() => {
        cursor = next_cursor;
        top.value = cursor === undefined ? undefined : { until, ...(lastId && { lastId }) };
        list.prepend(read, items.toReversed());
        pages.addNewer(query, items);
      });
      return items.length;
    } catch (error) {
      list.forget(read);
      throw error;
    }
  }

  const read = joined(async () => {
    try {
      for (let at = top.peek(); at !== undefined && left > 0; at = top.peek()) {
        left -= await readPage(at);
      }
    } catch {
      // The next scroll reads on.
    } finally {
      left = 0;
    }
  });

  return (count) => {
    left = Math.max(left, count);
    return read();
  };
}
