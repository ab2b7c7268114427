import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { makeJobs } from './support/submit-jobs.ts';

const DAY_MS = 86_400_000;

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
  await makeJobs(bridge.address, [
    { prompt: 'Tidal bay', parameters: { size: '192x128' } },
    { prompt: 'Desert dunes', parameters: { size: '192x128' } },
  ]);
});

/** Opens the gallery with a clock that the test can advance. */
async function openGallery() {
  const page = await openPage(bridge.address);
  await page.clock.install();
  await page.reload();
  await page.getByRole('gridcell').first().waitFor();
  return page;
}

describe('the heading of a day', () => {
  it('changes to Yesterday at midnight while the page stays open', async () => {
    const page = await openGallery();
    await page.getByRole('heading', { name: 'Today' }).waitFor();

    await page.clock.fastForward(DAY_MS);

    await page.getByRole('heading', { name: 'Yesterday' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Today' }).count()).toBe(0);
  });
});

describe('a message', () => {
  it('stays while it is hovered or focused, and disappears afterwards', async () => {
    const page = await openGallery();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('h');
    const message = page.locator('.toast').filter({ hasText: 'Hidden' });

    await message.hover();
    await page.clock.fastForward(60_000);
    await message.getByRole('button', { name: 'Undo' }).focus();
    await page.mouse.move(0, 0);
    await page.clock.fastForward(60_000);
    expect(await message.isVisible()).toBe(true);

    await message.getByRole('button', { name: 'Undo' }).blur();
    await page.clock.fastForward(6000);
    await message.waitFor({ state: 'detached' });
  });
});
