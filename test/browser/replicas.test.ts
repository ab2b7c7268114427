import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { HAS_REPLICAS, type Replicas, startReplicas } from '../support/replicas.ts';
import { openPage } from './support/open-page.ts';
import { makeJobs } from './support/submit-jobs.ts';

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
});
