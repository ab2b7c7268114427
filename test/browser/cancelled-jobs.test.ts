import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, submitJobs } from './support/submit-jobs.ts';

const CANCELLED = 60;

/** Starts a bridge with an older image, sixty jobs that were cancelled while they waited, and a newer image. */
async function startCancelled() {
  const bridge = await startDashboard();
  const size = { size: '192x128' };
  await makeJobs(bridge.address, [{ prompt: 'Tidal bay', parameters: size }]);
  await setPaused(bridge.address, true);
  const requests = Array.from({ length: CANCELLED }, (_, index) => ({ prompt: `Wait ${index}` }));
  const ids = await submitJobs(bridge.address, requests);
  await send(bridge.address, 'POST', '/v1/jobs/batch', { action: 'cancel', ids });
  await setPaused(bridge.address, false);
  await makeJobs(bridge.address, [{ prompt: 'Desert dunes', parameters: size }]);
  return bridge;
}

const setPaused = (address: string, paused: boolean) =>
  send(address, 'PATCH', '/v1/queue', { paused });

async function send(address: string, method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(address + path, { method, headers, body: JSON.stringify(body) });
}

const cards = (page: Page) =>
  page
    .locator('.card-link')
    .allTextContents()
    .then((names) => names.map((name) => name.replace(/\..*/, '')));

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

describe('neighbouring jobs that were cancelled while they waited', () => {
  it.each(THEMES_AND_SIZES)('share one card among the images (%s, %s)', async (theme, size) => {
    const bridge = await startCancelled();
    const page = await openPage(bridge.address, { theme, size });
    await page.getByRole('link', { name: /^Tidal bay/ }).waitFor();

    expect(await cards(page)).toEqual(['Desert dunes', '60 cancelled jobs', 'Tidal bay']);
    await page.locator('.found-count', { hasText: '62' }).waitFor();
    await keepScreenshot(page, `cancelled-jobs-${size}-${theme}`);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('are reached by the keys, listed by Enter, and folded again by Back', async () => {
    const bridge = await startCancelled();
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: /^Desert dunes/ }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toBe('60 cancelled jobs');

    await page.keyboard.press('Enter');

    await page.getByRole('link', { name: 'Wait 59. Cancelled' }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('cancelled');
    expect(await page.getByRole('link', { name: /^Desert dunes/ }).count()).toBe(0);
    await expect.poll(() => focused(page)).toBe('Wait 59. Cancelled');
    await page.goBack();
    await page.getByRole('link', { name: '60 cancelled jobs' }).waitFor();
  });

  it('are hidden by one key, after which the focus is on the next image, and shown again by Undo', async () => {
    const bridge = await startCancelled();
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: '60 cancelled jobs' }).focus();

    await page.keyboard.press('h');

    await page.locator('.toast', { hasText: '60 hidden' }).waitFor();
    await expect.poll(() => cards(page)).toEqual(['Desert dunes', 'Tidal bay']);
    await expect.poll(() => focused(page)).toMatch(/^Tidal bay/);
    await page.keyboard.press('z');
    await page.getByRole('link', { name: '60 cancelled jobs' }).waitFor();
  });

  it('are selected with their card, alone, in a range and with all jobs', async () => {
    const bridge = await startCancelled();
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: '60 cancelled jobs' }).focus();

    await page.keyboard.press('x');

    await page.getByText('60 selected').waitFor();
    const card = page.getByRole('gridcell', { name: '60 cancelled jobs' });
    expect(await card.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('61 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+a');
    await page.getByText('62 selected').waitFor();
    await page.getByRole('button', { name: 'Hide 62' }).click();
    await expect.poll(async () => (await listJobs(bridge.address)).length).toBe(0);
  });

  it('are listed by a touch on Show, and selected by a touch while cards are selected', async () => {
    const bridge = await startCancelled();
    const page = await openPage(bridge.address, { size: 'phone', touch: true });
    await page.getByRole('button', { name: 'Select', exact: true }).tap();
    await page.getByRole('link', { name: '60 cancelled jobs' }).tap({ position: { x: 8, y: 8 } });
    await page.getByText('60 selected').waitFor();
    await page.getByRole('button', { name: 'Clear the selection' }).tap();

    await page.getByRole('button', { name: 'Show 60 cancelled jobs' }).tap();

    await page.getByRole('link', { name: 'Wait 59. Cancelled' }).waitFor();
  });

  it('are passed over by the keys of the job view', async () => {
    const bridge = await startCancelled();
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: /^Desert dunes/ }).click();
    await page.getByRole('heading', { name: 'Desert dunes' }).waitFor();

    await page.keyboard.press('ArrowRight');

    await page.getByRole('heading', { name: 'Tidal bay' }).waitFor();
  });
});

describe('a waiting job', () => {
  it('keeps its card when it is cancelled by hand, until its neighbours are cancelled too', async () => {
    const bridge = await startDashboard();
    await setPaused(bridge.address, true);
    await submitJobs(
      bridge.address,
      ['One', 'Two', 'Three'].map((prompt) => ({ prompt })),
    );
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: /^Three/ }).focus();
    await page.keyboard.press('Delete');
    await page.getByRole('link', { name: 'Three. Cancelled' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Delete');
    await page.getByRole('link', { name: 'Two. Cancelled' }).waitFor();
    await page.keyboard.press('ArrowRight');

    await page.keyboard.press('Delete');

    await page.getByRole('link', { name: '3 cancelled jobs' }).waitFor();
    await expect.poll(() => focused(page)).toBe('3 cancelled jobs');
    await page.keyboard.press('z');
    await expect
      .poll(() => cards(page))
      .toEqual(['One', 'Three', 'Two'].map((prompt) => expect.stringContaining(prompt)));
  });
});
