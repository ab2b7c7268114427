import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REPLICAS, type Replicas, startReplicas } from '../support/replicas.ts';
import { openPage } from './support/open-page.ts';
import { press } from './support/press.ts';
import { listJobs, makeJobs, submitJobs } from './support/submit-jobs.ts';

const SLOW = { prompt: 'A slow boat', routing: { model: 'sandbox-hang' } };

let replicas: Replicas;

beforeAll(async () => {
  if (HAS_REPLICAS) replicas = await startReplicas({ set: ['replica.lease_ms=5000'] });
});
afterAll(() => replicas?.stop());

const card = (page: Page, name: string) => page.locator('.card', { hasText: name });

describe.runIf(HAS_REPLICAS)('the dashboard of two replicas behind HAProxy', () => {
  it('shows the images of both replicas, and follows the jobs of both', async () => {
    const [one, two] = replicas.each;
    const small = { parameters: { size: '128x128' } };
    await makeJobs(one.address, [{ prompt: 'A boat of the first replica', ...small }]);
    const page = await openPage(replicas.address);
    await card(page, 'of the first replica').locator('img').waitFor();

    await makeJobs(two.address, [{ prompt: 'A boat of the second replica', ...small }]);
    await card(page, 'of the second replica').locator('img').waitFor();
  });

  it('cancels a job that any replica runs', async () => {
    const [id] = await submitJobs(replicas.address, [SLOW]);
    const page = await openPage(replicas.address, { path: `/dashboard/jobs/${id}` });

    const about = page.getByRole('complementary', { name: 'About this job' });
    await press(about.getByRole('button', { name: /cancel/i }), 2);

    await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
    for (const { address } of replicas.each) {
      expect(await listJobs(address, 'search=slow')).toMatchObject([{ id, status: 'cancelled' }]);
    }
  });

  it('pauses the queue of both replicas', async () => {
    const page = await openPage(replicas.address, { path: '/dashboard/system' });

    await page.getByRole('button', { name: 'Pause the queue' }).click();

    await page.getByText('Working. The queue is paused.').waitFor();
    for (const { address } of replicas.each) {
      const reply = await fetch(`${address}/v1/queue`);
      expect(await reply.json()).toMatchObject({ paused: true });
    }
    await page.getByRole('button', { name: 'Resume the queue' }).click();
  });

  it('stays connected while one replica after the other is replaced', async () => {
    const page = await openPage(replicas.address, { expects: [/net::ERR_|503/] });
    const state = page.getByRole('status').first();
    await state.getByText('Connected').waitFor();

    for (const index of [0, 1] as const) {
      await replicas.each[index].end('SIGTERM');
      await replicas.restart(index);
    }
    await makeJobs(replicas.address, [{ prompt: 'A boat after the upgrade' }]);

    await card(page, 'after the upgrade').locator('img').waitFor();
    await state.getByText('Connected').waitFor();
  });
});
