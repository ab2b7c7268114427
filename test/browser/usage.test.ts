import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../../lib/contract/request/caller.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { startPricedDashboard } from './support/priced-dashboard.ts';
import { keepScreenshot } from './support/screenshot.ts';

const secretOf = (name: string) => `secret-of-${name}`;
const token = (name: string, permissions: readonly string[], more = '') => `
[[token]]
id = "id-of-${name}"
name = "${name}"
sha256 = "${createHash('sha256').update(secretOf(name)).digest('hex')}"
scope = "${name}"
permissions = ${JSON.stringify(permissions)}
${more}
`;
const TOKENS = [
  token('Ida', PERMISSIONS, 'budget_per_day = "5.00"\nunknown_cost = "0.01"'),
  token('studio-bot', DEFAULT_PERMISSIONS, 'budget_per_day = "0.13"\nunknown_cost = "0.01"'),
  token('guest', DEFAULT_PERMISSIONS, 'images_per_day = 20'),
].join('');

const PATH = '/dashboard/system#usage';
const PAID = { provider: 'agent-responses', model: 'gpt-image-2' };
const UNPRICED = { provider: 'agent-responses', model: 'gpt-image-1.5' };

let bridge: StartedBridge;

/** Makes one image and waits for its end. */
async function make(name: string, routing: object): Promise<void> {
  const reply = await fetch(`${bridge.address}/v1/images`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretOf(name)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a heron at dawn', routing }),
  });
  expect([name, reply.status, await reply.text()]).toEqual([name, 200, expect.any(String)]);
}

beforeAll(async () => {
  bridge = await startPricedDashboard(TOKENS);
  for (const name of ['Ida', 'studio-bot', 'studio-bot', 'studio-bot']) await make(name, PAID);
  for (const name of ['Ida', 'guest', 'guest']) await make(name, { provider: 'sandbox' });
  await make('guest', UNPRICED);
});

const open = (name: string, options: Parameters<typeof openPage>[1] = {}) =>
  openPage(bridge.address, {
    path: PATH,
    session: { 'image-bridge.token': secretOf(name) },
    ...options,
  });
const box = (page: Page) => page.locator('#usage');
const models = (page: Page) => box(page).getByRole('region', { name: 'Images and cost by model' });
const tokens = (page: Page) => box(page).getByRole('region', { name: 'Images and cost by token' });
const rowsOf = async (part: ReturnType<typeof models>) => {
  const rows = await part.getByRole('row').allInnerTexts();
  return rows.slice(1).map((row) => row.split(/\s*[\t\n]\s*/).join(' | '));
};

describe('the usage of one token', () => {
  it('shows the models with their images, the cost of each, and the cost of the span', async () => {
    const page = await open('guest');

    await expect
      .poll(() => rowsOf(models(page)))
      .toEqual([
        expect.stringMatching(/^sandbox-\S+ \| sandbox \| 2 \| Nothing \| Nothing$/),
        'gpt-image-1.5 | agent-responses | 1 | Not known | Not known',
      ]);
  });

  it('shows neither other tokens nor a choice to a token without the permission admin', async () => {
    const page = await open('guest');

    await models(page).waitFor();

    expect(await tokens(page).count()).toBe(0);
    expect(await box(page).getByRole('radiogroup', { name: 'Tokens' }).count()).toBe(0);
    expect(await page.content()).not.toContain('studio-bot');
  });

  it('is compared with its budget', async () => {
    const page = await open('Ida');

    await box(page).getByText('Today, this token').waitFor();
    await box(page).getByText('$0.04 of $5.00', { exact: true }).waitFor();
    await box(page)
      .getByText(/^2 images\. Resets at 00:00\.$/)
      .waitFor();
    expect(await tokens(page).count()).toBe(0);
  });
});

