import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, submitJobs } from './support/submit-jobs.ts';

const waiting = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    prompt: `Waiting ${index}`,
    parameters: { size: index % 2 === 0 ? '192x128' : '128x128' },
  }));

async function pause(address: string, paused: boolean) {
  await fetch(`${address}/v1/queue`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paused }),
  });
}

/** Starts a bridge with two images, running jobs and a paused queue in which jobs wait. */
async function startQueue(count: number, running = 0) {
  const bridge = await startDashboard();
  await makeJobs(bridge.address, [
    { prompt: 'Tidal bay', parameters: { size: '192x128' } },
    { prompt: 'Desert dunes', parameters: { size: '192x128' } },
  ]);
  const slow = Array.from({ length: running }, (_, index) => ({
    prompt: `Running ${index}`,
    routing: { model: 'sandbox-slow' },
    parameters: { size: '192x128', partial_images: 2 },
  }));
  await submitJobs(bridge.address, slow);
  await expect
    .poll(async () => (await listJobs(bridge.address, 'status=running')).length)
    .toBe(running);
  await pause(bridge.address, true);
  await submitJobs(bridge.address, waiting(count));
  return bridge;
}

/** Opens the queue with its key. */
async function openQueue(page: Page) {
  await page.getByRole('link', { name: /^Desert dunes/ }).waitFor();
  await page.keyboard.press('q');
  await page.getByRole('heading', { name: /^Queue/ }).waitFor();
}

const shownOrder = (page: Page) =>
  page.locator('.queue-wait p:first-child').evaluateAll((all) => all.map((one) => one.textContent));

/** Returns the prompts of the queued jobs, in the order in which they start. */
async function startOrder(address: string) {
  const reply = await fetch(`${address}/v1/queue/own`);
  const own = (await reply.json()) as { readonly waiting: readonly { readonly id: string }[] };
  const prompts = new Map(
    (await listJobs(address, 'status=queued')).map(({ id, prompt }) => [id, prompt]),
  );
  return own.waiting.map(({ id }) => prompts.get(id));
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.ariaLabel ?? '');

