import { describe, expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import type { JobSummary } from '../../../dashboard/src/api/schemas.ts';
import { createJobFeed } from '../../../dashboard/src/jobs/job-feed.ts';
import { createJobs } from '../../../dashboard/src/jobs/jobs.ts';
import { summary } from '../support/job-summary.ts';
import { once } from '../support/once.ts';

const ALL = { search: '', show: 'all', status: undefined, provider: undefined } as const;

const id = (number: number) => `0199f0a0-0000-7000-8000-00000000000${number}`;
const job = (number: number, fields: Partial<JobSummary> = {}) =>
  summary({ id: id(number), status: 'succeeded', ...fields });

/** Creates a feed over these pages. Each page is delivered when the test releases it. */
function feedOf(
  pages: readonly (readonly JobSummary[] | Error)[],
  filter: Parameters<typeof createJobFeed>[2] = ALL,
) {
  const replies = pages.map(() => Promise.withResolvers<void>());
  let asked = 0;
  const api = {
    async GET() {
      const at = asked;
      asked += 1;
      await replies[at]?.promise;
      const page = pages[at];
      if (page instanceof Error) throw page;
      const data = { items: page, ...(at + 1 < pages.length && { next_cursor: 'next' }) };
      return { data, response: new Response() };
    },
  } as unknown as Api;
  const jobs = createJobs(api, once);
  const feed = createJobFeed(api, jobs, filter);
  return {
    jobs,
    feed,
    /** Requests the next page. `meanwhile` runs before the page is delivered. */
    async read(meanwhile: () => void = () => {}): Promise<void> {
      const at = asked;
      const read = feed.loadMore();
      meanwhile();
      replies[at]?.resolve();
      await read;
    },
    /** Delivers every page that is requested. */
    async readAll(load: () => Promise<void>): Promise<void> {
      for (const { resolve } of replies) resolve();
      await load();
    },
  };
}

describe('createJobFeed', () => {
  it('reads page after page until the last one', async () => {
    const { feed, read } = feedOf([[job(5), job(4)], [job(2)]]);

    await read();
    const first = { ids: feed.ids.value, complete: feed.complete.value };
    await read();

    expect(first).toEqual({ ids: [id(5), id(4)], complete: false });
    expect(feed.ids.value).toEqual([id(5), id(4), id(2)]);
    expect(feed.complete.value).toBe(true);
  });

  it('reads the next page for a view that asks for it as soon as a page is shown', async () => {
    const { feed, read } = feedOf([[job(5)], [job(4)], [job(3)]]);
    const next = Promise.withResolvers<void>();
    feed.ids.subscribe((ids) => {
      if (ids.length === 1) next.resolve(read());
    });

    await read();
    await next.promise;

    expect(feed.ids.value).toEqual([id(5), id(4)]);
  });

  it('reads as many pages as a number of jobs needs', async () => {
    const { feed, readAll } = feedOf([[job(5), job(4)], [job(3)], [job(2)], [job(1)]]);

    await readAll(() => feed.loadMany(3));

    expect(feed.ids.value).toEqual([id(5), id(4), id(3)]);
    expect(feed.complete.value).toBe(false);
  });

  it('inserts a job at its place that was accepted while the first page was read', async () => {
    const { feed, jobs, read } = feedOf([[job(4)]]);

    await read(() => jobs.put(job(5)));

    expect(feed.ids.value).toEqual([id(5), id(4)]);
  });

  it('contains a job that was restored while its page was read', async () => {
    const { feed, jobs, read } = feedOf([[job(5)], [job(3), job(1)]]);
    await read();

    await read(() => jobs.put(job(2)));

    expect(feed.ids.value).toEqual([id(5), id(3), id(2), id(1)]);
  });

  it.each([
    ['removed', (jobs: ReturnType<typeof createJobs>) => jobs.remove(id(4))],
    [
      'hidden',
      (jobs: ReturnType<typeof createJobs>) => jobs.put(job(4, { deleted: 1, updated: 2e9 })),
    ],
  ])('leaves out a job that was %s while its page was read', async (_what, change) => {
    const { feed, jobs, read } = feedOf([[job(5), job(4)]]);

    await read(() => change(jobs));

    expect(feed.ids.value).toEqual([id(5)]);
  });

  it('keeps a job that the bridge found by a part of the prompt that the summary lacks', async () => {
    const { feed, jobs, read } = feedOf([[job(5), job(4)]], { ...ALL, search: 'beyond' });
    await read();

    jobs.put(job(4, { favorite: true, updated: 2e9 }));

    expect(feed.ids.value).toEqual([id(5), id(4)]);
  });

  it('is loading again while a page is read again that could not be read', async () => {
    const { feed, read } = feedOf([new Error('offline'), [job(5)]]);
    await read();
    const states = [feed.state.value];

    await read(() => states.push(feed.state.value));

    expect([...states, feed.state.value]).toEqual(['failed', 'loading', 'ready']);
  });

  it('keeps the jobs it has when a page cannot be read, and continues from there', async () => {
    const pages = [[job(5)], new Error('cut'), [job(3)]];
    const { feed, read } = feedOf(pages);
    await read();

    await read();
    const failed = { state: feed.state.value, ids: feed.ids.value };
    await read();

    expect(failed).toEqual({ state: 'failed', ids: [id(5)] });
    expect(feed.ids.value).toEqual([id(5), id(3)]);
  });
});
