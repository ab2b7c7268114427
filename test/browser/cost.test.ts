import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../lib/contract/request/caller.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { openPage } from './support/open-page.ts';
import { startPricedDashboard } from './support/priced-dashboard.ts';
import { keepScreenshot } from './support/screenshot.ts';

const TOKEN = 'token-with-a-budget';
const TOKENS = `
[[token]]
id = "person"
name = "person"
sha256 = "${createHash('sha256').update(TOKEN).digest('hex')}"
scope = "person"
permissions = ${JSON.stringify(PERMISSIONS)}
budget_per_day = "0.30"
budget_per_month = "100"
`;

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startPricedDashboard(TOKENS);
});

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const jobsOf = async () => {
  const reply = await fetch(`${bridge.address}/v1/jobs?limit=100`, { headers });
  return ((await reply.json()) as { items: { id: string; prompt: string }[] }).items;
};

const open = (path = '/dashboard', options: Parameters<typeof openPage>[1] = {}) =>
  openPage(bridge.address, { path, session: { 'image-bridge.token': TOKEN }, ...options });

async function write(page: Page, prompt: string, model?: string): Promise<void> {
  await page.getByLabel('Prompt', { exact: true }).fill(prompt);
  if (model === undefined) return;
  await page.getByRole('button', { name: /^sandbox-image Sandbox/ }).click();
  await page
    .getByRole('option', { name: new RegExp(`^${model} `) })
    .first()
    .click();
}

const plan = (page: Page) => page.locator('#make .plan-line');
const submit = (page: Page) => page.getByRole('button', { name: /^Make \d+ images?/ });
const count = (page: Page) => page.getByRole('spinbutton', { name: 'Number of images' });