describe('the queue drawer', () => {
  it.each(THEMES_AND_SIZES)('shows running and waiting jobs (%s, %s)', async (theme, size) => {
    const bridge = await startQueue(12, 1);
    const page = await openPage(bridge.address, { theme, size });
    await openQueue(page);

    await page.getByText('Waiting 11').waitFor();
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    await page.getByText('of 4 places busy.').waitFor();
    await page.getByText('place 12').waitFor();
    const image = await page.locator('.queue-drawer').boundingBox();
    expect(image?.width).toBe(size === 'desktop' ? 420 : 390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
      size === 'desktop' ? 1440 : 390,
    );
    await keepScreenshot(page, `queue-drawer-${size}-${theme}`);
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.keyboard.press('Escape');

    await page.locator('.queue-drawer').waitFor({ state: 'detached' });
  });

  it('says that it is being read while the first connection is slow, and not that it failed', async () => {
    const bridge = await startQueue(2);
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: /^Desert dunes/ }).waitFor();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/**', async (route) => {
      await held;
      await route.continue();
    });

    await page.reload();
    await page.locator('#app button').first().waitFor({ state: 'attached' });
    await page.keyboard.press('q');
    await page.getByText('Reading the queue').waitFor();
    expect(await page.getByText('The queue could not be read.').count()).toBe(0);
    answer();

    await expect.poll(() => shownOrder(page)).toEqual(['Waiting 0', 'Waiting 1']);
  });

  it('is closed by Back, and gives the focus back', async () => {
    const bridge = await startQueue(1);
    const page = await openPage(bridge.address);
    await page.getByRole('button', { name: '1 queued, queue paused' }).click();
    await page.getByRole('heading', { name: 'Queue, paused' }).waitFor();

    await page.goBack();

    await page.locator('.queue-drawer').waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.className)).toContain('work-status');
  });

  it('moves jobs with the keyboard, and the bridge starts them in this order', async () => {
    const bridge = await startQueue(4);
    const page = await openPage(bridge.address);
    await openQueue(page);
    await page.getByRole('checkbox', { name: 'Select Waiting 0' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('Select Waiting 2');

    await page.keyboard.press('Alt+ArrowUp');

    const moved = ['Waiting 0', 'Waiting 2', 'Waiting 1', 'Waiting 3'];
    await expect.poll(() => shownOrder(page)).toEqual(moved);
    await expect.poll(() => startOrder(bridge.address)).toEqual(moved);
    await expect.poll(() => focused(page)).toBe('Select Waiting 2');
    await page.getByRole('checkbox', { name: 'Select Waiting 3' }).focus();
    await page.keyboard.press('Alt+Home');
    const first = ['Waiting 3', 'Waiting 0', 'Waiting 2', 'Waiting 1'];
    await expect.poll(() => startOrder(bridge.address)).toEqual(first);
    await expect.poll(() => shownOrder(page)).toEqual(first);
  });

  it('cancels the selected jobs with one answer, and Undo queues them again', async () => {
    const bridge = await startQueue(5);
    const page = await openPage(bridge.address);
    await openQueue(page);
    await page.getByRole('checkbox', { name: 'Select Waiting 1' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByRole('button', { name: 'Cancel 3' }).waitFor();
    await keepScreenshot(page, 'queue-drawer-selected');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.keyboard.press('Delete');

    await page.locator('.toast', { hasText: '3 cancelled' }).waitFor();
    await expect.poll(() => shownOrder(page)).toEqual(['Waiting 0', 'Waiting 4']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(() => startOrder(bridge.address))
      .toEqual(['Waiting 0', 'Waiting 4', 'Waiting 1', 'Waiting 2', 'Waiting 3']);
  });

  it('cancels all by the keyboard, and keeps the focus when no row is left', async () => {
    const bridge = await startQueue(3);
    const page = await openPage(bridge.address);
    await openQueue(page);
    await page.locator('.queue-wait').nth(2).waitFor();

    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('Select Waiting 0');
    await page.getByRole('checkbox', { name: 'Select all 3 waiting jobs' }).focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('button', { name: 'Cancel 3' }).waitFor();
    await page.keyboard.press('Delete');

    await page.getByText('No jobs are waiting.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('queue-title');
  });

  it('gives the focus to the same row again after the focus has left the list', async () => {
    const bridge = await startQueue(3);
    const page = await openPage(bridge.address);
    await openQueue(page);
    await page.locator('.queue-wait').nth(2).waitFor();
    const all = page.getByRole('checkbox', { name: 'Select all 3 waiting jobs' });
    await all.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('Select Waiting 0');

    await all.focus();
    await page.keyboard.press('ArrowDown');

    await expect.poll(() => focused(page)).toBe('Select Waiting 0');
  });

  it('does not reorder the list under the focus, and counts the changes', async () => {
    const bridge = await startQueue(3);
    const page = await openPage(bridge.address);
    await openQueue(page);
    await page.getByRole('checkbox', { name: 'Select Waiting 1' }).focus();
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/queue/own')) reads.push(request.url());
    });

    const [job] = await listJobs(bridge.address, 'status=queued&search=Waiting%200');
    await fetch(`${bridge.address}/v1/jobs/${job?.id}`, { method: 'DELETE' });

    await page.getByRole('button', { name: '1 change' }).waitFor();
    expect(await shownOrder(page)).toEqual(['Waiting 0', 'Waiting 1', 'Waiting 2']);
    await page.getByText('No longer waiting').waitFor();
    await page.getByRole('button', { name: '1 change' }).click();
    await expect.poll(() => shownOrder(page)).toEqual(['Waiting 1', 'Waiting 2']);
    await pause(bridge.address, false);
    await page.getByRole('heading', { name: 'Queue', exact: true }).waitFor();
    // The event stream reports the changes.
    expect(reads).toEqual([]);
  });

  it('has at most 40 rows in the document for many waiting jobs, and the keyboard reaches the last', async () => {
    const bridge = await startQueue(150);
    const page = await openPage(bridge.address);
    await openQueue(page);
    await page.getByRole('checkbox', { name: 'Select Waiting 0' }).focus();
    await page.getByRole('checkbox', { name: 'Select all 150 waiting jobs' }).waitFor();

    expect(await page.locator('.queue-wait').count()).toBe(40);
    for (let step = 0; step < 60; step += 1) await page.keyboard.press('ArrowDown');

    await expect.poll(() => focused(page)).toBe('Select Waiting 60');
    expect(await page.locator('.queue-wait').count()).toBe(40);
  });

  it('is resumed in the drawer', async () => {
    const bridge = await startQueue(2);
    const page = await openPage(bridge.address);
    await openQueue(page);

    await page.getByRole('button', { name: 'Resume' }).first().click();

    await expect.poll(async () => (await listJobs(bridge.address, 'status=queued')).length).toBe(0);
  });
});
