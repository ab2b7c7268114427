import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { summary } from '../dashboard/support/job-summary.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { submitJobs } from './support/submit-jobs.ts';

const DAY_SECS = 86_400;
const NEWEST = Date.UTC(2026, 10, 28, 12) / 1000;
const JOBS = 5000;

/** Creates jobs, newest first, with this number of jobs on each day. */
const jobsOfDays = (aDay: number) =>
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

const number = (query: URLSearchParams, name: string, otherwise: number) =>
  Number(query.get(name) ?? otherwise);

type History = ReturnType<typeof jobsOfDays>;

/** Jobs over half a year: 24 on each day, and 8 on the last. */
const LONG: History = jobsOfDays(24);

/** Replies as the bridge does with these jobs. A cursor is the position in the list. */
async function listJobs(route: Route, history: History): Promise<void> {
  const { searchParams: query } = new URL(route.request().url());
  const before = number(query, 'created_before', Number.MAX_SAFE_INTEGER);
  const after = number(query, 'created_after', 0);
  const matching = history.filter(({ created }) => created >= after && created < before);
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

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
}, 120_000);

/** Opens the gallery of these jobs, and returns the page with the number of pages of the list that it reads. */
async function open(options: Parameters<typeof openPage>[1] = {}, history = LONG) {
  const page = await openPage(bridge.address, {
    ...options,
    path: '/dashboard/system',
    // A thumbnail that is requested while the page is closed reaches the bridge, which does not have it.
    expects: [/404/],
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
  await rail(page).waitFor();
  return { page, seen };
}

const card = (page: Page, nth: number) =>
  page.getByRole('link', { name: new RegExp(`^Job ${nth}(?!\\d)`) });
const rail = (page: Page) => page.getByRole('slider', { name: 'Dates' });

/** Drags the rail to a part of its height, between 0 and 1. */
async function dragTo(page: Page, part: number): Promise<void> {
  const box = await rail(page).boundingBox();
  if (box === null) throw new Error('the rail has no place');
  const x = box.x + box.width / 2;
  await page.mouse.move(x, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(x, box.y + box.height * part, { steps: 3 });
  await page.mouse.up();
}

/** Returns the number of cards in the viewport of the gallery. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const feed = document.querySelector('.feed')?.getBoundingClientRect();
    return [...document.querySelectorAll('.card')].filter((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return feed !== undefined && bottom > feed.top && top < feed.bottom;
    }).length;
  });

describe('the dates of the gallery', () => {
  it('lead to the oldest job with End and back with Home, without reading the pages between', async () => {
    const { page, seen } = await open();
    await card(page, 0).focus();
    const before = seen.pages;

    await page.keyboard.press('End');
    await card(page, JOBS - 1).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain(`Job ${JOBS - 1}`);
    expect(seen.pages - before).toBeLessThan(12);
    await keepScreenshot(page, 'search-dates-end');

    await page.keyboard.press('Home');
    await card(page, 0).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toContain('Job 0');
  });

  it('are a slider whose keys go to the next day and month', async () => {
    const { page } = await open({ theme: 'dark' });
    await rail(page).focus();
    expect(await rail(page).getAttribute('aria-valuetext')).toBe('November 28, 2026, 24 jobs');

    await page.keyboard.press('ArrowDown');
    await expect
      .poll(() => rail(page).getAttribute('aria-valuetext'))
      .toBe('November 27, 2026, 24 jobs');
    await page.keyboard.press('PageDown');
    await expect
      .poll(() => rail(page).getAttribute('aria-valuetext'))
      .toBe('October 31, 2026, 24 jobs');
    await card(page, 28 * 24).waitFor();

    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'search-dates-dark');
  });

  it('keep the chosen day at the top while the days around it are read', async () => {
    // Estimated heights are wrong if the shapes of the images differ from day to day.
    const uneven = LONG.map((job, nth) => ({
      ...job,
      artifacts: job.artifacts.map((image) => ({
        ...image,
        width: Math.floor(nth / 24) % 28 < 14 ? 256 : 1536,
      })),
    }));
    const { page } = await open({}, uneven);
    await rail(page).focus();

    const readAbove = page.waitForResponse(/created_after/);

    await page.keyboard.press('PageDown');

    const first = () =>
      page.evaluate(() => {
        const top = document.querySelector('.feed')?.getBoundingClientRect().top ?? 0;
        const cards = [...document.querySelectorAll<HTMLElement>('.card')];
        return cards.find((each) => each.getBoundingClientRect().bottom > top)?.textContent;
      });
    await (await readAbove).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await expect.poll(first).toContain(`Job ${28 * 24}`);
    expect(await rail(page).getAttribute('aria-valuetext')).toBe('October 31, 2026, 24 jobs');
  });

  it('are dragged to any day, and the jobs above and below are read', async () => {
    const { page } = await open();

    await dragTo(page, 0.5);

    await expect
      .poll(() => rail(page).getAttribute('aria-valuetext'))
      .toMatch(/^(July|August) \d+, 2026/);
    await expect.poll(() => shown(page)).toBeGreaterThan(4);
    await page.mouse.move(600, 500);
    await page.mouse.wheel(0, -1500);
    await expect.poll(() => shown(page)).toBeGreaterThan(4);
  });

  it('do not return to the day of an earlier drag whose jobs are no longer read', async () => {
    const { page } = await open();
    const held = Promise.withResolvers<void>();
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    await page.route('**/v1/jobs?*created_before*', async (route) => {
      asked[reads]?.resolve();
      reads += 1;
      await held.promise;
      await route.fallback();
    });
    await dragTo(page, 0.3);
    await asked[0]?.promise;

    await dragTo(page, 0.7);
    await asked[1]?.promise;

    const date = () => rail(page).getAttribute('aria-valuetext');
    for (let frame = 0; frame < 5; frame += 1) {
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      expect(await date()).toMatch(/^(June|July) \d+, 2026/);
    }
    held.resolve();
    await expect.poll(() => shown(page)).toBeGreaterThan(4);
    expect(await date()).toMatch(/^(June|July) \d+, 2026/);
  });

  it('lead to any place in a day of thousands of jobs, which is read in the largest pages', async () => {
    const { page, seen } = await open({}, jobsOfDays(4000));
    const before = seen.pages;

    await dragTo(page, 0.4);

    await expect.poll(() => shown(page)).toBeGreaterThan(4);
    expect(seen.pages - before).toBeLessThan(30);
    expect(await rail(page).getAttribute('aria-valuetext')).toMatch(/^November 28, 2026/);
  });

  it('lead through a gallery that never has more than 60 cards in the document', async () => {
    const { page } = await open({ size: { width: 1920, height: 1080 } });
    let most = 0;
    for (let step = 0; step < 12; step += 1) {
      await page.mouse.move(1000, 600);
      await page.mouse.wheel(0, 900);
      most = Math.max(most, await page.locator('.card').count());
    }

    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(60);
  });

  it('keep selected cards of other days selected', async () => {
    const { page } = await open();
    await card(page, 0).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();

    await page.keyboard.press('End');
    await card(page, JOBS - 1).waitFor();
    await page.keyboard.press('x');

    await page.getByText('2 selected').waitFor();
  });

  it('stand beside a total that follows new jobs, also of a list that has not been read', async () => {
    const [newest, ...older] = LONG;
    const listed = [...older];
    const { page } = await open({}, listed);
    await page.getByText('4,999 jobs', { exact: true }).waitFor();

    if (newest) listed.unshift(newest);
    await submitJobs(bridge.address, [{ prompt: 'A new boat', parameters: { size: '64x64' } }]);

    await page.getByText('5,000 jobs', { exact: true }).waitFor();
  });

  it('are absent in a narrow window', async () => {
    const { page } = await open();

    await page.setViewportSize({ width: 390, height: 844 });

    await rail(page).waitFor({ state: 'hidden' });
    await card(page, 0).waitFor();
  });
});
