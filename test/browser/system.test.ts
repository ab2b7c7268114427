import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { IS_BALANCED, IS_SCALED } from '../support/drivers.ts';
import { freshFolder, type StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs, submitJobs } from './support/submit-jobs.ts';

const PATH = '/dashboard/system';
const SLOW = { prompt: 'a slow one', routing: { model: 'sandbox-slow' } };
const card = (page: Page, name: string) => page.locator('.provider-card', { hasText: name });
const part = (page: Page, id: string) => page.locator(`#${id}`);

/** Starts a bridge with successful and failed images, a provider that needs a login, and a provider that needs a key. */
async function startUsedBridge(): Promise<StartedBridge> {
  const bridge = await startDashboard({
    set: [
      'providers.agent_responses.enabled=true',
      `providers.agent_responses.home=${await freshFolder()}`,
      'providers.openai_images.work.api_key_env=NOT_SET',
      'runtime.provider_default.max_concurrent=4',
      'server.jobs.max_retained=500',
    ],
  });
  await makeJobs(bridge.address, [
    ...['a lighthouse at dusk', 'tide pools', 'paper boats'].map((prompt) => ({ prompt })),
    { prompt: 'refused', routing: { model: 'sandbox-fail-safety_rejected' } },
  ]);
  return bridge;
}

let used: StartedBridge;

beforeAll(async () => {
  used = await startUsedBridge();
});

