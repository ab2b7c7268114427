import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../../../dashboard/src/api/api.ts';
import { createDayCounts } from '../../../../dashboard/src/gallery/state/day-counts.ts';
import { createListCount } from '../../../../dashboard/src/gallery/state/list-count.ts';
import type { JobFeed } from '../../../../dashboard/src/jobs/job-feed.ts';
import { EVERYTHING, type JobFilter } from '../../../../dashboard/src/jobs/job-filter.ts';

const foxes: JobFilter = { ...EVERYTHING, search: 'fox' };

/** Returns a list whose first page has been read. */
function listOf(filter: JobFilter, { complete = false } = {}): JobFeed {
  const list = {
    filter,
    state: signal('ready'),
    complete: signal(complete),
    top: signal(undefined),
  };
  return list as unknown as JobFeed;
}

function rig() {
  const token = signal<string | undefined>('first');
  const filter = signal(EVERYTHING as JobFilter);
  const feed = signal(listOf(EVERYTHING));
  const deps = {
    filter,
    feed,
    jobs: { subscribe: () => () => {} },
    connection: { token, returns: signal(0) },
  };
  return { token, filter, feed, deps };
}

/** Creates a count whose requests are answered by the test. */
function countOf({ deps }: ReturnType<typeof rig>) {
  const requests: { readonly search: string; readonly abort: AbortSignal }[] = [];
  const replies: ((count: number) => void)[] = [];
  const count = createListCount<number>(deps, {
    laterMs: 1,
    read({ search }, abort) {
      requests.push({ search, abort });
      return new Promise((resolve) => replies.push(resolve));
    },
  });
  return { count, requests, replies };
}

describe('createListCount', () => {
  it('counts a list once, however often its cards change', async () => {
    const given = rig();
    const { count, requests, replies } = countOf(given);

    given.feed.value = listOf(EVERYTHING);
    replies[0]?.(7);
    await count.settled();

    expect(requests).toHaveLength(1);
    expect(count.value.value).toBe(7);
  });

  it('counts no list that has only one page', () => {
    const given = rig();
    given.feed.value = listOf(EVERYTHING, { complete: true });

    expect(countOf(given).requests).toEqual([]);
  });

  it('cancels a count as soon as another filter is asked for, and shows no count that arrives later', async () => {
    const given = rig();
    const { count, requests, replies } = countOf(given);

    given.filter.value = foxes;
    expect(requests.map(({ abort }) => abort.aborted)).toEqual([true]);
    replies[0]?.(7);
    await count.settled();
    expect(count.value.value).toBeUndefined();

    given.feed.value = listOf(foxes);
    replies[1]?.(2);
    await count.settled();
    expect(requests.map(({ search }) => search)).toEqual(['', 'fox']);
    expect(count.value.value).toBe(2);
  });

  it('keeps the last count if a further count has no reply', async () => {
    const given = rig();
    const { count, replies } = countOf(given);
    replies[0]?.(7);
    await count.settled();

    given.deps.connection.returns.value += 1;
    given.filter.value = foxes;
    replies[1]?.(8);
    await count.settled();

    expect(count.value.value).toBe(7);
  });
});

describe('createDayCounts', () => {
  const counts = { first: 7, second: 2 };

  it('counts again with another token, and shows no days of the earlier token', async () => {
    const { token, deps } = rig();
    const api = {
      async GET() {
        const count = counts[token.peek() as keyof typeof counts];
        return { data: { days: [{ start: 86_400, count }] }, response: new Response() };
      },
    } as unknown as Api;
    const { days, isCounted } = createDayCounts({ ...deps, api, afterTotal: async () => {} });
    await expect.poll(() => days.value.map(({ count }) => count)).toEqual([7]);

    token.value = 'second';
    expect([days.value, isCounted.value]).toEqual([[], false]);
    await expect.poll(() => days.value.map(({ count }) => count)).toEqual([2]);
  });

  it('asks for the days after the total', async () => {
    const { deps } = rig();
    const total = Promise.withResolvers<void>();
    let asked = 0;
    const api = {
      async GET() {
        asked += 1;
        return { data: { days: [] }, response: new Response() };
      },
    } as unknown as Api;
    createDayCounts({ ...deps, api, afterTotal: () => total.promise });
    const before = asked;

    total.resolve();

    await expect.poll(() => [before, asked]).toEqual([0, 1]);
  });
});
