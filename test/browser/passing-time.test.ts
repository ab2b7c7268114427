import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { listJobs, makeJobs, patchJob } from './support/submit-jobs.ts';

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

/**
 * Returns the state and the duration of the animation whose end closes a message, or undefined if the message stays. The
 * animation is skipped to its end on request.
 */
function countdownOf(message: Locator, isSkipped = false) {
  return message.evaluate((element, skips) => {
    const animations = element.getAnimations() as CSSAnimation[];
    const countdown = animations.find(({ animationName }) => animationName === 'stay');
    const found = countdown && {
      state: countdown.playState,
      duration: countdown.effect?.getComputedTiming().duration,
    };
    if (skips) countdown?.finish();
    return found;
  }, isSkipped);
}

describe('a message', () => {
  it('stays while any message is hovered or focused, and closes after six seconds otherwise', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('h');
    await page.keyboard.press('h');
    const messages = page.locator('.toast').filter({ hasText: 'Hidden' });
    await expect.poll(() => messages.count()).toBe(2);
    const [message, other] = [messages.first(), messages.last()];

    await message.hover();
    await expect.poll(() => countdownOf(other)).toMatchObject({ state: 'paused' });
    await message.getByRole('button', { name: 'Undo' }).focus();
    await page.mouse.move(0, 0);
    expect(await countdownOf(message)).toMatchObject({ state: 'paused' });

    await message.getByRole('button', { name: 'Undo' }).blur();
    const running = { state: 'running', duration: 6000 };
    await expect.poll(() => countdownOf(message)).toEqual(running);
    await countdownOf(message, true);
    await expect.poll(() => messages.count()).toBeLessThan(2);
  });

  it('about a failure stays until it is closed', async () => {
    const [{ id = '' } = {}] = await listJobs(bridge.address, 'visibility=all');
    await patchJob(bridge.address, id, { deleted: false });
    const page = await openPage(bridge.address, { expects: [/Failed to load resource/] });
    await page.getByRole('gridcell').first().waitFor();
    await page.route('**/v1/jobs/*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('h');
    const message = page.locator('.toast[role=alert]');

    await message.waitFor();
    expect(await countdownOf(message)).toBeUndefined();
    await message.getByRole('button', { name: 'Close' }).click();
    await message.waitFor({ state: 'detached' });
  });
});
