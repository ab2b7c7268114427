import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_REPLICAS, type Replicas, startReplicas } from '../support/replicas.ts';
import { openPage } from './support/open-page.ts';
import { makeJobs } from './support/submit-jobs.ts';

let replicas: Replicas;

beforeAll(async () => {
  if (!HAS_REPLICAS) return;
  replicas = await startReplicas({
    set: ['replica.lease_ms=5000', 'artifacts.s3.redirect_above_bytes=65536'],
  });
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

  // A request to another origin would fail the test.
  it('shows and downloads an image to whose object other clients are redirected', async () => {
    const [id = ''] = await makeJobs(replicas.address, [{ prompt: 'A large boat' }]);
    const reply = await fetch(`${replicas.address}/v1/jobs/${id}`);
    const { result } = (await reply.json()) as { result: { data: readonly { id: string }[] } };
    const path = `${replicas.address}/v1/artifacts/${result.data[0]?.id}`;
    expect((await fetch(path, { redirect: 'manual' })).status).toBe(307);
    const page = await openPage(replicas.address, { path: `/dashboard/jobs/${id}` });

    await page.getByRole('img', { name: 'Image' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect((await readFile(await file.path())).equals(await (await fetch(path)).bytes())).toBe(
      true,
    );
  });
});
