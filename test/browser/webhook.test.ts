import { afterEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver, webhookSettings } from '../e2e/jobs/webhook-receiver.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { cancelJob, submitJobs } from './support/submit-jobs.ts';

const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.kill()));
});

/** Opens a cancelled job in the dashboard. Its webhook is sent to a receiver with these replies. */
async function openJob(reply: () => number, options: Parameters<typeof openPage>[1] = {}) {
  const receiver = await startReceiver(reply);
  receivers.push(receiver);
  const { set, env } = webhookSettings(receiver.host);
  const bridge = await startDashboard({ set, env });
  const [id = ''] = await submitJobs(bridge.address, [
    {
      prompt: 'A lighthouse at dusk',
      routing: { model: 'sandbox-hang' },
      webhook: { url: receiver.url },
    },
  ]);
  const page = await openPage(bridge.address, { ...options, path: `/dashboard/jobs/${id}` });
  const section = page.locator('.webhook-section');
  await section.getByText('Sent when the job ends').waitFor();
  await cancelJob(bridge.address, id);
  return { page, section, receiver };
}

describe('the webhook of a job', () => {
  it('is shown from a failed attempt to the successful one', async () => {
    let takesIt = false;
    const { page, section, receiver } = await openJob(() => (takesIt ? 204 : 500));

    await section.getByText(/^Not delivered .*: the receiver replied with 500/).waitFor();
    takesIt = true;
    await keepScreenshot(page, 'job-webhook-pending');
    // The second attempt follows after 5 s, and a third one after 30 s.
    await section.getByText(/^Delivered after \d attempts$/).waitFor({ timeout: 45_000 });
    expect(receiver.received.length).toBeGreaterThan(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'job-webhook-delivered');
  });

  it('is shown as failed if the receiver rejects it for good', async () => {
    const { page, section } = await openJob(() => 410, { theme: 'dark', size: 'phone' });

    await section.getByText('Failed: the receiver replied with 410').waitFor();
    await section.scrollIntoViewIfNeeded();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'job-webhook-failed');
  });
});
