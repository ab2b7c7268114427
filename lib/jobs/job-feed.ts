import { isTerminal } from '../contract/resources/job.ts';
import type { JobFeedEvent } from '../contract/resources/job-events.ts';
import type { JobNotice, JobNotices, JobProgressStore } from './job-notices-port.ts';
import type { JobPageRequest, JobStore, JobSummary } from './job-store-port.ts';
import { summarizer } from './jobs.ts';
import type { QueueControl } from './queue-control.ts';
import type { QueueNews } from './queue-news.ts';

/** The reads of a feed. */
export interface FeedReads {
  readonly store: Pick<JobStore, 'list' | 'summaries' | 'changesAfter'>;
  readonly progress: Pick<JobProgressStore, 'find'>;
  readonly queue: Pick<QueueControl, 'readOwn'>;
}

// The maximum number of jobs that one read of a feed returns.
const BATCH = 64;

/** An event and a position. The position is the number of the latest change of the scope that the reader has received. */
interface FeedItem {
  readonly position: number;
  /** Absent if the item only reports the position. */
  readonly event?: JobFeedEvent;
}

type FeedNews = ReturnType<typeof createFeedNews>;

/**
 * Collects the unread news of a scope: a flag that jobs may have changed, and the sequences of the jobs whose progress has changed.
 */
export function createFeedNews(scope: string) {
  const advanced = new Set<number>();
  let hasChanged = true;
  return {
    /** Returns true if the reader may have something to read. */
    note(notice: JobNotice): boolean {
      const isChange =
        notice.type === 'missed' ||
        (notice.type === 'changed' && (notice.scope ?? scope) === scope);
      const isAdvance = notice.type === 'advanced' && notice.job.scope === scope;
      if (isChange) hasChanged = true;
      if (isAdvance) advanced.add(notice.job.sequence);
      return isChange || isAdvance;
    },
    hasChanged: () => hasChanged,
    /** Must be called before the changes are read. */
    noteRead(): void {
      hasChanged = false;
    },
    /** Must be called if the read did not return all changes, or if a notice may be missing. */
    noteMore(): void {
      hasChanged = true;
    },
    hasAny: () => hasChanged || advanced.size > 0,
    /** Returns the jobs with unread progress, and counts their progress as read. */
    takeAdvanced(): readonly number[] {
      const sequences = [...advanced];
      advanced.clear();
      return sequences;
    },
    /** Puts back jobs that `takeAdvanced` returned, before the jobs whose progress has changed since. */
    putBack(sequences: readonly number[]): void {
      const later = this.takeAdvanced();
      for (const sequence of [...sequences, ...later]) advanced.add(sequence);
    },
    /** Counts the progress of a job as read, because the reader gets the job in its present state. */
    remove: (sequence: number) => void advanced.delete(sequence),
  };
}

/** The reader of one open feed. */
interface FeedReader {
  /** Resolves when the reader may have something to read. */
  wait(): Promise<void>;
  /** Returns true if the client has disconnected. */
  isClosed(): boolean;
  /** Returns true if this process no longer runs any job. */
  isOver(): boolean;
  close(): void;
}

/** The unread news of a feed. */
interface AllNews {
  readonly jobs: FeedNews;
  /** Undefined if the reader does not receive the queue. */
  readonly queue: QueueNews | undefined;
}

/**
 * The changes that a reader of a feed receives: the changes after `resumed`. The changes up to `latest` are part of the snapshot.
 */
interface FeedStart {
  readonly latest: number;
  readonly resumed?: number;
}

/**
 * Creates the feed of the jobs in a scope. The feed yields first the active jobs, then every job that changes after the position
 * `resumed`, or after the present position by default. A batch is read from the store after the reader has taken the previous
 * batch, and the rest of a batch is discarded when jobs have changed. A slow reader therefore gets each job in its present state,
 * and no events wait in memory. The queue follows the active jobs, and is yielded again whenever it has changed.
 */
export function createJobFeed(deps: FeedReads) {
  const { active, changes, advances } = createBatches(deps);

  return async function* jobFeed(
    scope: string,
    { latest, resumed = latest }: FeedStart,
    { jobs: news, queue }: AllNews,
    reader: FeedReader,
  ): AsyncGenerator<FeedItem> {
    let position = resumed;
    let isLastRead = false;
    try {
      yield { position };
      for await (const event of active(scope, news)) yield { position, event };
      for (;;) {
        if (queue?.isDue()) {
          queue.noteRead();
          const event = queue.toEvent(await deps.queue.readOwn(scope));
          if (event) yield { position, event };
        }
        if (news.hasChanged()) {
          for await (const item of changes(scope, position, latest, news)) {
            position = item.position;
            if (item.event) yield item;
          }
          continue;
        }
        const sequences = news.takeAdvanced();
        if (sequences.length > 0) {
          for await (const event of advances(scope, sequences, news)) yield { position, event };
        } else if (reader.isClosed() || isLastRead) return;
        else if (reader.isOver()) {
          // The notices of the latest changes may not have arrived yet.
          isLastRead = true;
          news.noteMore();
        } else await reader.wait();
      }
    } finally {
      reader.close();
    }
  };
}

