import { type ReadonlySignal, signal } from '@preact/signals';
import type { Api } from '../api/api.ts';
import { createJobFeed, type JobFeed } from './job-feed.ts';
import type { Jobs } from './jobs.ts';

/**
 * Provides the list whose order is used to go from job to job: the list of the gallery if it exists, otherwise a list
 * of all jobs, for a job that was opened by a link.
 */
export function createShownJobs(api: Api, jobs: Jobs) {
  const feed = signal<JobFeed | undefined>(undefined);
  let own: JobFeed | undefined;

  return {
    feed: feed as ReadonlySignal<JobFeed | undefined>,

    /** Uses the list of the gallery from now on. */
    follow(shown: JobFeed): void {
      own?.close();
      own = undefined;
      feed.value = shown;
    },

    /** Creates a list of all jobs if there is no list yet. */
    need(): void {
      if (feed.peek() !== undefined) return;
      own = createJobFeed(api, jobs, {
        search: '',
        show: 'all',
        status: undefined,
        provider: undefined,
      });
      feed.value = own;
    },
  };
}
