import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, submitJobs } from './support/submit-jobs.ts';

const waiting = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    prompt: `Waiting ${index}`,
    parameters: { size: '128x128' },
  }));

/** Starts a bridge with two images and a paused queue in which jobs wait. */
async function startPaused(count: number) {
  const bridge = await startDashboard();
  await makeJobs(bridge.address, [
    { prompt: 'Tidal bay', parameters: { size: '192x128' } },
    { prompt: 'Desert dunes', parameters: { size: '192x128' } },
  ]);
  await fetch(`${bridge.address}/v1/queue`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paused: true }),
  });
  await submitJobs(bridge.address, waiting(count));
  return bridge;
}

describe('a queue of many jobs', () => {
  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)(
    'is one row above the images, and the top bar says its state (%s, %s)',
    async (theme, size) => {
      const bridge = await startPaused(40);
      const page = await openPage(bridge.address, { theme, size });
      const image = page.getByRole('link', { name: /^Desert dunes/ });
      await image.waitFor();
      await page.getByText('40 jobs are waiting.').waitFor();
      expect(await page.getByRole('link', { name: /^Waiting/ }).count()).toBe(0);
      expect((await image.boundingBox())?.y).toBeLessThan(400);
      const row = await page.locator('.gallery-banner p b').boundingBox();
      const button = await page.getByRole('button', { name: 'Open the queue' }).boundingBox();
      // One row: the button stands beside the words, not below them.
      expect(button?.y).toBeLessThan((row?.y ?? 0) + 44);
      if (size === 'desktop') {
        await page.getByRole('button', { name: '40 queued, queue paused' }).waitFor();
      }
      await page.getByText('The queue is paused.').waitFor();
      await keepScreenshot(page, `queue-row-${size}-${theme}`);
      expect(await accessibilityProblems(page)).toEqual([]);

      await page.getByRole('button', { name: 'Open the queue' }).click();

      await page.getByRole('checkbox', { name: 'Select Waiting 0' }).waitFor();
    },
  );

  it('is cancelled by one key with one answer, and queued again by Undo', async () => {
    const bridge = await startPaused(12);
    const page = await openPage(bridge.address, { path: '/dashboard?status=queued' });
    await page.getByRole('link', { name: /^Waiting 11/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.getByText('12 selected').waitFor();

    await page.keyboard.press('Delete');

    await page.getByText('12 cancelled').waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    expect(await listJobs(bridge.address, 'status=queued')).toEqual([]);
    await page.keyboard.press('z');
    await expect
      .poll(async () => (await listJobs(bridge.address, 'status=queued')).length)
      .toBe(12);
  });

  it('leaves no cancelled cards among the images after its cancel was undone', async () => {
    const bridge = await startPaused(6);
    const page = await openPage(bridge.address);
    await page.getByText('6 jobs are waiting.').waitFor();
    await page.getByRole('button', { name: 'Open the queue' }).click();
    await page.getByRole('checkbox', { name: 'Select all 6 waiting jobs' }).click();
    await page.getByRole('button', { name: 'Cancel 6' }).click();
    const leftovers = page.getByRole('link', { name: '6 cancelled jobs' });
    await leftovers.waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();

    await page.getByText('6 jobs are waiting.').waitFor();
    await expect.poll(() => leftovers.count()).toBe(0);
    expect(await page.getByRole('link', { name: /^Desert dunes/ }).count()).toBe(1);
  });

  it('is selected as a whole by Ctrl+A, and End leads to its oldest job, beyond the pages that were read', async () => {
    const bridge = await startPaused(230);
    const page = await openPage(bridge.address, { path: '/dashboard?status=queued' });
    await page.getByRole('link', { name: /^Waiting 229/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await expect.poll(focused).toMatch(/^Waiting 229/);

    await page.keyboard.press('Control+a');

    await page.getByText('All 230 selected').waitFor();
    await page.getByRole('button', { name: 'Cancel 230' }).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('link', { name: /^Waiting 229/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await expect.poll(focused).toMatch(/^Waiting 0\./);
  });

  it('is not hidden, and the message about it has no check mark', async () => {
    const bridge = await startPaused(2);
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: /^Waiting 1/ }).focus();
    await page.keyboard.press('h');
    const message = page.locator('.toast', { hasText: 'A job cannot be hidden' });
    await message.waitFor();
    expect(await message.evaluate(({ className }) => className)).toContain('refused');
  });
});
