import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { searchField } from './support/search-field.ts';
import { listJobs, makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
  await makeJobs(
    bridge.address,
    ['Tidal bay', 'Violet lake'].map((prompt) => ({ prompt, parameters: { size: '192x128' } })),
  );
});

const prompt = (page: Page) => page.locator('#prompt');
const isFocused = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element === document.activeElement);
const heading = (page: Page) => page.getByRole('complementary', { name: 'About this job' });

/** Opens the gallery, and from there the newest job. */
async function openJob(options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
  const page = await openPage(bridge.address, options);
  await page.getByRole('link', { name: 'Violet lake' }).focus();
  await page.keyboard.press('Enter');
  await heading(page).waitFor();
  return page;
}

describe('the keys that work anywhere', () => {
  it('lead from a job to the prompt, to the search and to the queue', async () => {
    const page = await openJob();

    // The panel below the job stays open.
    await page.keyboard.press('[');
    await page.keyboard.press('p');
    await expect.poll(() => isFocused(page, '#prompt')).toBe(true);
    await page.goBack();
    await heading(page).waitFor();
    await page.keyboard.press('/');
    await expect
      .poll(() => searchField(page).evaluate((field) => field === document.activeElement))
      .toBe(true);
    expect(await searchField(page).inputValue()).toBe('');
    await page.goBack();
    await heading(page).waitFor();
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: 'Queue' }).waitFor();
  });

  it('open the collapsed panel, and the sheet of a narrow window, to go to the prompt', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('link', { name: 'Violet lake' }).focus();

    await page.keyboard.press('[');
    await prompt(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('p');
    await expect.poll(() => isFocused(page, '#prompt')).toBe(true);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('p');

    await page.getByRole('dialog', { name: 'New image' }).waitFor();
    await expect.poll(() => isFocused(page, '#prompt')).toBe(true);
  });

  it('select the earlier prompt when an image is edited, so that typing replaces it', async () => {
    const page = await openPage(bridge.address);
    await prompt(page).fill('An earlier prompt');
    await page.getByRole('link', { name: 'Violet lake' }).focus();

    await page.keyboard.press('e');

    await expect.poll(() => isFocused(page, '#prompt')).toBe(true);
    await page.keyboard.type('As a woodcut');
    expect(await prompt(page).inputValue()).toBe('As a woodcut');
  });

  it('send nothing while another view hides the draft', async () => {
    const page = await openPage(bridge.address);
    await prompt(page).fill('A draft that nobody sees');
    await page.getByText('1 call to sandbox-image.').waitFor();
    await page.getByRole('link', { name: 'Violet lake' }).click();

    await page.getByLabel('Note', { exact: true }).fill('Good light');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /^Back/ }).click();
    await prompt(page).waitFor();

    expect(await listJobs(bridge.address)).toHaveLength(2);
  });
});

describe('Escape', () => {
  it('leaves the prompt and the empty search, so that the arrow keys move through the images', async () => {
    const page = await openPage(bridge.address);
    const link = page.getByRole('link', { name: 'Violet lake' });
    await link.waitFor();

    for (const key of ['p', '/']) {
      await page.keyboard.press(key);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowRight');
      expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    }
  });
});

describe('Enter', () => {
  it('leaves the search, so that the arrow keys move through the images that were found', async () => {
    const page = await openPage(bridge.address);
    const link = page.getByRole('link', { name: 'Violet lake' });
    await link.waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('violet');

    await page.keyboard.press('Enter');

    await page.getByText('1 found').waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
