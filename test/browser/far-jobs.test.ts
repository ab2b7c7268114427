import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { detail } from '../dashboard/support/job-detail.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { card, type History, JOBS, jobsOfDays, openLongGallery } from './support/long-gallery.ts';

/** The number of jobs. The first are forgotten when the last are shown. */
const COUNT = 1200;

const history = (): History => jobsOfDays(JOBS).slice(0, COUNT);

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
}, 120_000);

const feedTop = (page: Page) => page.locator('.feed').evaluate(({ scrollTop }) => scrollTop);

/** Returns the name of the focused card. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

/** Returns the positions and the sizes of the cards of the first rows. */
const places = (page: Page, jobs: History) =>
  Promise.all(
    jobs.slice(0, 12).map(({ id }) => page.locator(`[data-id="${id}"]`).getAttribute('style')),
  );

const isWaiting = (page: Page, { id }: History[number]) =>
  page.locator(`[data-id="${id}"]:has-text("Loading images") .skeleton`).waitFor();

async function goTo(page: Page, key: 'Home' | 'End', name: string): Promise<void> {
  await page.keyboard.press(key);
  await expect.poll(() => focused(page), { timeout: 20_000 }).toContain(name);
}

/** Opens the gallery of these jobs, and moves the focus to the oldest job. */
async function openAtEnd(jobs: History, prepare: (page: Page) => Promise<void> = async () => {}) {
  const { page } = await openLongGallery(bridge.address, {}, jobs);
  await card(page, 0).focus();
  await prepare(page);
  await goTo(page, 'End', `Job ${COUNT - 1}`);
  const queries: (string | null)[] = [];
  let gate = Promise.resolve();
  await page.route('**/v1/jobs?*', async (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.get('visibility') === 'active') queries.push(searchParams.get('cursor'));
    await gate;
    await route.fallback();
  });
  return {
    page,
    queries,
    /** Delays the pages of the list until the returned function is called. */
    holdPages(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

/** Replies to the requests for one job as the bridge does. */
async function serveJobs(page: Page, jobs: History) {
  const changes: object[] = [];
  await page.route(/\/v1\/jobs\/[0-9a-f-]{36}$/, async (route) => {
    const id = route.request().url().slice(-36);
    const at = jobs.findIndex((job) => job.id === id);
    const change = route.request().postDataJSON() as { readonly favorite: boolean } | null;
    const job = jobs[at];
    if (job === undefined) throw new Error(`no job has the id ${id}`);
    const now = change === null ? job : { ...job, ...change, updated: job.updated + 1 };
    if (change !== null) changes.push({ id, ...change });
    jobs[at] = now;
    const { status, created, updated, favorite } = now;
    const request = { prompt: now.prompt };
    await route.fulfill({ json: detail({ id, status, created, updated, favorite }, request) });
  });
  return changes;
}

describe('jobs far from the viewport', () => {
  it('are read again when the user returns, each page once, and their cards do not move', async () => {
    const jobs = history();
    let before: readonly unknown[] = [];
    const { page, queries, holdPages } = await openAtEnd(jobs, async (shown) => {
      before = await places(shown, jobs);
    });
    const release = holdPages();

    await page.keyboard.press('Home');
    await isWaiting(page, jobs[0] as History[number]);
    const waiting = { places: await places(page, jobs), top: await feedTop(page) };
    const problems = await accessibilityProblems(page);
    release();
    await card(page, 0).waitFor();

    await expect.poll(() => focused(page)).toContain('Job 0');
    expect(problems).toEqual([]);
    expect(waiting).toEqual({ places: before, top: 0 });
    expect(await places(page, jobs)).toEqual(before);
    expect(queries.length).toBeGreaterThan(0);
    expect(new Set(queries).size).toBe(queries.length);
  });

  it('show the marks that changed meanwhile, without the jobs that were removed', async () => {
    const jobs = history();
    const { page } = await openAtEnd(jobs);
    jobs[2] = { ...(jobs[2] as History[number]), favorite: true, updated: 2e9 };
    jobs.splice(4, 1);

    await goTo(page, 'Home', 'Job 0');
    await card(page, 3).waitFor();

    expect(await card(page, 2).textContent()).toContain('Favourite');
    expect(await card(page, 4).count()).toBe(0);
    expect(await page.locator('.card').nth(4).textContent()).toContain('Job 5');
  });

  it('stay selected', async () => {
    const { page } = await openAtEnd(history(), async (shown) => {
      await shown.keyboard.press('x');
      await shown.keyboard.press('ArrowRight');
      await shown.keyboard.press('x');
    });

    await goTo(page, 'Home', 'Job 0');

    const picked = page.locator('.card[aria-selected="true"]');
    await expect.poll(() => picked.allTextContents()).toHaveLength(2);
    expect((await picked.allTextContents()).join()).toMatch(/Job 0.*Job 1/);
  });

  it('are changed with a range that was selected across them, each according to its state', async () => {
    const jobs = history().map((job) => ({ ...job, favorite: true }));
    const wanted = { ...(jobs[600] as History[number]), favorite: false };
    jobs[600] = wanted;
    const { page } = await openAtEnd(jobs);
    const changes = await serveJobs(page, jobs);

    await page.keyboard.press('Shift+Home');
    await page.getByText('1,200 selected').waitFor();
    await page.keyboard.press('f');

    await expect.poll(() => changes).toEqual([{ id: wanted.id, favorite: true }]);
  });

  it('open while they are read again, and show a change of the opened job at once', async () => {
    const jobs = history();
    const { page, holdPages } = await openAtEnd(jobs);
    await serveJobs(page, jobs);
    const release = holdPages();
    await page.keyboard.press('Home');
    await isWaiting(page, jobs[0] as History[number]);

    await page.keyboard.press('Enter');
    await page.locator('.job-screen').waitFor();
    release();
    await page.keyboard.press('f');
    await page.keyboard.press('Escape');
    await page.locator('.job-screen').waitFor({ state: 'detached' });

    await expect.poll(() => focused(page)).toMatch(/Job 0.*Favourite/);
    expect(await feedTop(page)).toBe(0);
  });

  it('do not move the list when the user comes back from a job', async () => {
    const jobs = history();
    const { page } = await openAtEnd(jobs);
    await serveJobs(page, jobs);
    const before = await feedTop(page);

    await page.keyboard.press('Enter');
    await page.locator('.job-screen').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.job-screen').waitFor({ state: 'detached' });

    await expect.poll(() => focused(page)).toContain(`Job ${COUNT - 1}`);
    expect(await feedTop(page)).toBe(before);
  });
});
