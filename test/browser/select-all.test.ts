import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { press } from './support/press.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs, patchJob, submitJobs } from './support/submit-jobs.ts';

/** The history has more jobs than the page reads at first. */
const ENDED = 200;
const WAITING = 12;

const requests = (prompt: string, count: number, routing = {}) =>
  Array.from({ length: count }, (_, index) => ({
    prompt: `${prompt} ${index}`,
    parameters: { size: '128x128' },
    routing,
  }));

async function setPaused(address: string, paused: boolean): Promise<void> {
  await fetch(`${address}/v1/queue`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paused }),
  });
}

async function sendBatch(address: string, body: object): Promise<void> {
  await fetch(`${address}/v1/jobs/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function countJobs(address: string, query: string): Promise<number> {
  const reply = await fetch(`${address}/v1/jobs?limit=1&total=true&${query}`);
  const { total } = (await reply.json()) as { readonly total: { readonly count: number } };
  return total.count;
}

/** Opens the gallery, and returns the page with the bodies of its batches and the number of pages of the list that it reads. */
async function openGallery(bridge: StartedBridge, options: Parameters<typeof openPage>[1] = {}) {
  const page = await openPage(bridge.address, options);
  await page.getByRole('gridcell').first().waitFor();
  const seen = { batches: [] as unknown[], pages: 0 };
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/v1/jobs/batch') seen.batches.push(request.postDataJSON());
    if (pathname === '/v1/jobs' && searchParams.has('cursor')) seen.pages += 1;
  });
  return { page, seen };
}

const button = (page: Page, name: string) =>
  page.getByRole('toolbar').getByRole('button', { name, exact: true });

describe('a selection of all jobs', () => {
  let bridge: StartedBridge;

  beforeAll(async () => {
    bridge = await startDashboard();
    // Failures need less time than images.
    const failing = { provider: 'sandbox', model: 'sandbox-fail-safety_rejected' };
    await makeJobs(bridge.address, requests('Lake', ENDED, failing));
    await setPaused(bridge.address, true);
    await submitJobs(bridge.address, requests('Waiting', WAITING));
  }, 120_000);

  beforeEach(async () => {
    const all = { filter: { visibility: 'all' }, expected_count: 10_000 };
    await sendBatch(bridge.address, { action: 'restore', ...all });
    await sendBatch(bridge.address, { action: 'unfavorite', ...all });
  });

  it.each(THEMES_AND_SIZES)(
    'says the number of each action, without reading the list (%s, %s)',
    async (theme, size) => {
      const { page, seen } = await openGallery(bridge, { theme, size });
      await page.keyboard.press('ArrowRight');

      await page.keyboard.press('Control+a');

      await page
        .getByRole('status')
        .getByText(`All ${ENDED + WAITING} selected`)
        .waitFor();
      await button(page, `Favourite ${ENDED + WAITING}`).waitFor();
      await button(page, `Cancel ${WAITING}`).waitFor();
      await button(page, `Hide ${ENDED}`).waitFor();
      expect(await page.locator('[role=gridcell][aria-selected=false]').count()).toBe(0);
      expect(seen.pages).toBe(0);
      const bar = await page.getByRole('toolbar').boundingBox();
      expect(bar?.x).toBeGreaterThanOrEqual(0);
      expect((bar?.x ?? 0) + (bar?.width ?? 0)).toBeLessThanOrEqual(size === 'phone' ? 390 : 1440);
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `select-all-${size}-${theme}`);
    },
  );

  it('is hidden with one request, one answer with the skipped jobs, and one undo', async () => {
    const { page, seen } = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');

    await button(page, `Hide ${ENDED}`).click();

    const answer = page.locator('.toast', { hasText: `${ENDED} hidden` });
    await answer
      .getByText(`${WAITING} jobs were left unchanged. They have not ended yet.`)
      .waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    expect(seen.batches).toEqual([
      { action: 'hide', filter: { visibility: 'active' }, expected_count: ENDED + WAITING },
    ]);
    expect(await countJobs(bridge.address, 'visibility=hidden')).toBe(ENDED);
    await press(page.getByRole('button', { name: 'Undo' }));
    await expect.poll(() => countJobs(bridge.address, 'visibility=hidden')).toBe(0);
  });

  it('is made by a press on Select all, under the search and the filter of the list', async () => {
    const { page, seen } = await openGallery(bridge, {
      path: '/dashboard?q=Lake&status=failed',
      size: 'phone',
      touch: true,
    });
    await page.getByRole('button', { name: 'Select', exact: true }).tap();
    await button(page, 'Select all').tap();
    await page.getByText(`All ${ENDED} selected`).waitFor();

    await button(page, `Favourite ${ENDED}`).tap();

    await page.getByText(`${ENDED} favourites added`).waitFor();
    expect(seen.batches).toEqual([
      {
        action: 'favorite',
        filter: { visibility: 'active', status: 'failed', q: 'Lake' },
        expected_count: ENDED,
      },
    ]);
  });

  it('changes nothing after the list has grown, and asks again with the new number', async () => {
    const { page } = await openGallery(bridge, {
      path: '/dashboard?status=failed&q=Lake',
      expects: [/409/],
    });
    const [hidden] = await submittedIds(bridge.address);
    await patchJob(bridge.address, hidden ?? '', { deleted: true });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.getByText(`All ${ENDED - 1} selected`).waitFor();
    await patchJob(bridge.address, hidden ?? '', { deleted: false });

    await page.keyboard.press('h');

    const question = page.locator('.toast', {
      hasText: `${ENDED} jobs match now. Nothing was changed.`,
    });
    await question.waitFor();
    expect(await question.evaluate(({ className }) => className)).toContain('refused');
    expect(await countJobs(bridge.address, 'visibility=hidden')).toBe(0);
    await question.getByRole('button', { name: `Hide ${ENDED}` }).click();
    await page.getByText(`${ENDED} hidden`).waitFor();
    expect(await countJobs(bridge.address, 'visibility=hidden')).toBe(ENDED);
  });

  it('becomes the other loaded cards when one card is deselected', async () => {
    const { page } = await openGallery(bridge, { path: '/dashboard?status=failed' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.getByText(`All ${ENDED} selected`).waitFor();

    await page.keyboard.press('x');

    await page.getByText('Only the 59 loaded images stay selected.').waitFor();
    await page.getByText('59 selected').waitFor();
  });

  it('refuses in words what needs single images, and more than 10,000 jobs', async () => {
    const { page, seen } = await openGallery(bridge);
    await page.route(/\/v1\/jobs\?.*total=true/, (route) =>
      route.fulfill({ json: { items: [], total: { count: 10_000, at_least: true } } }),
    );
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page
      .getByRole('toolbar')
      .getByText('More than 10,000 match. One action takes at most 10,000.')
      .waitFor();

    const refusals = page.getByRole('toolbar').locator('[aria-disabled="true"]');
    expect(await refusals.evaluateAll((all) => all.map((each) => each.ariaDescription))).toEqual([
      'More than 10,000 match. One action takes at most 10,000.',
      'More than 10,000 match. One action takes at most 10,000.',
      'More than 10,000 match. One action takes at most 10,000.',
      'This works only for images that are selected one by one.',
      'The light table shows 2 to 9 images.',
      'More than 10,000 match. One action takes at most 10,000.',
    ]);
    await page.keyboard.press('f');
    await page.getByText('Restrict the list with a search or a filter.').waitFor();
    await page.keyboard.press('r');
    await page.getByText('This works only for images that are selected one by one.').waitFor();

    expect(await page.locator('.toast.refused').count()).toBe(2);
    expect(seen.batches).toEqual([]);
  });

  it('cancels only the jobs that wait, and ends when no job is left', async () => {
    const { page, seen } = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');

    await button(page, `Cancel ${WAITING}`).click();

    await page.locator('.toast', { hasText: `${WAITING} cancelled` }).waitFor();
    expect(seen.batches).toEqual([
      {
        action: 'cancel',
        filter: { visibility: 'active', status: 'queued' },
        expected_count: WAITING,
      },
    ]);
    await page.getByText(`All ${ENDED + WAITING} selected`).waitFor();
    await button(page, `Hide ${ENDED + WAITING}`).click();
    await page.getByText(`${ENDED + WAITING} hidden`).waitFor();
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
  });
});

describe('many jobs that were changed right before a reload', () => {
  it('are changed back by the undo that is offered again', async () => {
    const own = await startDashboard();
    await makeJobs(own.address, requests('Lake', 3));
    const hidden = () => countJobs(own.address, 'visibility=hidden');
    const page = await openPage(own.address);
    await page.getByRole('gridcell').nth(2).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Hide 3' }).click();
    await page.getByText('3 hidden').waitFor();

    await page.reload();
    await page.getByText('3 hidden').waitFor();
    await page.keyboard.press('z');

    await expect.poll(hidden).toBe(0);
    await page.getByRole('gridcell').nth(2).waitFor();
  });
});

describe('one image that was hidden right before a reload', () => {
  it('is shown again by the undo that is offered again', async () => {
    const own = await startDashboard();
    await makeJobs(own.address, requests('Lake', 1));
    const hidden = () => countJobs(own.address, 'visibility=hidden');
    const page = await openPage(own.address);
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('h');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await hidden()).toBe(1);

    await page.reload();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('z');

    await expect.poll(hidden).toBe(0);
    await page.getByRole('gridcell').first().waitFor();
  });
});

async function submittedIds(address: string): Promise<readonly string[]> {
  const reply = await fetch(`${address}/v1/jobs?limit=1&status=failed&q=Lake`);
  const { items } = (await reply.json()) as { readonly items: readonly { readonly id: string }[] };
  return items.map(({ id }) => id);
}
