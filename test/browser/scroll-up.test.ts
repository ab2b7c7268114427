import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import {
  card,
  type History,
  jobsOfDays,
  openLongGallery,
  rail,
  shown,
} from './support/long-gallery.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { submitJobs } from './support/submit-jobs.ts';

const WIDTHS = [256, 512, 768, 1536, 640, 384, 1024];

/** Gives images different shapes, so that estimated heights are wrong. */
const uneven = (history: History): History =>
  history.map((job, nth) => ({
    ...job,
    artifacts: job.artifacts.map((image) => ({
      ...image,
      width: WIDTHS[nth % WIDTHS.length] ?? 512,
    })),
  }));

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
}, 120_000);

const dateOf = ({ created }: History[number]) => new Date(created * 1000).getUTCDate();

const isAbove = (request: Request) => request.url().includes('created_after=');

/**
 * Opens the gallery at the day that is `days` before the newest. `above` has the queries of the pages that have been read above this
 * day.
 */
async function openAtDay(
  history: History,
  days: number,
  options: Parameters<typeof openLongGallery>[1] = {},
) {
  const { page, seen } = await openLongGallery(bridge.address, options, history);
  await rail(page).waitFor();
  const queries: URLSearchParams[] = [];
  page.on('request', (request) => {
    if (isAbove(request)) queries.push(new URL(request.url()).searchParams);
  });
  await rail(page).focus();
  for (let day = 1; day <= days; day += 1) {
    await page.keyboard.press('ArrowDown');
    const first = history.findIndex((job) => dateOf(job) === 28 - day);
    await card(page, first).waitFor();
    const label = () => rail(page).getAttribute('aria-valuetext');
    await expect.poll(label).toContain(`November ${28 - day}`);
  }
  const end = String(Date.UTC(2026, 10, 29 - days) / 1000);
  const above = () => queries.filter((query) => query.get('created_after') === end);
  return { page, seen, above };
}

/** Scrolls the gallery by the wheel. */
async function scroll(page: Page, by: number): Promise<void> {
  const box = await page.locator('.feed').boundingBox();
  if (box === null) throw new Error('the gallery has no place');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, by);
}

const frames = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))),
      ),
  );

/** Returns the boxes of the cards in the viewport by their names. */
const places = (page: Page) =>
  page.evaluate(() => {
    const feed = document.querySelector('.feed')?.getBoundingClientRect();
    const cards = [...document.querySelectorAll<HTMLElement>('.card')].map(
      (each) => [each.dataset['id'] ?? '', each.getBoundingClientRect()] as const,
    );
    const inView = cards.filter(
      ([, { top, bottom }]) => feed !== undefined && bottom > feed.top && top < feed.bottom,
    );
    return Object.fromEntries(
      inView.map(([id, { x, y, width, height }]) => [id, [x, y, width, height].map(Math.round)]),
    );
  });

/** Returns true if a page above the cards is needed, because the viewport is near the jobs that have not been read. */
const needsPage = (page: Page) =>
  page.evaluate(() => {
    const feed = document.querySelector('.feed');
    const unread = [...document.querySelectorAll<HTMLElement>('.unread')].find(
      ({ style }) => style.top === '0px',
    );
    if (!(feed && unread)) return false;
    return feed.scrollTop < unread.offsetHeight + feed.clientHeight;
  });

/** Holds each page above the cards back until `release` is called. */
async function holdPages(page: Page) {
  const held: (() => void)[] = [];
  await page.route('**/v1/jobs?*created_after*', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.fallback();
  });
  return {
    async release(): Promise<void> {
      await expect.poll(() => held.length).toBe(1);
      const reply = page.waitForResponse((response) => isAbove(response.request()));
      for (const resolve of held.splice(0)) resolve();
      await (await reply).finished();
      await frames(page);
    },
  };
}

