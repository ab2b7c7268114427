import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CUT, KILLED, OFFLINE, REVOKED, startInterruptible } from '../support/interruptible.ts';
import { keptImages } from '../support/kept-images.ts';

const WAITS = 'Requests without a reply are sent again when the bridge responds.';

const editor = (page: Page) => page.locator('.canvas-editor');
const share = async (page: Page) =>
  Number((await editor(page).locator('.share').textContent())?.replace(/ %.*/, ''));

/** Opens the image of a job on the canvas, and describes a change of it. */
async function openCanvas() {
  const service = await startInterruptible();
  const [id = ''] = await service.make({
    prompt: 'A lighthouse at dusk',
    parameters: { size: '384x256' },
  });
  const page = await service.open(`/dashboard/jobs/${id}`);
  await page.getByRole('button', { name: 'Mask, extend or crop' }).first().click();
  await editor(page)
    .getByRole('img', { name: /^Mask for/ })
    .waitFor();
  await expect.poll(() => editor(page).locator('.zoom-bar .whole').textContent()).not.toBe('0 %');
  await editor(page).getByLabel('Prompt').fill('a masked sky');
  return { service, page };
}

/** Paints a part of the mask. */
async function paint(page: Page): Promise<void> {
  const box = await editor(page).locator('canvas.source').boundingBox();
  if (box === null) throw new Error('the canvas is not shown');
  const { x, y, width, height } = box;
  await page.mouse.move(x + width * 0.3, y + height * 0.3);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height * 0.5, { steps: 6 });
  await page.mouse.up();
}

/** Waits until the plan permits sending, and presses the button that sends. */
async function send(page: Page): Promise<void> {
  await editor(page).getByText('1 call to sandbox-image.').waitFor();
  await page.keyboard.press('Control+Enter');
}

describe('the canvas', () => {
  it.each([KILLED, CUT, OFFLINE, REVOKED])(
    'keeps the mask that was painted, and sends it once, after $name',
    async (interruption) => {
      const { service, page } = await openCanvas();

      await interruption.begin(service, page);
      await paint(page);
      if (interruption === REVOKED) await interruption.said(page);
      else await editor(page).getByText('No connection.').waitFor();
      const before = await share(page);
      expect(before).toBeGreaterThan(0);
      await expect.poll(async () => (await keptImages(page)).mask).toBeDefined();
      await interruption.end(service, page);

      expect(await share(page)).toBe(before);
      await send(page);
      await editor(page).waitFor({ state: 'hidden' });
      const jobs = await service.jobs();
      expect(jobs.map(({ prompt }) => prompt)).toEqual(['a masked sky', 'A lighthouse at dusk']);
    },
  );

  it.each(['the network was cut', 'the server was killed'])(
    'sends once if the reply is lost and %s',
    async (how) => {
      const isKilled = how.includes('killed');
      const { service, page } = await openCanvas();
      await paint(page);
      const lost = service.relay.loseReply('POST /v1/jobs ');

      await send(page);
      await lost;
      if (isKilled) await service.kill();
      await page.getByText(WAITS).first().waitFor();
      if (isKilled) await service.start();
      await CUT.end(service, page);

      await editor(page).waitFor({ state: 'hidden' });
      expect(await service.jobs()).toHaveLength(2);
    },
  );
});
