import { effect } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import type { JobSummary } from '../../../dashboard/src/api/schemas.ts';
import { createJobFeed } from '../../../dashboard/src/jobs/job-feed.ts';
import { EVERYTHING } from '../../../dashboard/src/jobs/job-filter.ts';
import { createJobs } from '../../../dashboard/src/jobs/jobs.ts';
import { summary } from '../support/job-summary.ts';
import { once } from '../support/once.ts';

const COUNT = 1500;

const idOf = (number: number) => `0199f0a0-0000-7000-8000-${String(number).padStart(12, '0')}`;
/** Creates a job that was accepted at this second. Greater numbers are newer jobs. */
const job = (number: number, fields: Partial<JobSummary> = {}) =>
  summary({ id: idOf(number), status: 'succeeded', created: number, ...fields });

interface Query {
  readonly limit: number;
  readonly order?: 'oldest';
  readonly cursor?: string;
  readonly created_before?: number;
  readonly created_after?: number;
}

/** Creates a feed of 1,500 jobs. As in the bridge, a cursor is the place of the last job of its page. */
function feedOfHistory(until?: number) {
  const bridge = {
    /** The jobs of the bridge by their numbers. */
    jobs: new Map(Array.from({ length: COUNT }, (_, number) => [number, job(number)])),
    isReachable: true,
  };
  const queries: Query[] = [];
  const api = {
    async GET(_: string, { params }: { readonly params: { readonly query: Query } }) {
      const { query } = params;
      const { limit, order, cursor, created_before: before, created_after: after } = query;
      queries.push(query);
      await Promise.resolve();
      if (!bridge.isReachable) throw new TypeError('offline');
      const sign = order === 'oldest' ? 1 : -1;
      const found = [...bridge.jobs.values()]
        .filter(({ created, deleted }) => {
          const isIn = created < (before ?? COUNT * 2) && created >= (after ?? 0);
          const isBeyond = cursor === undefined || sign * (created - Number(cursor)) > 0;
          return isIn && isBeyond && deleted === undefined;
        })
        .toSorted((a, b) => sign * (a.created - b.created));
      const items = found.slice(0, limit);
      const next = items.length < found.length && { next_cursor: String(items.at(-1)?.created) };
      return { data: { items, ...next }, response: new Response() };
    },
  } as unknown as Api;
  const jobs = createJobs(api, once);
  const feed = createJobFeed(api, jobs, EVERYTHING, until);
  return {
    bridge,
    queries,
    jobs,
    feed,
    /** Moves the viewport to the jobs from `newest` to `oldest`, and waits until the jobs near it are read. */
    async view(newest: number, oldest: number): Promise<void> {
      feed.keepNear(idOf(newest), idOf(oldest));
      await feed.readNear();
    },
    isKnown: (number: number) => jobs.get(idOf(number)) !== undefined,
  };
}

/** Reads the whole history, and moves the viewport to its oldest jobs. */
async function atOldest(until?: number) {
  const rig = feedOfHistory(until);
  await rig.feed.loadMany();
  await rig.view(20, 0);
  rig.queries.length = 0;
  return rig;
}

