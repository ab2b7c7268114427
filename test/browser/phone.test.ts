import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { makeJobs } from './support/submit-jobs.ts';

const PHONE = { size: 'phone', touch: true } as const;

let bridge: StartedBridge;
let id: string;
let long: string;

beforeAll(async () => {
  bridge = await startDashboard();
  const [first = '', second = ''] = await makeJobs(bridge.address, [
    { prompt: 'A heron', parameters: { size: '256x256' } },
    { prompt: 'The harbour from the north at the beginning of a winter', parameters: { n: 1 } },
    ...Array.from({ length: 9 }, () => ({ prompt: 'A boat', parameters: { size: '128x128' } })),
  ]);
  [id, long] = [first, second];
});

async function isInWindow(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const width = element.page().viewportSize()?.width ?? 0;
  return box !== null && box.x >= 0 && box.x + box.width <= width;
}

async function fromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('menuitem', { name: item }).tap();
}

describe('a phone', () => {
  it('shows the filter that was chosen, although the row of filters is wider than the phone', async () => {
    const page = await openPage(bridge.address, PHONE);
    const date = page.getByRole('button', { name: 'Date' });
    await date.scrollIntoViewIfNeeded();
    await date.tap();

    await page.getByRole('menuitem', { name: 'Last 7 days' }).tap();

    const chosen = page.getByRole('button', { name: /^Date/ }).first();
    await page.getByText(/^11 found/).waitFor();
    await expect.poll(() => isInWindow(chosen)).toBe(true);
  });

  it('shows all actions on a selection in one row, also if the phone is 360 pixels wide', async () => {
    const size = { width: 360, height: 740 };
    const page = await openPage(bridge.address, { ...PHONE, size });
    await page.getByRole('link', { name: /^A heron/ }).focus();
    await page.keyboard.press('Control+a');
    await page.getByText('11 selected').waitFor();
    const actions = page.getByRole('toolbar', { name: 'Selected images' }).getByRole('button');
    await actions.first().waitFor();

    const places = await actions.evaluateAll((all) =>
      all.map((each) => Math.round(each.getBoundingClientRect().top)),
    );

    // The button that clears the selection stands beside the number.
    expect(new Set(places.slice(0, -1)).size).toBe(1);
  });

  it('selects the prompt of the draft for an edit, so that typing replaces it', async () => {
    const page = await openPage(bridge.address, { ...PHONE, path: '/dashboard' });
    await page.getByRole('button', { name: /^Describe an image/ }).tap();
    await page.getByLabel('Prompt', { exact: true }).fill('The prompt of an earlier image');
    await page.goBack();
    await page.getByRole('link', { name: /^A heron/ }).tap();

    await fromMenu(page, 'Edit this');

    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.waitFor();
    await expect
      .poll(() =>
        prompt.evaluate((each: HTMLTextAreaElement) => each.selectionEnd - each.selectionStart),
      )
      .toBe('The prompt of an earlier image'.length);
    await page.keyboard.type('At night');
    expect(await prompt.inputValue()).toBe('At night');
  });

  it('stays in the sheet for a race of models, and returns to the page with Back', async () => {
    const page = await openPage(bridge.address, PHONE);
    await page.getByRole('button', { name: /^Describe an image/ }).tap();
    await page.getByRole('dialog', { name: 'New image' }).waitFor();

    await page.getByRole('button', { name: 'Race' }).tap();

    const sheet = page.getByRole('dialog', { name: 'Race' });
    await sheet.getByRole('textbox', { name: 'Prompt' }).fill('A fox at {dusk,noon}');
    await sheet.getByRole('checkbox', { name: 'sandbox-image' }).check();
    await sheet.getByRole('button', { name: 'Start 2 requests' }).waitFor();
    await page.goBack();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'A race of models' }).last().waitFor();
  });

  it('shows a message with a long name as a whole, with its buttons', async () => {
    const page = await openPage(bridge.address, { ...PHONE, path: `/dashboard/jobs/${long}` });
    await page.getByRole('complementary', { name: 'About this job' }).waitFor();
    await fromMenu(page, 'Mask, extend or crop');
    await page.locator('.canvas-editor canvas.source').waitFor();
    await page.goto(`${bridge.address}/dashboard/jobs/${id}`);

    await fromMenu(page, 'Mask, extend or crop');

    const message = page.locator('.canvas-editor .toast').filter({ hasText: 'removed' });
    await message.waitFor();
    expect(await isInWindow(message.getByRole('button').last())).toBe(true);
  });
});
