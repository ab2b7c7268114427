import { describe, expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import type { JobSummary } from '../../../dashboard/src/api/schemas.ts';
import { createJobFeed } from '../../../dashboard/src/jobs/job-feed.ts';
import { createJobs } from '../../../dashboard/src/jobs/jobs.ts';
import { summary } from '../support/job-summary.ts';
import { once } from '../support/once.ts';

const ALL = { search: '', show: 'all', status: undefined, provider: undefined } as const;
const UNTIL = 1000;

const id = (number: number) =>
  `0199f0a0-0000-7000-8000-0000000000${String(number).padStart(2, '0')}`;
/** Creates a job that was accepted `number` seconds after the end of the feed. */
const job = (number: number, fields: Partial<JobSummary> = {}) =>
  summary({ id: id(number + 50), status: 'succeeded', created: UNTIL + number, ...fields });
const idsOf = (...numbers: readonly number[]) => numbers.map((number) => id(number + 50));

/** Creates a feed that has the jobs -1 and -2, and over which these pages are, oldest job first. */
async function feedBelow(
  pages: readonly (readonly JobSummary[] | Error)[],
  filter: Parameters<typeof createJobFeed>[2] = ALL,
) {
  const queries: Record<string, unknown>[] = [];
  let onRead = () => {};
  const api = {
    async GET(_: string, { params: { query } }: { params: { query: Record<string, unknown> } }) {
      const respond = (data: object) => ({ data, response: new Response() });
      if (query['order'] === undefined) return respond({ items: [job(-1), job(-2)] });
      const page = pages[queries.length];
      queries.push(query);
      onRead();
      if (page instanceof Error) throw page;
      const isLast = queries.length === pages.length;
      return respond({ items: page, ...(!isLast && { next_cursor: `after ${queries.length}` }) });
    },
  } as unknown as Api;
  const jobs = createJobs(api, once);
  const feed = createJobFeed(api, jobs, filter, UNTIL);
  await feed.loadMore();
  return {
    jobs,
    feed,
    queries,
    /** Runs `change` while the next pages are read. */
    duringReads(change: () => void): void {
      onRead = change;
    },
  };
}

describe('loadNewer', () => {
  it('adds the pages above in their order, from the nearest job to the newest', async () => {
    const { feed, queries } = await feedBelow([[job(0), job(1)], [job(2)]]);
    const before = feed.top.value;

    await feed.loadNewer();
    const between = { ids: feed.ids.value, top: feed.top.value };
    await feed.loadNewer();
    await feed.loadNewer();

    expect(before).toEqual({ until: UNTIL });
    expect(between).toEqual({ ids: idsOf(1, 0, -1, -2), top: { until: UNTIL, lastId: id(51) } });
    expect(feed.ids.value).toEqual(idsOf(2, 1, 0, -1, -2));
    expect(feed.top.value).toBeUndefined();
    expect(feed.isWhole()).toBe(true);
    const query = { visibility: 'active', created_after: UNTIL, order: 'oldest', limit: 100 };
    expect(queries).toEqual([query, { ...query, cursor: 'after 1' }]);
  });

  it('reads as many pages as a number of jobs needs', async () => {
    const pages = [[job(0), job(1)], [job(2)], [job(3)], [job(4)]];
    const { feed, queries } = await feedBelow(pages);

    await feed.loadNewer(3);

    expect(queries).toHaveLength(2);
    expect(feed.ids.value).toEqual(idsOf(2, 1, 0, -1, -2));
  });

  it('begins at the first date of the filter if the date is later', async () => {
    const { feed, queries } = await feedBelow([[]], { ...ALL, from: '2026-11-28' });

    await feed.loadNewer();

    expect(queries).toMatchObject([{ created_after: new Date(2026, 10, 28).getTime() / 1000 }]);
  });

  it('loses no job that arrives while the last page is read', async () => {
    const { feed, jobs, duringReads } = await feedBelow([[job(0)]]);
    duringReads(() => jobs.put(job(7)));

    await feed.loadNewer();
    jobs.put(job(8));

    expect(feed.ids.value).toEqual(idsOf(8, 7, 0, -1, -2));
  });

  it('leaves out a job above the pages that have been read until its page is read', async () => {
    const { feed, jobs, duringReads } = await feedBelow([
      [job(0), job(2)],
      [job(4), job(5)],
    ]);
    duringReads(() => jobs.put(job(5)));
    jobs.put(job(4));

    await feed.loadNewer();
    const between = feed.ids.value;
    jobs.put(job(1));
    await feed.loadNewer();

    expect(between).toEqual(idsOf(2, 0, -1, -2));
    expect(feed.ids.value).toEqual(idsOf(5, 4, 2, 1, 0, -1, -2));
  });

  it('leaves out a job that was hidden while its page was read', async () => {
    const { feed, jobs, duringReads } = await feedBelow([[job(0), job(1)]]);
    duringReads(() => jobs.put(job(1, { deleted: 1, updated: 2e9 })));

    await feed.loadNewer();

    expect(feed.ids.value).toEqual(idsOf(0, -1, -2));
  });

  it('keeps the jobs it has when a page cannot be read, and continues from there', async () => {
    const { feed } = await feedBelow([[job(0)], new Error('cut'), [job(2)]]);

    await feed.loadNewer(9);
    const failed = { ids: feed.ids.value, state: feed.state.value };
    await feed.loadNewer();

    expect(failed).toEqual({ ids: idsOf(0, -1, -2), state: 'ready' });
    expect(feed.ids.value).toEqual(idsOf(2, 0, -1, -2));
    expect(feed.top.value).toBeUndefined();
  });

  it('reads nothing if the feed has the newest jobs', async () => {
    const { feed, queries } = await feedBelow([[job(0)]]);
    await feed.loadNewer();

    await feed.loadNewer();

    expect(queries).toHaveLength(1);
  });
});
