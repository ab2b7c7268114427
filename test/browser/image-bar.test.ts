import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs, unmarkJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
let job: string;

beforeAll(async () => {
  bridge = await startDashboard();
  const request = { prompt: 'A lighthouse at dusk', parameters: { n: 3, size: '256x160' } };
  [job = ''] = await makeJobs(bridge.address, [request]);
});

afterEach(async () => {
  for (const { id } of await images()) await mark(id, { favorite: false, hidden: false, note: '' });
  await unmarkJobs(bridge.address);
});

interface Listed {
  readonly id: string;
  readonly favorite?: boolean;
  readonly hidden?: boolean;
}

async function images(): Promise<readonly Listed[]> {
  const reply = await fetch(`${bridge.address}/v1/jobs?visibility=all`);
  const page = (await reply.json()) as { items: { id: string; artifacts: Listed[] }[] };
  return page.items.find(({ id }) => id === job)?.artifacts ?? [];
}

async function mark(id: string, body: object): Promise<void> {
  await fetch(`${bridge.address}/v1/artifacts/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const bar = (page: Page, number: number) =>
  page.getByRole('toolbar', { name: `Actions on Output ${number}` });
const thumb = (page: Page, name: string | RegExp) =>
  page.getByRole('group', { name: 'Images of this job' }).getByRole('button', { name });

describe('the bar of one image', () => {
  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)('marks and hides this image alone, with undo (%s, %s)', async (theme, size) => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path, theme, size });

    await bar(page, 2).getByRole('button', { name: 'Favourite this image' }).click();
    await thumb(page, 'Output 2, Favourite').waitFor();
    expect((await images()).map(({ favorite }) => favorite ?? false)).toEqual([false, true, false]);
    expect(
      await page
        .getByRole('button', { name: 'Favourite', exact: true })
        .getAttribute('aria-pressed'),
    ).toBe('true');

    await thumb(page, 'Output 3').click();
    await bar(page, 3).getByRole('button', { name: 'Hide this image' }).focus();
    await page.keyboard.press('Enter');
    await thumb(page, 'Output 3, Hidden').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await thumb(page, /^Output 3$/).waitFor();
    await expect.poll(async () => (await images()).some(({ hidden }) => hidden)).toBe(false);
  });

  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)(
    'has no problems beside a hidden and a favourite image (%s, %s)',
    async (theme, size) => {
      const [first, second] = await images();
      await mark(first?.id ?? '', { favorite: true, note: 'For the cover' });
      await mark(second?.id ?? '', { hidden: true });

      const page = await openPage(bridge.address, { path: `/dashboard/jobs/${job}`, theme, size });
      await bar(page, 1).getByText('For the cover').waitFor();

      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `image-bar-${theme}-${size}`);
    },
  );

  it('uses this image as a reference by a key, and as a source by a button', async () => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path });
    await bar(page, 2).waitFor();

    await page.keyboard.press('u');

    await page.waitForURL(/\/dashboard$/);
    const panel = page.getByRole('complementary', { name: 'New image' });
    await panel.getByRole('button', { name: 'Reference', exact: true }).waitFor();

    await page.goto(`${bridge.address}${path}`);
    await bar(page, 2).getByRole('button', { name: 'Refine this image' }).click();

    await page.waitForURL(/\/dashboard$/);
    await panel.getByRole('button', { name: 'Source', exact: true }).waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(1);
  });

  it('is absent in the grid and for a job with one image', async () => {
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${job}?view=grid` });

    await page.locator('.grid img').first().waitFor();

    expect(await page.locator('.image-bar').count()).toBe(0);
  });
});

it('a card leaves out hidden images', async () => {
  const [first] = await images();
  await mark(first?.id ?? '', { hidden: true });

  const page = await openPage(bridge.address);

  await page.locator('.card .card-images.of-2 img').first().waitFor();
  expect(await page.getByRole('gridcell').first().textContent()).toContain('2');
});
