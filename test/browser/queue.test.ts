import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { press } from './support/press.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, submitJobs } from './support/submit-jobs.ts';

describe('the queue', () => {
  it('is paused and resumed in the system view, which its jobs show', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address, { path: '/dashboard/system' });
    await page.getByRole('button', { name: 'Pause the queue' }).click();
    await page.getByText('Working. The queue is paused.').waitFor();
    await submitJobs(bridge.address, [{ prompt: 'a job that waits' }]);
    const gallery = await openPage(bridge.address);
    await gallery
      .locator('.card', { hasText: 'a job that waits' })
      .getByText('Queue paused')
      .waitFor();
    await page.getByText('1 job is waiting.').waitFor();
    await keepScreenshot(page, 'queue-paused');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Resume the queue' }).click();

    await page.getByText('No jobs are waiting.').waitFor();
    await expect
      .poll(async () => (await listJobs(bridge.address, 'search=waits'))[0]?.status)
      .toBe('succeeded');
  });

  it('shows on a retried job a link to the earlier job', async () => {
    const bridge = await startDashboard();
    const [failed] = await makeJobs(bridge.address, [
      { prompt: 'to be repeated', routing: { model: 'sandbox-fail-overloaded' } },
    ]);
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${failed}` });
    await page.locator('.job-bar').getByRole('button', { name: 'Make again' }).click();
    await press(page.getByRole('button', { name: 'Show', exact: true }));

    await page.getByText('Retry of').waitFor();
    await page.getByRole('link', { name: 'the earlier job' }).click();

    await expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/jobs/${failed}`);
  });
});
