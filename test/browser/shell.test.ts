import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { openBrowser } from './support/browser.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { heapBytes, longTasks } from './support/measure.ts';
import { closePages, openPage, problemsOf } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
});

describe('the dashboard', () => {
  it.each(['light', 'dark'] as const)('opens in the %s theme without problems', async (theme) => {
    const page = await openPage(bridge.address, { theme });

    await page.getByRole('heading', { level: 1 }).waitFor();
    await keepScreenshot(page, `shell-${theme}`);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it.each(['/dashboard/', '/dashboard/jobs/1', '/dashboard/system'])(
    'opens at %s',
    async (path) => {
      const page = await openPage(bridge.address, { path, size: 'phone' });

      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  );

  it('loads its code once, and checks at each visit whether the page has changed', async () => {
    const counting = await startDashboard({ set: ['server.metrics.enabled=true'] });
    const page = await openPage(counting.address);
    /** Returns the transferred bytes of each script and style sheet of this visit. */
    const loadedCode = () =>
      page.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .filter(({ name }) => /\.(js|css)$/.test(name))
          .map(({ name, transferSize }) => [name, transferSize] as const),
      );
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Parts that are loaded when the page is idle may still be missing at the end of this visit.
    const loaded = new Map(await loadedCode());

    await page.goto(`${counting.address}/dashboard`);
    await page.getByRole('heading', { level: 1 }).waitFor();

    const again = (await loadedCode()).filter(([name]) => loaded.has(name));
    expect(again.length).toBeGreaterThanOrEqual(2);
    expect(new Set(again.map(([, bytes]) => bytes))).toEqual(new Set([0]));
    await expect
      .poll(async () => (await fetch(`${counting.address}/metrics`)).text())
      .toMatch(/requests_total\{route="\/dashboard",method="GET",status="304"\} 1\n/);
  });

  it('opens again after the bridge has restarted on the same port', async () => {
    const before = await startDashboard();
    // The page requests its data while the bridge is not running.
    const page = await openPage(before.address, { expects: [/net::ERR_|503/] });

    const after = await restart(before);
    await page.reload();

    expect(after.address).toBe(before.address);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('may use no browser feature that asks the user for permission', async () => {
    const page = await openPage(bridge.address);

    const allowed = await page.evaluate(() =>
      // `featurePolicy` exists only in Chromium.
      (
        document as unknown as { featurePolicy: { allowedFeatures(): string[] } }
      ).featurePolicy.allowedFeatures(),
    );

    const asking = ['camera', 'microphone', 'geolocation', 'clipboard-read', 'usb', 'payment'];
    expect(allowed.filter((feature) => asking.includes(feature))).toEqual([]);
  });
});

describe('startDashboard', () => {
  it('can have a provider with an emulated backend beside the sandbox', async () => {
    const { address } = await startDashboard({ withAgent: true });

    const sent = {
      prompt: 'a harbour',
      routing: { provider: 'agent-responses' },
      output: { response_format: 'metadata' },
    };
    const response = await fetch(`${address}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });

    expect(await response.json()).toMatchObject({ provider: 'agent-responses', warnings: [] });
  });
});

describe('longTasks', () => {
  it('finds a task that blocked the thread, and its duration', async () => {
    const page = await openPage(bridge.address);

    await page.evaluate(
      () =>
        new Promise((resolve) =>
          setTimeout(() => {
            const start = performance.now();
            while (performance.now() - start < 300);
            resolve(undefined);
          }),
        ),
    );

    await expect
      .poll(async () => (await longTasks(page)).map(({ durationMs }) => durationMs >= 300))
      .toContain(true);
  });
});

describe('heapBytes', () => {
  it('counts the memory that the page retains, without released memory', async () => {
    const page = await openPage(bridge.address);
    const before = await heapBytes(page);

    await page.evaluate('globalThis.held = Array.from({ length: 1e6 }, (_, index) => [index]); 0');
    const held = await heapBytes(page);
    await page.evaluate('delete globalThis.held');

    expect(held - before).toBeGreaterThan(10_000_000);
    await expect.poll(() => heapBytes(page)).toBeLessThan(before + 2_000_000);
  });
});

describe('openPage', () => {
  it('starts a new browser if the previous one was closed', async () => {
    await (await openBrowser()).close();

    const page = await openPage(bridge.address);

    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it.each([
    ['an error in the console', "console.error('broken')", /^console: broken/],
    ['an exception', "setTimeout(() => { throw new Error('broken') })", /^exception: .*broken/],
    [
      'an inline script',
      "document.body.append(Object.assign(document.createElement('script'), { text: '1' }))",
      /^console: .*content security policy/i,
    ],
    [
      'an inline style',
      "document.body.setAttribute('style', 'color: red')",
      /^console: .*content security policy/i,
    ],
    [
      'a request to another origin',
      "fetch('http://localhost:1/').catch(() => {})",
      /content security policy/i,
    ],
    [
      'an image of another origin',
      "document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:1/a.png' }))",
      /content security policy/i,
    ],
    [
      'a file that is missing',
      "import('/dashboard/assets/missing.js').catch(() => {})",
      /^console: .*404/,
    ],
  ])('reports %s', async (_what, script, problem) => {
    const page = await openPage(bridge.address);

    await page.evaluate(script);

    await expect.poll(() => problemsOf(page)).toContainEqual(expect.stringMatching(problem));
    await closePages();
  });

  it('leaves out problems that the test expects', async () => {
    const page = await openPage(bridge.address, { expects: [/: expected/] });

    await page.evaluate("console.error('expected')");

    await expect.poll(() => problemsOf(page)).toHaveLength(1);
    expect(await closePages()).toEqual([]);
  });

  it('ignores a page that closes while a test replies to its request', async () => {
    const page = await openPage(bridge.address);
    const asked = Promise.withResolvers<void>();
    await page.route('**/health/live', async (route) => {
      asked.resolve();
      // This request never ends.
      await route.fetch({ url: `${bridge.address}/v1/jobs/events`, timeout: 0 });
    });

    await page.evaluate("fetch('/health/live'); 0");
    await asked.promise;

    expect(await closePages()).toEqual([]);
  });
});
