import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CUT, KILLED, OFFLINE, REVOKED, startInterruptible } from '../support/interruptible.ts';
import { keptImages } from '../support/kept-images.ts';

const PHOTO = new URL('../../data/photos/coffee.png', import.meta.url).pathname;

const prompt = (page: Page) => page.getByLabel('Prompt', { exact: true });
const WAITS = 'Requests without a reply are sent again when the bridge responds.';

/** Writes a prompt and waits until the page knows what the request would do. */
async function write(page: Page, text: string): Promise<void> {
  await prompt(page).fill(text);
  await page.getByText('1 call to sandbox-image.').waitFor();
}

describe('a request whose reply is lost', () => {
  it.each([
    ['the network was cut before the reply', 0],
    ['the network was cut within the reply', 700],
  ])('is sent again and makes one job, if %s', async (_name, after) => {
    const service = await startInterruptible();
    const page = await service.open();
    await write(page, 'a lighthouse at dusk');
    const lost = service.relay.loseReply('POST /v1/jobs ', after);

    await page.keyboard.press('Control+Enter');
    await lost;
    await page.getByText(WAITS).waitFor();
    await CUT.end(service, page);

    await page.getByRole('link', { name: /^a lighthouse at dusk/ }).waitFor();
    await page.getByText(WAITS).waitFor({ state: 'detached' });
    expect(await service.jobs()).toHaveLength(1);
    expect(await prompt(page).inputValue()).toBe('a lighthouse at dusk');
  });

  it('is sent again and makes one job if the server was killed meanwhile', async () => {
    const service = await startInterruptible();
    const page = await service.open();
    await write(page, 'a lighthouse at dusk');
    const lost = service.relay.loseReply('POST /v1/jobs ');

    await page.keyboard.press('Control+Enter');
    await lost;
    await service.kill();
    await page.getByText(WAITS).waitFor();
    await service.start();
    await CUT.end(service, page);

    await page.getByRole('link', { name: /^a lighthouse at dusk/ }).waitFor();
    await page.getByText(WAITS).waitFor({ state: 'detached' });
    expect(await service.jobs()).toHaveLength(1);
  });

  it('is sent again and makes one job after a network that held everything back', async () => {
    const service = await startInterruptible();
    const page = await service.open();
    await write(page, 'a lighthouse at dusk');

    service.relay.stall();
    await page.keyboard.press('Control+Enter');
    await page.getByText(WAITS).waitFor();
    await CUT.end(service, page);

    await page.getByRole('link', { name: /^a lighthouse at dusk/ }).waitFor();
    await page.getByText(WAITS).waitFor({ state: 'detached' });
    expect(await service.jobs()).toHaveLength(1);
  });

  it('is a repetition or a variation of a job and makes one more job', async () => {
    const service = await startInterruptible();
    const [id = ''] = await service.make({ prompt: 'a lighthouse', parameters: { n: 2 } });
    const page = await service.open(`/dashboard/jobs/${id}`);
    const toolbar = page.getByRole('toolbar', { name: 'Actions on Image 1' });
    const lost = service.relay.loseReply('POST /v1/jobs ');

    await toolbar.getByRole('button', { name: /^Vary/ }).click();
    await lost;
    await page.getByText(WAITS).waitFor();
    await CUT.end(service, page);

    await page.getByText('Variation sent').waitFor();
    expect(await service.jobs()).toHaveLength(2);
  });
});

describe('a draft', () => {
  it.each([KILLED, CUT, OFFLINE, REVOKED])(
    'with an image keeps everything and is sent once, after $name while the image was added',
    async (interruption) => {
      const service = await startInterruptible();
      const page = await service.open();
      await write(page, 'a cup of coffee');

      await interruption.begin(service, page);
      await page.locator('input[type=file]').setInputFiles(PHOTO);
      await page.getByText('coffee.png', { exact: true }).waitFor();
      await interruption.said(page);
      await expect.poll(async () => (await keptImages(page)).names).toEqual(['coffee.png']);
      await interruption.end(service, page);

      expect(await prompt(page).inputValue()).toBe('a cup of coffee');
      await page.getByText('Edits coffee.png.').waitFor();
      await page.keyboard.press('Control+Enter');
      await page.getByRole('link', { name: /^a cup of coffee/ }).waitFor();
      expect(await service.jobs()).toHaveLength(1);
    },
  );

  it('is not sent with a revoked token, and sent once with the same token later', async () => {
    const service = await startInterruptible();
    const page = await service.open();
    await write(page, 'a lighthouse at dusk');

    await REVOKED.begin(service, page);
    await page.keyboard.press('Control+Enter');
    await REVOKED.said(page);
    await REVOKED.end(service, page);

    expect(await prompt(page).inputValue()).toBe('a lighthouse at dusk');
    expect(await service.jobs()).toHaveLength(0);
    await page.getByText('1 call to sandbox-image.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: /^a lighthouse at dusk/ }).waitFor();
    expect(await service.jobs()).toHaveLength(1);
  });
});
