import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import {
  card,
  JOBS,
  jobsOfDays,
  LONG,
  openLongGallery,
  rail,
  shown,
} from './support/long-gallery.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { searchField } from './support/search-field.ts';
import { submitJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
}, 120_000);

/** Opens the gallery of these jobs with its rail. */
async function open(options: Parameters<typeof openLongGallery>[1] = {}, history = LONG) {
  const opened = await openLongGallery(bridge.address, options, history);
  await rail(opened.page).waitFor();
  return opened;
}

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

  it('keep their place when a search finds few jobs, so that the cards keep their width', async () => {
    const { page } = await open();
    const width = () => page.locator('.feed').evaluate((feed) => feed.clientWidth);
    const before = await width();
    await page.route('**/v1/jobs?*q=fox*', (route) =>
      route.fulfill({ json: { items: LONG.slice(0, 3) } }),
    );

    await searchField(page).fill('fox');

    await page.locator('.found-count', { hasText: '3 found' }).waitFor();
    await rail(page).waitFor({ state: 'detached' });
    expect(await width()).toBe(before);
  });

  it('are absent in a narrow window', async () => {
    const { page } = await open();

    await page.setViewportSize({ width: 390, height: 844 });

    await rail(page).waitFor({ state: 'hidden' });
    await card(page, 0).waitFor();
  });
});
