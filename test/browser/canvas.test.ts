import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
let source: string;

beforeAll(async () => {
  bridge = await startDashboard();
  [source = ''] = await makeJobs(bridge.address, [
    { prompt: 'A lighthouse at dusk', parameters: { size: '384x256' } },
  ]);
});

/** Opens the gallery with the image as the source of the draft. */
async function openEdit(theme: 'light' | 'dark', size: 'desktop' | 'phone') {
  const page = await openPage(bridge.address, { theme, size });
  const card = page.locator(`.card[data-id="${source}"]`);
  await card.locator('img').waitFor();
  await card.locator('.card-link').focus();
  await page.keyboard.press('e');
  await page.getByRole('button', { name: 'Canvas' }).click();
  await page.getByRole('dialog', { name: 'Crop or extend' }).waitFor();
  return page;
}

describe('the canvas of the source', () => {
  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)('has no problems (%s, %s)', async (theme, size) => {
    const page = await openEdit(theme, size);
    await page.getByRole('button', { name: '16:9' }).click();

    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, `canvas-${theme}-${size}`);
  });

  it('extends the image by keys and numbers, and only the new part is drawn', async () => {
    const page = await openEdit('light', 'desktop');
    await page.getByLabel('From the left').fill('999');
    await page.getByText('Enter whole pixels of a rectangle that touches the image.').waitFor();
    await page.getByRole('button', { name: '16:9' }).click();
    expect(await page.getByLabel('Width', { exact: true }).inputValue()).toBe('455');
    await page.getByLabel('Width', { exact: true }).fill('512');
    await page.getByLabel('From the left').fill('-64');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Change canvas' }).waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('more sky');
    await page.keyboard.press('Control+Enter');

    await expect
      .poll(async () => {
        const reply = await fetch(`${bridge.address}/v1/jobs?status=succeeded`);
        const list = (await reply.json()) as { items: { prompt: string; artifacts: object[] }[] };
        return list.items.find(({ prompt }) => prompt === 'more sky')?.artifacts[0];
      })
      .toMatchObject({ width: 512, height: 256 });
  });
});
