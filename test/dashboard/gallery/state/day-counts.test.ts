import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { Api } from '../../../../dashboard/src/api/api.ts';
import { createDayCounts } from '../../../../dashboard/src/gallery/state/day-counts.ts';
import type { JobFeed } from '../../../../dashboard/src/jobs/job-feed.ts';
import { EVERYTHING } from '../../../../dashboard/src/jobs/job-filter.ts';

it('createDayCounts counts again with another token, and shows no days of the earlier token', async () => {
  const token = signal<string | undefined>('first');
  const counts = { first: 7, second: 2 };
  const api = {
    async GET() {
      const count = counts[token.peek() as keyof typeof counts];
      return { data: { days: [{ start: 86_400, count }] }, response: new Response() };
    },
  } as unknown as Api;
  const feed = {
    filter: EVERYTHING,
    state: signal('ready'),
    complete: signal(false),
    top: signal(undefined),
  } as unknown as JobFeed;
  const days = createDayCounts(
    { api, jobs: { subscribe: () => () => {} }, connection: { token, returns: signal(0) } },
    signal(feed),
  );
  await expect.poll(() => days.value.map(({ count }) => count)).toEqual([7]);

  token.value = 'second';
  expect(days.value).toEqual([]);
  await expect.poll(() => days.value.map(({ count }) => count)).toEqual([2]);
});
