import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { closePages, openPage, problemsOf } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
});

describe('the dashboard', () => {
  it.each(['light', 'dark'] as const)('opens in the %s theme without a problem', async (theme) => {
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

  it('may use no feature of the browser that asks a person', async () => {
    const page = await openPage(bridge.address);

    const allowed = await page.evaluate(() =>
      // Chromium's own property.
      (
        document as unknown as { featurePolicy: { allowedFeatures(): string[] } }
      ).featurePolicy.allowedFeatures(),
    );

    const asking = ['camera', 'microphone', 'geolocation', 'clipboard-read', 'usb', 'payment'];
    expect(allowed.filter((feature) => asking.includes(feature))).toEqual([]);
  });
});

describe('openPage', () => {
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

  it('leaves out what the test expects', async () => {
    const page = await openPage(bridge.address, { expects: [/: expected/] });

    await page.evaluate("console.error('expected')");

    await expect.poll(() => problemsOf(page)).toHaveLength(1);
    expect(await closePages()).toEqual([]);
  });
});
