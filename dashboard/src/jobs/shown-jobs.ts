import { type ReadonlySignal, signal } from '@preact/signals';
import type { Api } from '../api/api.ts';
import { createJobFeed, type JobFeed } from './job-feed.ts';
import type { Jobs } from './jobs.ts';

/**
 * The list in whose order one goes from job to job: that of the gallery, once it is there; before that, all jobs, for a
 * job that was opened by its link.
 */
export function createShownJobs(api: Api, jobs: Jobs) {
  const feed = signal<JobFeed | undefined>(undefined);
  let own: JobFeed | undefined;

  return {
    feed: feed as ReadonlySignal<JobFeed | undefined>,

    /** Takes over the list of the gallery. */
    follow(shown: JobFeed): void {
      own?.close();
      own = undefined;
      feed.value = shown;
    },

    /** Begins a list of all jobs where there is none yet. */
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
