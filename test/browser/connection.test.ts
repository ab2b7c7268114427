import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from './support/accessibility.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';

const TOKEN = 'correct-horse-battery-staple';
const dialog = (page: Page) => page.getByRole('dialog', { name: 'This bridge asks for a token' });

describe('a bridge with a token', () => {
  it('asks for it, refuses a wrong one, and keeps the right one in this tab alone', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, { expects: [/401/] });

    await dialog(page).waitFor();
    await dialog(page).getByLabel('Token', { exact: true }).fill('wrong-wrong-wrong-wrong');
    await dialog(page).getByRole('button', { name: 'Connect' }).click();
    await page.getByText('The bridge did not accept this token.').waitFor();
    await keepScreenshot(page, 'token-refused');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog(page).getByLabel('Token', { exact: true }).fill(TOKEN);
    await page.keyboard.press('Enter');

    await page.getByRole('status').getByText('Connected').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /sandbox-image/ }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(TOKEN);
    expect(page.url()).not.toContain(TOKEN);
  });

  it('can be put off, and asks again from the top bar', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, { expects: [/401/] });

    await dialog(page).getByRole('button', { name: 'Not now' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Needs a token' }).click();

    await dialog(page).waitFor();
  });

  it('asks again when the token changes in mid-work, and the draft stays', async () => {
    const bridge = await startDashboard({ token: TOKEN });
    const page = await openPage(bridge.address, {
      session: { 'image-bridge.token': TOKEN },
      expects: [/401/, /ERR_|503/],
    });
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('a lighthouse at dusk');
    await page.getByText('1 call to sandbox-image.').waitFor();

    const next = 'another-horse-battery-staple';
    await restart(bridge, { token: next });

    await dialog(page).waitFor();
    await dialog(page).getByLabel('Token', { exact: true }).fill(next);
    await dialog(page).getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('status').getByText('Connected').waitFor();
    await page.getByText('1 call to sandbox-image.').waitFor();
    expect(await prompt.inputValue()).toBe('a lighthouse at dusk');
  });
});

describe('a bridge that stops', () => {
  it('is waited for, and everything works again when it is back', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address, { expects: [/ERR_|503/] });
    const prompt = page.getByLabel('Prompt', { exact: true });
    await prompt.fill('a lighthouse at dusk');
    await page.getByText('1 call to sandbox-image.').waitFor();

    await bridge.end();
    await page.getByRole('button', { name: 'Offline' }).waitFor();
    await page.getByText('The draft is kept on this page.').waitFor();
    await keepScreenshot(page, 'offline');
    const submit = page.getByRole('button', { name: /^Make 1 image/ });
    await expect.poll(() => submit.isDisabled()).toBe(true);

    await restart(bridge);
    await page.getByRole('status').getByText('Connected').waitFor();
    await page.getByText('1 call to sandbox-image.').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: /^a lighthouse at dusk/ }).waitFor();
  });
});

describe('help', () => {
  it.each(['light', 'dark'] as const)(
    'lists the keys, and switches single ones off (%s)',
    async (theme) => {
      const bridge = await startDashboard();
      const page = await openPage(bridge.address, { theme });
      const prompt = page.getByLabel('Prompt', { exact: true });
      const isFocused = () => prompt.evaluate((area) => area === document.activeElement);
      await page.keyboard.press('p');
      await expect.poll(isFocused).toBe(true);
      await prompt.blur();

      await page.keyboard.press('Shift+?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await keepScreenshot(page, `shortcuts-${theme}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('switch', { name: 'Single keys' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await page.keyboard.press('p');
      expect(await isFocused()).toBe(false);
    },
  );

  it('folds the panel away and leaves the dock', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address);

    await page.keyboard.press('[');
    await page.getByLabel('Prompt', { exact: true }).waitFor({ state: 'hidden' });
    await keepScreenshot(page, 'folded');
    await page.getByRole('button', { name: /^Describe an image/ }).click();

    await page.getByLabel('Prompt', { exact: true }).waitFor();
  });
});
