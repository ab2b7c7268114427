import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import { openLongGallery, rail } from './support/long-gallery.ts';
import { openPage } from './support/open-page.ts';
import { makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
/** The ids of three jobs of one image, oldest first, and of one job of two images. */
let ids: readonly string[];

beforeAll(async () => {
  bridge = await startDashboard();
  ids = await makeJobs(bridge.address, [
    ...[0, 1, 2].map((column) => ({
      prompt: `A heron ${column}`,
      parameters: { size: '128x128' },
      group: { id: 'herons', row: 0, column },
    })),
    { prompt: 'Two herons', parameters: { size: '128x128', n: 2 } },
  ]);
});

/** Turns the page. Its texts stay English, because no other language exists yet. */
async function turn(page: Page): Promise<Page> {
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  return page;
}

const open = async (path = '/dashboard') => turn(await openPage(bridge.address, { path }));

const isFocused = (element: Locator) => element.evaluate((each) => each === document.activeElement);

async function leftOf(element: Locator): Promise<number> {
  return (await element.boundingBox())?.x ?? Number.NaN;
}

describe('a page from right to left', () => {
  it('goes to the next choice, which is on the left, with ←, and back with →', async () => {
    const page = await open();
    await page.getByRole('button', { name: /^Look/ }).click();
    for (const [group, first, second] of [
      ['Quality', 'Auto', 'Low'],
      ['Size', 'Auto', '1:1'],
    ] as const) {
      const choices = page.getByRole('radiogroup', { name: group });
      const [from, to] = [first, second].map((name) => choices.getByRole('radio', { name }));
      if (from === undefined || to === undefined) throw new Error('no choices');
      expect(await leftOf(to)).toBeLessThan(await leftOf(from));

      await from.focus();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => to.getAttribute('aria-checked')).toBe('true');
      expect(await isFocused(to)).toBe(true);
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => from.getAttribute('aria-checked')).toBe('true');
    }
  });

  it('goes to the older job, which is on the left, with ←', async () => {
    const page = await open(`/dashboard/jobs/${ids[2]}`);
    const [newer, older] = ['Newer', 'Older'].map((name) => page.getByRole('button', { name }));
    if (newer === undefined || older === undefined) throw new Error('no neighbours');
    await expect.poll(() => older.isEnabled()).toBe(true);
    expect(await leftOf(older)).toBeLessThan(await leftOf(newer));

    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.url()).toContain(ids[1]);
    await expect.poll(() => newer.isEnabled()).toBe(true);
    await page.keyboard.press('ArrowRight');

    await expect.poll(() => page.url()).toContain(ids[2]);
  });

  it('goes to the next image of the light table, which is on the left, with ←', async () => {
    const page = await open(`/dashboard/table?jobs=${ids.slice(0, 3).join(',')}`);
    const images = page.locator('.table-picture');
    await expect.poll(() => images.locator('img').count()).toBe(3);
    expect(await leftOf(images.nth(1))).toBeLessThan(await leftOf(images.nth(0)));

    await page.keyboard.press('1');
    await page.keyboard.press('ArrowLeft');

    await expect.poll(() => isFocused(images.nth(1))).toBe(true);
  });

  it('goes to the next model of a race, which is on the left, with ←', async () => {
    const page = await open('/dashboard/race/herons');
    const tiles = page.locator('.lane-tile');
    await expect.poll(() => tiles.locator('img').count()).toBe(3);
    expect(await leftOf(tiles.nth(1))).toBeLessThan(await leftOf(tiles.nth(0)));

    await tiles.nth(0).locator('a, button').first().focus();
    await page.keyboard.press('ArrowLeft');

    await expect
      .poll(() => tiles.nth(1).evaluate((each) => each.contains(document.activeElement)))
      .toBe(true);
  });

  it('goes to the next day of the dates with ←, and to the day before with →', async () => {
    const { page } = await openLongGallery(bridge.address);
    await turn(page);
    await rail(page).focus();
    const at = () => rail(page).getAttribute('aria-valuenow');

    await page.keyboard.press('ArrowLeft');
    await expect.poll(at).toBe('1');
    await page.keyboard.press('ArrowRight');

    await expect.poll(at).toBe('0');
  });

  it('shows A on the left of B, each under its own name', async () => {
    const page = await open(`/dashboard/jobs/${ids[3]}?view=slider&a=1&b=2`);
    const badge = (side: string) =>
      page.locator('.image-badge').filter({ has: page.locator('b', { hasText: side }) });
    await page.getByRole('slider').waitFor();

    expect(await leftOf(badge('A'))).toBeLessThan(await leftOf(badge('B')));
  });

  it('opens a menu beside its button', async () => {
    const page = await open();
    const button = page.getByRole('button', { name: 'Filter' });
    await button.click();
    await page.getByRole('menu').waitFor();

    const [at, menu] = [await button.boundingBox(), await page.getByRole('menu').boundingBox()];
    expect(menu?.x).toBeLessThanOrEqual((at?.x ?? 0) + (at?.width ?? 0));
    expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeGreaterThanOrEqual(at?.x ?? 0);
  });
});