describe('the system view', () => {
  it.each(THEMES_AND_SIZES)(
    'has no accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      const page = await openPage(used.address, {
        path: PATH,
        theme,
        size,
        touch: size === 'phone',
      });

      await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();
      await page.getByText('Last checked').first().waitFor();
      await keepScreenshot(page, `system-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await part(page, 'events').scrollIntoViewIfNeeded();
      await keepScreenshot(page, `system-${theme}-${size}-below`);
    },
  );

  it.each([
    [360, 740],
    [900, 1000],
    [1280, 2000],
    [3840, 2160],
  ])('is not wider than a screen of %i pixels', async (width, height) => {
    const page = await openPage(used.address, { path: PATH, size: { width, height } });

    await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();

    await keepScreenshot(page, `system-${width}`);
    const wider = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('main, .box:not(.model-table)')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
        .map((element) => element.className),
    );
    expect(wider).toEqual([]);
  });

  it('shows the state of the bridge, its version, and the number of stored jobs', async () => {
    const page = await openPage(used.address, { path: PATH });

    await page.getByText('Working. 2 providers are not ready.').waitFor();
    await page
      .getByText(/^Version \d/)
      .first()
      .waitFor();
    await page.getByText('This machine only, no token').first().waitFor();
    const jobs = page.locator('.jobs-kept');
    await expect
      .poll(() => jobs.innerText())
      .toMatch(/Stored jobs\s+4\s+Succeeded\s+3\s+Failed\s+1\s/);
    await part(page, 'storage').getByText('Images, 3 files').waitFor();
    await part(page, 'storage').getByText('at most 500 of them').waitFor();

    await jobs.getByRole('link', { name: 'Failed' }).click();

    await page.getByText('refused').first().waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?status=failed');
  });

  it('shows the steps for a provider that is not ready', async () => {
    const page = await openPage(used.address, { path: PATH });

    const responses = card(page, 'Agent Responses');
    await responses.getByText('Needs a login').waitFor();
    await responses.getByText('codex login').waitFor();
    await responses.getByText(/^Last checked \d+ s ago/).waitFor();
    const images = card(page, 'OpenAI Images');
    await images.getByText('Needs an API key').waitFor();
    await images.getByText('image-bridge doctor').waitFor();
    const sandbox = card(page, 'Sandbox');
    await sandbox.getByText('Ready, default, rehearsals only').waitFor();
    await expect
      .poll(() => sandbox.locator('dl').innerText())
      .toMatch(/Running\s+0 of 4\s+Waiting\s+0\s/);
  });

  // The configuration rejects the app server of the agent with PostgreSQL.
  it.skipIf(IS_SCALED)('shows that an agent is not installed', async () => {
    const bridge = await startDashboard({
      set: [
        'providers.agent_app_server.enabled=true',
        'providers.agent_app_server.executable=/nowhere/agent',
      ],
    });
    const page = await openPage(bridge.address, { path: PATH });

    const server = card(page, 'Agent App Server');
    await server.getByText('Agent not found').waitFor();
    await server.getByText('providers.agent_app_server.executable').waitFor();
  });

  it('distinguishes two accounts, and shows which of them needs its key', async () => {
    const bridge = await startDashboard({
      set: [
        'providers.openai_images.home.dialect=generic',
        'providers.openai_images.home.base_url=http://127.0.0.1:9',
        'providers.openai_images.home.models=["flux"]',
        'providers.openai_images.home.image_model=flux',
        'providers.openai_images.work.api_key_env=NOT_SET',
        'providers.openai_images.team.api_key_env=NOT_SET',
      ],
    });
    const page = await openPage(bridge.address, { path: PATH });

    const work = card(page, 'OpenAI Images (work)');
    await work.getByText('Needs an API key').waitFor();
    await work.getByText('image-bridge doctor').waitFor();
    await card(page, 'OpenAI Images (team)').getByText('Needs an API key').waitFor();
    await card(page, 'OpenAI-compatible server').getByText('Ready').waitFor();
    await page.getByText('Working. 2 providers are not ready.').waitFor();
    // Four cards form two full rows of two.
    const boxes = await page
      .locator('.provider-card')
      .evaluateAll((cards) => cards.map((it) => it.getBoundingClientRect().right));
    expect(boxes).toHaveLength(4);
    expect(boxes[1]).toBe(boxes[3]);
    expect(boxes[0]).toBe(boxes[2]);
    await page.getByRole('row', { name: /^flux/ }).waitFor();
    await keepScreenshot(page, 'system-accounts');
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('link', { name: 'Images', exact: true }).first().click();
    await page.getByRole('button', { name: /sandbox-image/ }).click();
    const accounts = page.getByRole('group', { name: 'OpenAI Images (work)' });
    await accounts.getByText('Needs an API key').first().waitFor();
    await expect.poll(() => accounts.getByRole('option').first().isDisabled()).toBe(true);
    await keepScreenshot(page, 'make-accounts');
    await page.getByRole('option', { name: /^flux/ }).click();
    await page.getByRole('button', { name: /flux/ }).waitFor();
  });

  it.skipIf(IS_BALANCED)(
    'shows an open breaker with the time until a call is allowed',
    async () => {
      const bridge = await startDashboard({
        set: [
          'runtime.circuit_breakers.sandbox.enabled=true',
          'runtime.circuit_breakers.sandbox.failure_threshold=2',
        ],
      });
      const fails = { prompt: 'x', routing: { model: 'sandbox-fail-upstream' } };
      await makeJobs(bridge.address, [fails, fails]);
      const page = await openPage(bridge.address, { path: PATH });

      await page.getByText('The default provider accepts no requests. Sandbox is paused').waitFor();
      const left = card(page, 'Sandbox').getByText(/is allowed in \d:\d\d/);
      const before = await left.innerText();
      await expect.poll(() => left.innerText()).not.toBe(before);

      await keepScreenshot(page, 'system-breaker');
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );

  it.skipIf(IS_BALANCED)('charts active jobs, and counts all requests except its own', async () => {
    const bridge = await startDashboard({ set: ['server.jobs.max_running=1'] });
    const page = await openPage(bridge.address, { path: PATH });
    await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();
    const chart = page.getByRole('img', { name: /^Jobs in the last/ });

    await submitJobs(bridge.address, [SLOW, SLOW, SLOW]);

    await expect
      .poll(() => chart.getAttribute('aria-label'))
      .toContain('at most 1 running, at most 2 waiting');
    await card(page, 'Sandbox').getByText('1', { exact: true }).waitFor();
    const events = part(page, 'events');
    await events.getByRole('cell', { name: '/v1/jobs', exact: true }).first().waitFor();
    await keepScreenshot(page, 'system-at-work');
    for (let count = 0; count < 12; count += 1) await fetch(`${bridge.address}/v1/presets`);
    await events.getByRole('button', { name: /^Show all/ }).click();
    expect(await events.getByRole('cell', { name: '/v1/diagnostics' }).count()).toBe(0);
    const { events: kept } = await (await fetch(`${bridge.address}/v1/diagnostics`)).json();
    expect(JSON.stringify(kept)).toContain('/v1/diagnostics');
  });
});

describe('the sections of the system view', () => {
  it('have addresses', async () => {
    const page = await openPage(used.address, { path: `${PATH}#models` });
    const nav = page.getByRole('navigation', { name: 'System' });

    await expect.poll(() => topOf(page, 'models')).toBeLessThan(80);
    await nav.locator('a[aria-current]', { hasText: 'Models' }).waitFor();

    await nav.getByRole('link', { name: 'Configuration' }).focus();
    await page.keyboard.press('Enter');
    await nav.locator('a[aria-current]', { hasText: 'Configuration' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('#configuration');

    await page.goBack();
    await nav.locator('a[aria-current]', { hasText: 'Models' }).waitFor();
  });

  it('hold the first column of the models in view while the table is scrolled', async () => {
    const page = await openPage(used.address, {
      path: `${PATH}#models`,
      size: { width: 700, height: 800 },
    });
    const region = page.getByRole('region', { name: 'Model capabilities' });
    await region.getByRole('cell', { name: 'any, up to 4096' }).waitFor();
    await region.evaluate((element) => element.scrollTo(200, 0));

    const x = (await region.boundingBox())?.x;
    for (const name of ['Model', 'sandbox-image']) {
      const head = region.getByRole(name === 'Model' ? 'columnheader' : 'rowheader', {
        name,
        exact: true,
      });
      await expect.poll(async () => (await head.boundingBox())?.x).toBe(x);
    }
  });

  it('are marked as current while the user scrolls', async () => {
    const page = await openPage(used.address, { path: PATH, size: 'phone' });
    await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();

    await page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));

    const current = page.locator('.system-nav a[aria-current]', { hasText: 'Configuration' });
    await current.waitFor();
    await expect.poll(() => current.evaluate(isInside)).toBe(true);
  });

  it('show the caller, and its images by day and by model', async () => {
    const page = await openPage(used.address, { path: PATH });
    const box = part(page, 'usage');

    await box.getByText('not required').waitFor();
    await box.getByRole('columnheader', { name: 'Images' }).first().waitFor();
    await expect
      .poll(() => box.locator('.days').getByRole('row').nth(1).innerText())
      .toMatch(/^\p{L}+ \d+\s+3\s+1/u);
    await box.getByRole('row', { name: /^sandbox-\S+ sandbox 3 Nothing Nothing$/ }).waitFor();
  });

  it('show the changed settings, and find the others', async () => {
    const page = await openPage(used.address, { path: PATH });
    const box = part(page, 'configuration');
    const names = () => box.locator('dt').allInnerTexts();

    await box.getByText(/^\d+ of \d+ changed$/).waitFor();
    await expect.poll(names).toContain('server.jobs.max_retained');
    expect(await names()).not.toContain('version');

    await box.getByLabel('Find a setting').fill('Breaker SANDBOX enabled');
    await expect.poll(names).toEqual(['runtime.circuit_breakers.sandbox.enabled']);
    await box.getByLabel('Find a setting').fill('nonsense');
    await box.getByText('No setting name matches the search.').waitFor();
    await box.getByLabel('Find a setting').fill('');
    await box.getByRole('button', { name: /^Show \d+ defaults$/ }).click();
    await expect.poll(names).toContain('version');
  });
});