describe('the cost of a request', () => {
  it('is said before, with what is left today, and more than that is not sent', async () => {
    const page = await open();

    await write(page, 'a priced heron', 'gpt-image-2');
    await plan(page).getByText('About $0.04.').waitFor();
    await plan(page).getByText('$0.30 of $0.30 left today').waitFor();
    await count(page).fill('9');
    await plan(page).getByText('About $0.36. More than is left. Resets at 00:00.').waitFor();
    await expect.poll(() => submit(page).isDisabled()).toBe(true);
    await page.keyboard.press('Control+Enter');
    await keepScreenshot(page, 'cost-beyond');
    expect(await accessibilityProblems(page)).toEqual([]);
    await plan(page).getByRole('button', { name: 'Make 7' }).click();

    await plan(page).getByText('About $0.28.').waitFor();
    await expect.poll(() => submit(page).isDisabled()).toBe(false);
    expect(await count(page).inputValue()).toBe('7');
    expect(await jobsOf()).toEqual([]);
  });

  it('is nothing for the sandbox, which a budget never stops', async () => {
    const page = await open();

    await write(page, 'a free heron');

    await plan(page).getByText('Costs nothing.').waitFor();
    await expect.poll(() => submit(page).isDisabled()).toBe(false);
  });

  it('is not known for a model without a price, which the token may not use', async () => {
    const page = await open();

    await write(page, 'an unpriced heron', 'gpt-image-1.5');

    await plan(page)
      .getByText('Price not known. This token may only spend known prices.')
      .waitFor();
    await expect.poll(() => submit(page).isDisabled()).toBe(true);
  });

  it('is compared with what is left before a race is started', async () => {
    const page = await open('/dashboard/race', { reducedMotion: true });
    const start = page.getByRole('button', { name: /^Start \d+ request/ });
    const priced = page.getByRole('checkbox', { name: /gpt-image-2 / });

    await page.getByRole('textbox', { name: 'Prompt' }).fill('A {red,blue} heron');
    await priced.check();
    await plan(page).getByText('2 about $0.08.').waitFor();
    await page
      .locator('.make-foot')
      .getByText(/^\$0\.\d+ of \$0\.30 left today$/)
      .waitFor();
    await expect.poll(() => start.isDisabled()).toBe(false);
    await count(page).fill('5');
    await plan(page).getByText('2 about $0.40. More than is left. Resets at 00:00.').waitFor();
    await expect.poll(() => start.isDisabled()).toBe(true);
    await keepScreenshot(page, 'race-beyond');
    expect(await accessibilityProblems(page)).toEqual([]);
    await count(page).fill('1');
    await page.getByRole('checkbox', { name: /gpt-image-1\.5 / }).check();

    await plan(page).getByText('This token may only spend known prices.').waitFor();
    await expect.poll(() => start.isDisabled()).toBe(true);
  });

  it.each([
    ['light', 390],
    ['dark', 390],
    ['light', 768],
    ['dark', 1440],
  ] as const)('stands beside the button that starts a race (%s, %d px)', async (theme, width) => {
    const page = await open('/dashboard/race', { theme, size: { width, height: 844 } });
    const start = page.getByRole('button', { name: /^Start \d+ request/ });
    if (width < 900) await page.getByRole('button', { name: 'Change the race' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A {red,blue} heron');
    await page.getByRole('checkbox', { name: /gpt-image-2 / }).check();
    await plan(page).getByText('2 about $0.08.').waitFor();
    const prices = page.locator('.racer .price');
    await prices.getByText('price not known').first().waitFor();
    const heights = await prices.evaluateAll((all) => all.map((each) => each.clientHeight));
    expect(Math.max(...heights)).toBeLessThan(24);

    if (width < 900) await page.goBack();
    else await page.getByRole('button', { name: 'Collapse the panel' }).click();

    await page.locator('.dock').getByText('2 about $0.08.').waitFor();
    expect(await start.last().getAttribute('aria-describedby')).toBe('dock-cost');
    await keepScreenshot(page, `race-dock-${theme}-${width}`);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('stands beside the button that makes an image on a phone', async () => {
    const page = await open('/dashboard', { size: 'phone' });
    await page.getByRole('button', { name: /^Describe an image/ }).click();
    await write(page, 'a priced heron', 'gpt-image-2');
    await plan(page).getByText('About $0.04.').waitFor();

    await page.goBack();

    await page.locator('.dock').getByText('About $0.04.').waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'is said after, in the job and in the usage (%s)',
    async (theme) => {
      const page = await open('/dashboard', { theme });
      await write(page, `a paid heron, ${theme}`, 'gpt-image-2');
      await plan(page).getByText('About $0.04.').waitFor();
      const before = await plan(page)
        .getByText(/left today/)
        .innerText();
      await page.keyboard.press('Control+Enter');

      await expect
        .poll(() =>
          plan(page)
            .getByText(/left today/)
            .innerText(),
        )
        .not.toBe(before);
      const job = (await jobsOf()).find(({ prompt }) => prompt === `a paid heron, ${theme}`);
      await page.goto(`${bridge.address}/dashboard/jobs/${job?.id}`);
      const cost = page.locator('.cost-section');
      await cost.getByText('$0.04').waitFor();
      await cost.getByText('From the price list. An estimate, not the invoice.').waitFor();
      await page.goto(`${bridge.address}/dashboard/system#usage`);
      const usage = page.locator('.usage-box');
      await usage.getByText(/^\$0\.0\d+ of \$0\.30$/).waitFor();
      await usage.getByRole('rowheader', { name: 'gpt-image-2 agent-responses' }).waitFor();
      expect(await usage.getByRole('columnheader', { name: 'Cost' }).count()).toBe(1);
      await usage
        .getByRole('img', { name: /^Cost of each day, .* by model\. .* Budget: \$0\.30 a day\.$/ })
        .waitFor();
      await usage.locator('.legend').getByText('$0.30 a day').waitFor();
      await usage.scrollIntoViewIfNeeded();
      await keepScreenshot(page, `cost-usage-${theme}`);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );

  it('is planned again after the connection was lost', async () => {
    const page = await open('/dashboard', { expects: [/Failed to load resource/] });
    await write(page, 'an offline heron', 'gpt-image-2');
    await plan(page)
      .getByText(/left today/)
      .waitFor();

    await page.context().setOffline(true);
    await plan(page)
      .getByText(/left today/)
      .waitFor({ state: 'detached' });
    await expect.poll(() => submit(page).isDisabled()).toBe(true);
    await page.context().setOffline(false);

    await plan(page)
      .getByText(/left today/)
      .waitFor();
  });
});
