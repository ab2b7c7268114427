import type { JobFeedEvent } from '../../contract/resources/job-events.ts';
import { isTerminal } from '../job-state.ts';
import type { JobStore, JobSummary } from '../job-store-port.ts';
import { toImageJobSummary } from '../job-views.ts';
import type { JobNotice } from './job-notices.ts';
import type { LiveJobs } from './live-jobs.ts';
import type { StreamReader } from './stream-readers.ts';

interface Deps {
  readonly store: Pick<JobStore, 'list' | 'changes' | 'nextChange' | 'summaries'>;
  readonly live: Pick<LiveJobs, 'progress'>;
}

/** An event, and the change up to which its reader knows every job of the scope. */
export interface FeedItem {
  readonly position: number;
  /** Absent where there is a position alone. */
  readonly event?: JobFeedEvent;
}

/** The jobs of one scope whose progress has changed since their reader looked, by their sequences. */
export function createAdvancedJobs(scope: string) {
  const advanced = new Set<number>();
  return {
    /** Whether there may be something new: of the changes in the store, only the store knows whose they are. */
    note(notice: JobNotice): boolean {
      if (notice.type !== 'advanced') return notice.type === 'stored';
      const { job } = notice;
      if (job.scope === scope) advanced.add(job.sequence);
      return job.scope === scope;
    },
    next(): number | undefined {
      const [sequence] = advanced;
      if (sequence !== undefined) advanced.delete(sequence);
      return sequence;
    },
    remove: (sequence: number) => void advanced.delete(sequence),
  };
}

/**
 * The jobs of a scope as they change: first those that are active, then all that has changed since the position
 * `resumed`, or since now, without end. The store is the only backlog. Each job is read when its reader has taken the one
 * before, so that a slow reader gets every job as it is by then, and nothing waits in memory.
 */
export function createJobFeed({ store, live }: Deps) {
  const toEvent = (job: JobSummary, snapshot: boolean): JobFeedEvent => ({
    type: 'job',
    snapshot,
    job: toImageJobSummary(job, live.progress(job.id)),
  });

  /** Those that are queued first: a job that starts in between is still to come. */
  async function* active(scope: string): AsyncGenerator<JobSummary> {
    for (const status of ['queued', 'running'] as const) {
      let last: JobSummary | undefined;
      do {
        const page = { limit: 1, ...(last ? { before: last.sequence } : {}) };
        [last] = (await store.list(scope, { status, visibility: 'active' }, page)).items;
        if (last) yield last;
      } while (last);
    }
  }

  return async function* jobFeed(
    scope: string,
    { latest, resumed = latest }: { readonly latest: number; readonly resumed?: number },
    advanced: Pick<ReturnType<typeof createAdvancedJobs>, 'next' | 'remove'>,
    reader: StreamReader,
  ): AsyncGenerator<FeedItem> {
    let position = resumed;
    try {
      yield { position };
      for await (const job of active(scope)) yield { position, event: toEvent(job, true) };
      for (;;) {
        const changed = await store.nextChange(scope, position);
        if (changed) {
          position = changed.change;
          const isSnapshot = position <= latest;
          if ('removedId' in changed) {
            yield { position, event: { type: 'removed', id: changed.removedId } };
          } else if (!isSnapshot || isTerminal(changed.job.status)) {
            advanced.remove(changed.job.sequence);
            yield { position, event: toEvent(changed.job, isSnapshot) };
          }
          continue;
        }
        const sequence = advanced.next();
        if (sequence === undefined) {
          if (reader.isOver()) return;
          await reader.wait();
          continue;
        }
        const [job] = await store.summaries(scope, [sequence]);
        if (job && !isTerminal(job.status)) yield { position, event: toEvent(job, false) };
      }
    } finally {
      reader.close();
    }
  };
}