describe('a system view that cannot read', () => {
  it('keeps the last state with its age while the bridge is unreachable, and reads again afterwards', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address, { path: PATH, expects: [/ERR_|503/] });
    await page.getByRole('cell', { name: 'any, up to 4096' }).waitFor();

    await bridge.end();
    await page.getByText(/^This is the state from \d+ seconds? ago\.$/).waitFor();
    await card(page, 'Sandbox').waitFor();
    await keepScreenshot(page, 'system-offline');
    expect(await accessibilityProblems(page)).toEqual([]);

    await restart(bridge);
    await page.getByText(/^This is the state from/).waitFor({ state: 'detached' });
    await page.getByText('Working.').waitFor();
  });

  it('asks for a token, and shows everything once it is entered', async () => {
    const token = 'correct-horse-battery-staple';
    const bridge = await startDashboard({ token });
    const page = await openPage(bridge.address, { path: PATH, expects: [/401/] });

    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('The state of the bridge is shown only with a token.').waitFor();
    await keepScreenshot(page, 'system-token');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.keyboard.press('Enter');

    await page.getByText('This machine only, with a token').first().waitFor();
  });

  it('reports a missing permission or a failure of the bridge, and tries again', async () => {
    const page = await openPage(used.address, { expects: [/403|500/] });
    let status = 403;
    await page.route('**/v1/diagnostics', (route) => route.fulfill({ status, json: {} }));
    await page.getByRole('link', { name: 'System' }).click();

    await page.getByText('This token may not read the state of the bridge.').waitFor();
    await keepScreenshot(page, 'system-denied');
    status = 500;
    await page.getByText('The state of the bridge could not be read.').waitFor();
    await page.unroute('**/v1/diagnostics');
    await page.getByRole('button', { name: 'Try now' }).click();

    await card(page, 'Sandbox').waitFor();
  });

  it('shows placeholders while the report is loading', async () => {
    const page = await openPage(used.address);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/diagnostics', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('link', { name: 'System' }).click();

    await page.getByText('Loading the state of the bridge').waitFor({ state: 'attached' });
    await keepScreenshot(page, 'system-loading');
    expect(await accessibilityProblems(page)).toEqual([]);
    release();

    await card(page, 'Sandbox').waitFor();
  });
});

