import type { Page, Route } from 'playwright-core';
import { summary } from '../../dashboard/support/job-summary.ts';
import { openPage } from './open-page.ts';

const DAY_SECS = 86_400;
const NEWEST = Date.UTC(2026, 10, 28, 12) / 1000;

/** The number of jobs of a history. */
export const JOBS = 5000;

/** Creates jobs, newest first, with this number of jobs on each day. */
export const jobsOfDays = (aDay: number) =>
  Array.from({ length: JOBS }, (_, nth) => {
    const created = NEWEST - Math.floor(nth / aDay) * DAY_SECS - (nth % aDay);
    const time = (created * 1000 + (999 - (nth % 1000))).toString(16).padStart(12, '0');
    return summary({
      id: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${(JOBS - nth).toString(16).padStart(12, '0')}`,
      status: 'succeeded',
      prompt: `Job ${nth}`,
      created,
      updated: created,
      artifacts: [
        {
          ...{ id: nth.toString(16).padStart(32, '0'), format: 'png', bytes: 1 },
          ...{ width: nth % 3 === 0 ? 768 : 512, height: 512 },
        },
      ],
    });
  });

export type History = ReturnType<typeof jobsOfDays>;

/** Jobs over half a year: 24 on each day, and 8 on the last. */
export const LONG: History = jobsOfDays(24);

const number = (query: URLSearchParams, name: string, otherwise: number) =>
  Number(query.get(name) ?? otherwise);

/** Replies as the bridge does with these jobs. A cursor is the position in the list. */
async function listJobs(route: Route, history: History): Promise<void> {
  const { searchParams: query } = new URL(route.request().url());
  const before = number(query, 'created_before', Number.MAX_SAFE_INTEGER);
  const after = number(query, 'created_after', 0);
  const found = history.filter(({ created }) => created >= after && created < before);
  const matching = query.get('order') === 'oldest' ? found.toReversed() : found;
  const from = number(query, 'cursor', 0);
  const to = from + number(query, 'limit', 20);
  await route.fulfill({
    json: {
      items: matching.slice(from, to),
      ...(to < matching.length && { next_cursor: String(to) }),
      ...(query.has('total') && { total: { count: matching.length, at_least: false } }),
    },
  });
}

async function listDays(route: Route, history: History): Promise<void> {
  const counts = new Map<number, number>();
  for (const { created } of history) {
    const start = Math.floor(created / DAY_SECS) * DAY_SECS;
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  const days = [...counts].map(([start, count]) => ({
    date: new Date(start * 1000).toISOString().slice(0, 10),
    start,
    count,
  }));
  await route.fulfill({ json: { days, more: false } });
}

/** Opens the gallery of these jobs, and returns the page with the number of pages of the list that it reads. */
export async function openLongGallery(
  address: string,
  options: Parameters<typeof openPage>[1] = {},
  history = LONG,
) {
  const page = await openPage(address, {
    ...options,
    path: '/dashboard/system',
    // A thumbnail or a page of the list that is requested while the page is closed reaches the bridge, which does not have it.
    expects: [/404/, /422/],
  });
  await page.clock.setFixedTime(NEWEST * 1000);
  const seen = { pages: 0 };
  await page.route('**/v1/jobs?*', async (route) => {
    // The newest jobs are also read from time to time.
    if (!route.request().url().includes('visibility=all')) seen.pages += 1;
    await listJobs(route, history);
  });
  await page.route('**/v1/jobs/days?*', (route) => listDays(route, history));
  await page.route('**/thumbnail?*', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    }),
  );
  await page.getByRole('link', { name: 'Images', exact: true }).click();
  await page.getByRole('gridcell').first().waitFor();
  return { page, seen };
}

export const card = (page: Page, nth: number) =>
  page.getByRole('link', { name: new RegExp(`^Job ${nth}(?!\\d)`) });
export const rail = (page: Page) => page.getByRole('slider', { name: 'Dates' });

/** Returns the number of cards in the viewport of the gallery. */
export const shown = (page: Page) =>
  page.evaluate(() => {
    const feed = document.querySelector('.feed')?.getBoundingClientRect();
    return [...document.querySelectorAll('.card')].filter((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return feed !== undefined && bottom > feed.top && top < feed.bottom;
    }).length;
  });