describe('keepNear', () => {
  it('forgets the jobs far from the viewport, and keeps all ids in the list', async () => {
    const { feed, isKnown, queries } = await atOldest();

    expect([1499, 600, 321, 320, 300, 0].map(isKnown)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(feed.ids.value).toHaveLength(COUNT);
    expect(queries).toEqual([]);
  });

  it('reads each page once when the viewport returns, before its jobs are shown', async () => {
    const { view, isKnown, queries } = await atOldest();

    for (let newest = 20; newest < COUNT; newest += 20) {
      await view(newest, newest - 20);
      expect(isKnown(Math.min(COUNT - 1, newest + 200))).toBe(true);
    }

    const cursors = queries.map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(isKnown(0)).toBe(false);
  });

  it('reads the shown jobs before the jobs around them', async () => {
    const { view, queries } = await atOldest();

    await view(1010, 990);

    expect(queries[0]?.cursor).toBe('1040');
    expect(queries.length).toBeLessThan(8);
  });

  it('keeps a job that has not ended, and a job that a view shows', async () => {
    const { bridge, feed, jobs, view, isKnown } = feedOfHistory();
    bridge.jobs.set(1498, job(1498, { status: 'running' }));
    await feed.loadMany();
    const stop = effect(() => void jobs.watch(idOf(1200)));

    await view(20, 0);
    const shown = [1498, 1200, 1199].map(isKnown);
    stop();
    await view(21, 1);

    expect(shown).toEqual([true, true, false]);
    expect(isKnown(1200)).toBe(false);
  });

  it('keeps a change that arrived while the job was forgotten', async () => {
    const { jobs, view } = await atOldest();
    jobs.put(job(1400, { favorite: true, updated: 2e9 }));

    await view(1410, 1390);

    expect(jobs.get(idOf(1400))?.favorite).toBe(true);
  });

  it('removes a job from the list at once that was hidden while it was forgotten', async () => {
    const { bridge, feed, jobs, view } = await atOldest();

    const hidden = job(1400, { deleted: 1, updated: 2e9 });
    bridge.jobs.set(1400, hidden);
    jobs.put(hidden);
    const before = feed.ids.value.includes(idOf(1400));
    await view(1410, 1390);

    expect(before).toBe(false);
    expect(feed.ids.value.includes(idOf(1400))).toBe(false);
  });

  it('shows changes whose events were lost', async () => {
    const { bridge, feed, jobs, view } = await atOldest();
    bridge.jobs.delete(1400);
    bridge.jobs.set(1395, job(1395, { favorite: true, updated: 2e9 }));

    await view(1410, 1390);

    expect(feed.ids.value.includes(idOf(1400))).toBe(false);
    expect(feed.ids.value).toHaveLength(COUNT - 1);
    expect(jobs.get(idOf(1395))?.favorite).toBe(true);
  });

  it('reads on when jobs that joined the list have moved others to the next page', async () => {
    const { bridge, feed, jobs, view, isKnown } = await atOldest();
    for (let number = COUNT; number < COUNT + 150; number += 1) {
      bridge.jobs.set(number, job(number));
      jobs.put(job(number));
    }
    await view(21, 1);

    await view(COUNT + 149, COUNT + 130);

    expect(feed.ids.value).toHaveLength(COUNT + 150);
    expect([COUNT + 149, COUNT, COUNT - 1, COUNT - 60].map(isKnown)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('reads pages again that were read upwards from a day', async () => {
    const { feed, view, isKnown, queries } = feedOfHistory(300);
    await feed.loadMany();
    await feed.loadNewer(1200);
    await view(20, 0);
    const before = [1499, 800].map(isKnown);
    queries.length = 0;

    await view(1499, 1480);

    expect(before).toEqual([false, false]);
    expect([1499, 1300, 800].map(isKnown)).toEqual([true, true, false]);
    expect(queries.every(({ order }) => order === 'oldest')).toBe(true);
    expect(feed.ids.value).toHaveLength(COUNT);
  });

  it('leaves the jobs forgotten if they cannot be read, and reads them later', async () => {
    const { bridge, feed, view, isKnown } = await atOldest();
    bridge.isReachable = false;
    await view(1410, 1390);
    const offline = isKnown(1400);

    bridge.isReachable = true;
    await feed.readNear();

    expect(offline).toBe(false);
    expect(isKnown(1400)).toBe(true);
    expect(feed.ids.value).toHaveLength(COUNT);
  });
});

describe('need', () => {
  it('reads the forgotten jobs among others, each page once', async () => {
    const { feed, isKnown, queries } = await atOldest();

    await feed.need([idOf(1400), idOf(1399), idOf(900), idOf(5)]);

    expect([1400, 1399, 900, 5].map(isKnown)).toEqual([true, true, true, true]);
    expect(queries).toHaveLength(2);
  });

  it('shares the request for a page that the viewport also needs', async () => {
    const { feed, queries } = await atOldest();

    feed.keepNear(idOf(1410), idOf(1405));
    await Promise.all([feed.need([idOf(1408)]), feed.need([idOf(1407)])]);

    expect(queries.filter(({ cursor }) => cursor === '1440')).toHaveLength(1);
  });

  it('keeps the jobs known while others are read, although the viewport is elsewhere', async () => {
    const { feed, isKnown } = await atOldest();

    const read = feed.need([idOf(1400), idOf(900)]);
    feed.keepNear(idOf(19), idOf(0));
    await read;

    expect([1400, 900].map(isKnown)).toEqual([true, true]);
  });

  it('rejects if the jobs cannot be read', async () => {
    const { bridge, feed } = await atOldest();
    bridge.isReachable = false;

    await expect(feed.need([idOf(1400)])).rejects.toThrow('offline');
  });
});