describe('the cost of the system view', () => {
  it('arises only when it is opened, and the page reports code that cannot be loaded', async () => {
    const page = await openPage(used.address, { expects: [/ERR_FAILED/] });
    const loaded = () =>
      page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    await page.getByLabel('Prompt', { exact: true }).waitFor();
    expect((await loaded()).filter((name) => name.includes('system-view'))).toEqual([]);

    await page.route('**/system-view-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText(/^This part of the page could not be loaded/).waitFor();
    await page.unroute('**/system-view-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();

    await card(page, 'Sandbox').waitFor();
  });

  it('ends while the page is hidden', async () => {
    const page = await openPage(used.address, { path: PATH });
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/diagnostics')) reads += 1;
    });
    await expect.poll(() => reads).toBeGreaterThan(0);

    // The clock of the page runs normally, and the test can advance it.
    await page.clock.install();
    const next = async () => {
      const before = reads;
      await page.clock.fastForward(60_000);
      await page.evaluate(() => fetch('/health/live'));
      return reads - before;
    };
    await expect.poll(next).toBeGreaterThan(0);

    await setHidden(page, true);
    await expect.poll(next).toBe(0);
    expect(await next()).toBe(0);

    await setHidden(page, false);
    await expect.poll(next).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Images' }).click();
    await page.getByLabel('Prompt', { exact: true }).waitFor();
    await expect.poll(next).toBe(0);
    expect(await next()).toBe(0);
  });
});

function topOf(page: Page, id: string): Promise<number> {
  return part(page, id).evaluate((element) => element.getBoundingClientRect().top);
}

function isInside(element: Element): boolean {
  const { left, right } = element.getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
}

/** Hides the page by code, because headless Chromium never does. */
async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}