describe('the usage of all tokens', () => {
  async function openAll(options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
    const page = await open('Ida', options);
    await box(page).getByRole('radio', { name: 'All tokens' }).click();
    await tokens(page).waitFor();
    return page;
  }

  it('lists the tokens with the most images first, and what is left of their limits', async () => {
    const page = await openAll();

    await box(page).getByText('Today, all tokens').waitFor();
    await box(page).getByText('$0.16 and more').waitFor();
    await expect
      .poll(() => rowsOf(tokens(page)))
      .toEqual([
        'guest | 3 | Not known | Not known | 17 images',
        'studio-bot | 3 | $0.12 | $0.12 | $0.01',
        'You, Ida | 2 | $0.04 | $0.04 | $4.96',
      ]);
    await expect
      .poll(() => rowsOf(models(page)))
      .toContainEqual('gpt-image-2 | agent-responses | 4 | $0.04 | $0.16');
    await box(page)
      .getByRole('img', { name: /by model\. Highest: \$0\.16/ })
      .waitFor();
    expect(await page.content()).not.toContain('id-of-');
  });

  it('is read for twelve weeks with the arrow keys, and the choice keeps the focus', async () => {
    const page = await openAll();

    await box(page).getByRole('radio', { name: '14 days' }).focus();
    await page.keyboard.press('ArrowRight');

    await tokens(page).getByRole('columnheader', { name: '12 weeks' }).waitFor();
    await box(page)
      .getByRole('img', { name: /^Cost of each week/ })
      .waitFor();
    const focused = page.locator(':focus');
    expect(await focused.innerText()).toBe('12 weeks');
    expect(await focused.getAttribute('aria-checked')).toBe('true');
  });

  it('returns to the own usage when the token has lost the permission admin', async () => {
    const page = await open('Ida', { expects: [/403/] });
    await page.route('**/v1/usage?*tokens=all*', (route) =>
      route.fulfill({
        status: 403,
        json: {
          error: {
            ...{ message: 'not allowed', type: 'permission_denied_error', code: null, param: null },
            bridge_ext: { code: 'permission_denied', details: {}, suggestions: [] },
          },
        },
      }),
    );

    await box(page).getByRole('radio', { name: 'All tokens' }).click();

    const own = box(page).getByRole('radio', { name: 'This token' });
    await expect.poll(() => own.getAttribute('aria-checked')).toBe('true');
    await box(page).getByText('Today, this token').waitFor();
  });

  it('stays on the page without a connection, and is read again afterwards', async () => {
    const page = await openAll({ expects: [/ERR_INTERNET_DISCONNECTED|Failed to load/] });
    const all = box(page).getByRole('radio', { name: 'All tokens' });

    await page.context().setOffline(true);
    await expect.poll(() => all.isDisabled()).toBe(true);
    expect((await rowsOf(tokens(page))).length).toBe(3);
    const reads = page.waitForResponse((reply) => reply.url().includes('tokens=all'));
    await page.context().setOffline(false);

    await reads;
    await expect.poll(() => all.isDisabled()).toBe(false);
    expect(await all.getAttribute('aria-checked')).toBe('true');
  });

  it.each(THEMES_AND_SIZES)(
    'has no accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      const page = await openAll({ theme, size, touch: size === 'phone' });

      await box(page).evaluate((element) => element.scrollIntoView());
      await keepScreenshot(page, `usage-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );

  it.each([360, 390, 768, 1280, 1440, 1920])(
    'is not wider than a screen of %i pixels, also from right to left',
    async (width) => {
      const page = await openAll({ size: { width, height: 1000 } });

      for (const direction of ['ltr', 'rtl']) {
        await page.evaluate((dir) => {
          document.documentElement.dir = dir;
        }, direction);
        await box(page).evaluate((element) => element.scrollIntoView());
        await keepScreenshot(page, `usage-${direction}-${width}`);
        const wider = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('main, #usage')]
            .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
            .map((element) => element.className),
        );
        expect(wider).toEqual([]);
      }
    },
  );

  it('shows time from right to left in a page from right to left', async () => {
    const page = await openAll();
    const chart = box(page).locator('.chart');

    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });

    const [bar, plot] = [
      await chart.locator('rect').first().boundingBox(),
      await chart.boundingBox(),
    ];
    expect(bar!.x - plot!.x).toBeLessThan(plot!.width / 10);
  });
});