describe('scrolling up from a chosen day', () => {
  it('reads the jobs next to the day first, and not the rest of the newer day', async () => {
    const { page, above } = await openAtDay(jobsOfDays(400), 2);
    await card(page, 799).waitFor();
    await frames(page);
    const first = above().length;

    await scroll(page, -600);

    await card(page, 790).waitFor();
    expect(first).toBe(1);
    const read = above().map((query) => [query.get('order'), query.get('limit')]);
    expect(read.length).toBeLessThanOrEqual(2);
    expect(read).toEqual(read.map(() => ['oldest', '100']));
    await keepScreenshot(page, 'scroll-up');
  });

  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)(
    'leaves every card in view at its place when rows are put above (%s, %s)',
    async (theme, size) => {
      const history = uneven(jobsOfDays(230));
      const { page } = await openAtDay(history, 3, { theme });
      if (size === 'phone') await page.setViewportSize({ width: 390, height: 844 });
      await frames(page);
      const pages = await holdPages(page);

      const moved: unknown[] = [];
      let read = 0;
      for (let step = 0; step < 60 && read < 3; step += 1) {
        await scroll(page, -400);
        await frames(page);
        if (!(await needsPage(page))) continue;
        const before = await places(page);
        await pages.release();
        const after = await places(page);
        read += 1;
        for (const [id, box] of Object.entries(before)) {
          if (after[id] !== undefined && String(after[id]) !== String(box)) {
            moved.push({ step, id, box, now: after[id] });
          }
        }
        expect(Object.keys(before).filter((id) => after[id] === undefined)).toEqual([]);
      }

      await keepScreenshot(page, `scroll-up-${size}-${theme}`);
      expect(read).toBe(3);
      expect(moved).toEqual([]);
    },
  );

  it('shows each job once and in order up to the newest, also a job that arrives meanwhile', async () => {
    const { page } = await openAtDay(jobsOfDays(60), 3);
    const pages = await holdPages(page);
    await scroll(page, -200);
    await frames(page);

    await submitJobs(bridge.address, [{ prompt: 'Job new', parameters: { size: '64x64' } }]);

    const seen = new Map<string, string>();
    const scrollTop = () => page.evaluate(() => document.querySelector('.feed')?.scrollTop ?? 0);
    for (let step = 0; step < 60 && (step < 5 || (await scrollTop()) > 0); step += 1) {
      if (await needsPage(page)) await pages.release();
      await scroll(page, -400);
      await frames(page);
      const names = await page
        .locator('.card')
        .evaluateAll((cards) =>
          cards.map((each) => [(each as HTMLElement).dataset['id'] ?? '', each.textContent ?? '']),
        );
      for (const [id = '', name = ''] of names)
        seen.set(id, name.match(/^Job (?:\d+|new)/)?.[0] ?? name);
    }

    await page.getByRole('link', { name: /^Job new/ }).waitFor();
    await keepScreenshot(page, 'scroll-up-newest');
    const numbers = [...seen]
      .toSorted(([one], [other]) => (one < other ? 1 : -1))
      .map(([, name]) => name);
    expect(numbers.slice(0, 181)).toEqual([
      'Job new',
      ...Array.from({ length: 180 }, (_, nth) => `Job ${nth}`),
    ]);
    expect(await page.getByRole('link', { name: /^Job new/ }).count()).toBe(1);
    expect(await scrollTop()).toBe(0);
  });

  it('reads a near place above upwards, however many jobs the day has', async () => {
    const { page, seen } = await openAtDay(jobsOfDays(4000), 1);
    await frames(page);
    const before = seen.pages;

    await page.evaluate(() => {
      const feed = document.querySelector('.feed');
      if (feed) feed.scrollTop -= 8 * feed.clientHeight;
    });

    await expect.poll(() => shown(page)).toBeGreaterThan(4);
    expect(seen.pages - before).toBeLessThan(8);
    expect(await rail(page).getAttribute('aria-valuetext')).toMatch(/^November 28, 2026/);
  });

  it('never has more than 60 cards in the document', async () => {
    const { page } = await openAtDay(jobsOfDays(400), 2, { size: { width: 1920, height: 1080 } });
    let most = 0;
    for (let step = 0; step < 12; step += 1) {
      await scroll(page, -900);
      await frames(page);
      most = Math.max(most, await page.locator('.card').count());
    }

    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(60);
  });
});