/** Creates the generators that read one batch of a feed and yield its events. The first event of a batch is always yielded. */
function createBatches({ store, progress }: Pick<FeedReads, 'store' | 'progress'>) {
  /** Resolves with the function that converts these jobs to events. */
  async function readEvents(jobs: readonly JobSummary[]) {
    const toSummary = await summarizer(progress, jobs);
    return (job: JobSummary, snapshot: boolean): JobFeedEvent => ({
      type: 'job',
      snapshot,
      job: toSummary(job),
    });
  }

  return {
    /** Yields queued jobs before running jobs. In the opposite order, a job that starts between the two lists would be missed. */
    async *active(scope: string, news: FeedNews): AsyncGenerator<JobFeedEvent> {
      for (const status of ['queued', 'running'] as const) {
        let page: JobPageRequest | undefined = { limit: BATCH };
        while (page) {
          news.noteRead();
          const filter = { status, visibility: 'active' } as const;
          const { items, more } = await store.list(scope, filter, page);
          const toEvent = await readEvents(items);
          let last: JobSummary | undefined;
          for (const job of items) {
            if (last && news.hasChanged()) break;
            last = job;
            yield toEvent(job, true);
          }
          const isRead = !more && last === items.at(-1);
          page = last && !isRead ? { limit: BATCH, before: last.sequence } : undefined;
        }
      }
      // The changes since the position of the reader are read next.
      news.noteMore();
    },

    /** Yields the position of each change in the batch after this position, with an event unless the snapshot has the job. */
    async *changes(scope: string, after: number, latest: number, news: FeedNews) {
      news.noteRead();
      const batch = await store.changesAfter(scope, after, BATCH);
      const isNews = ({ change, job }: { readonly change: number; readonly job: JobSummary }) =>
        change > latest || isTerminal(job.status);
      const shown = batch.flatMap((each) => ('job' in each && isNews(each) ? [each.job] : []));
      // The progress is read after the jobs are removed from the news, so that no later progress is missed.
      for (const { sequence } of shown) news.remove(sequence);
      const toEvent = await readEvents(shown);
      for (const [nth, changed] of batch.entries()) {
        if (nth > 0 && news.hasChanged()) return;
        const position = changed.change;
        if ('removedId' in changed) {
          yield { position, event: { type: 'removed' as const, id: changed.removedId } };
        } else if (isNews(changed)) {
          yield { position, event: toEvent(changed.job, position <= latest) };
        } else yield { position };
      }
      if (batch.length === BATCH) news.noteMore();
    },

    /** Yields the jobs whose progress has changed. */
    async *advances(scope: string, sequences: readonly number[], news: FeedNews) {
      const jobs = await store.summaries(scope, sequences);
      const toEvent = await readEvents(jobs);
      for (const [nth, job] of jobs.entries()) {
        if (nth > 0 && news.hasAny()) {
          news.putBack(jobs.slice(nth).map(({ sequence }) => sequence));
          return;
        }
        if (!isTerminal(job.status)) yield toEvent(job, false);
      }
    },
  };
}

/**
 * Shares equal reads in flight between the readers of all feeds. A notice ends the sharing, because a read that began before the
 * notice may miss its change. Therefore no reader gets a reply that was read before the latest notice that it has received.
 */
export function shareReads(
  { store, progress, queue }: FeedReads,
  notices: Pick<JobNotices, 'subscribe'>,
): FeedReads {
  function share<A extends readonly unknown[], T>(read: (...args: A) => Promise<T>) {
    const inFlight = new Map<string, Promise<T>>();
    notices.subscribe(() => {
      // An empty map also allocates memory when it is cleared, and most notices arrive while nobody reads.
      if (inFlight.size > 0) inFlight.clear();
    });
    return (...args: A): Promise<T> => {
      const key = JSON.stringify(args);
      const shared = inFlight.get(key);
      if (shared) return shared;
      const reading = read(...args).finally(() => {
        if (inFlight.get(key) === reading) inFlight.delete(key);
      });
      inFlight.set(key, reading);
      return reading;
    };
  }

  return {
    store: {
      list: share(store.list),
      summaries: share(store.summaries),
      changesAfter: share(store.changesAfter),
    },
    progress: { find: share(progress.find) },
    queue: { readOwn: share(queue.readOwn) },
  };
}
