import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { press } from './support/press.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, submitJobs, unmarkJobs } from './support/submit-jobs.ts';

const PROMPTS = ['Tidal bay', 'Marigold tiles', 'Desert dunes', 'Violet lake'];
const REQUESTS = PROMPTS.map((prompt, index) => ({
  prompt,
  parameters: { size: '192x128', n: index === 1 ? 2 : 1 },
}));

const card = (page: Page, name: string | RegExp) =>
  page.getByRole('gridcell').filter({ has: page.getByRole('link', { name }) });
const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

async function openGallery(bridge: StartedBridge, options: Parameters<typeof openPage>[1] = {}) {
  const page = await openPage(bridge.address, options);
  await page.getByRole('gridcell').first().waitFor();
  return page;
}

type Box = Awaited<ReturnType<Locator['boundingBox']>>;

function overlap(a: Box, b: Box): boolean {
  if (a === null || b === null) return false;
  const isBeside = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return !isBeside && a.y + a.height > b.y && b.y + b.height > a.y;
}

/** Returns the names of the files in a zip. Each central directory record has its name at byte 46. */
function namesInZip(zip: Buffer): string[] {
  const names: string[] = [];
  for (
    let at = zip.indexOf('PK\u0001\u0002');
    at >= 0;
    at = zip.indexOf('PK\u0001\u0002', at + 4)
  ) {
    names.push(zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28)));
  }
  return names;
}

describe('a selection', () => {
  let bridge: StartedBridge;

  beforeAll(async () => {
    bridge = await startDashboard();
    await makeJobs(bridge.address, REQUESTS);
  });

  beforeEach(() => unmarkJobs(bridge.address));

  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)(
    'is made by X, by Shift with the arrows and by Ctrl+A, and cleared by Esc (%s, %s)',
    async (theme, size) => {
      const page = await openGallery(bridge, { theme, size });
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      await page.keyboard.press('Shift+ArrowRight');
      await page.keyboard.press('Shift+ArrowRight');
      await page.getByText('3 selected').waitFor();
      await page.keyboard.press('Shift+ArrowLeft');
      await page.getByText('2 selected').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `gallery-selection-${size}-${theme}`);
      await page.keyboard.press('Control+a');
      await page.getByText('4 selected').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('toolbar').waitFor({ state: 'detached' });
      await expect.poll(() => focusedName(page)).toMatch('Desert dunes');
    },
  );

  it('is made by presses while Select is on, without opening a job', async () => {
    const page = await openGallery(bridge, { size: 'phone', touch: true });
    await page.getByRole('button', { name: 'Select' }).click();
    await card(page, /Violet/).tap();
    await card(page, /Tidal/).tap();
    await page.getByText('2 selected').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    await keepScreenshot(page, 'gallery-select-phone');
  });

  it('has no action before a card is selected, although a card has the focus', async () => {
    const page = await openGallery(bridge);
    await card(page, /^Violet lake/)
      .getByRole('link')
      .focus();

    await page.getByRole('button', { name: 'Select', exact: true }).click();

    const bar = page.getByRole('toolbar', { name: 'Selected images' });
    await bar.getByText('Nothing selected').waitFor();
    for (const name of ['Favourite', 'Hide']) {
      expect(await bar.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
    }
  });

  it('is extended by Shift and a press', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await card(page, /Marigold/).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
  });

  it('is hidden and restored as a whole', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('toolbar').getByRole('button', { name: 'Hide' }).click();
    await page.getByText('2 hidden').waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(2);
    await page.getByText('2 jobs', { exact: true }).waitFor();
    await page.keyboard.press('z');
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(4);
    await page.getByText('4 jobs', { exact: true }).waitFor();
    expect(await listJobs(bridge.address, 'visibility=hidden')).toEqual([]);
  });

  it('reports how many jobs could not be hidden, and tries again', async () => {
    const page = await openGallery(bridge, { expects: [/503/] });
    // A reply without the error of the bridge would be a gateway's, and the page would send the request again for 15 seconds.
    const bridgeError = { code: 'overloaded', retryable: true, details: {} };
    const json = { error: { message: 'the queue is full', bridge_ext: bridgeError } };
    await page.route(/\/v1\/jobs\/[0-9a-f-]{36}$/, (route) => route.fulfill({ status: 503, json }));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('h');
    await page.getByText('1 image could not be hidden. Nothing was changed.').waitFor();
    await keepScreenshot(page, 'gallery-hide-failed');
    await page.unroute(/\/v1\/jobs\/[0-9a-f-]{36}$/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(3);
    await press(page.getByRole('button', { name: 'Undo' }));
    await card(page, /Violet/).waitFor();
  });

  it('is saved as a zip with a name for each image', async () => {
    const page = await openGallery(bridge);
    // A test cannot use the system's dialog, so the page behaves as in a browser without it.
    await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the selected images' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('image-bridge-5.zip');
    const names = namesInZip(await readFile(await download.path()));
    expect(names.map((name) => name.replace(/-[0-9a-f]{6}/, ''))).toEqual([
      'violet-lake.png',
      'desert-dunes.png',
      'marigold-tiles-1.png',
      'marigold-tiles-2.png',
      'tidal-bay.png',
    ]);
  });

  it('is downloaded if the browser refuses the save dialog', async () => {
    const page = await openGallery(bridge);
    await page.evaluate(() => {
      const showSaveFilePicker = () => Promise.reject(new DOMException('no', 'SecurityError'));
      Object.assign(window, { showSaveFilePicker });
    });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('d')]);
    expect(namesInZip(await readFile(await download.path()))).toHaveLength(5);
  });

  it('is streamed to the chosen file if the browser supports it', async () => {
    const page = await openGallery(bridge);
    await page.evaluate(() => {
      const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) => {
        const folder = await navigator.storage.getDirectory();
        return folder.getFileHandle(suggestedName, { create: true });
      };
      Object.assign(window, { showSaveFilePicker });
    });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('d');
    const bytes = () =>
      page.evaluate(async () => {
        const folder = await navigator.storage.getDirectory();
        const handle = await folder.getFileHandle('image-bridge-5.zip').catch(() => undefined);
        return [...new Uint8Array((await (await handle?.getFile())?.arrayBuffer()) ?? [])];
      });
    await expect.poll(async () => namesInZip(Buffer.from(await bytes()))).toHaveLength(5);
  });

  it('is saved without a zip if it has one image', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('d')]);
    expect(download.suggestedFilename()).toMatch(/^violet-lake-[0-9a-f]{6}\.png$/);
    const bytes = await readFile(await download.path());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  it('is compared by C if it has two jobs', async () => {
    const page = await openGallery(bridge);
    const ids = (await listJobs(bridge.address)).map(({ id }) => id);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('c');
    await page.waitForURL(`**/dashboard/jobs/${ids[0]}?view=side&b=${ids[1]}`);
  });

  it('names the jobs without an image when it is compared', async () => {
    const own = await startDashboard();
    await makeJobs(own.address, [
      ...REQUESTS.slice(0, 2),
      { prompt: 'A failure', routing: { model: 'sandbox-fail-safety_rejected' } },
    ]);
    const page = await openGallery(own);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('c');

    await page.getByText('1 of 3 has no image.').waitFor();
    await page.waitForURL('**/dashboard/jobs/*');
  });

  it.each([
    ['beside the panel', { width: 1440, height: 900 }, false],
    ['beside the panel of a narrow window', { width: 920, height: 700 }, false],
    ['above the dock', { width: 1440, height: 900 }, true],
    ['on a phone', { width: 390, height: 844 }, false],
  ] as const)('is never covered by a message (%s)', async (_, size, isFolded) => {
    const page = await openGallery(bridge, { size });
    if (isFolded) await page.keyboard.press('[');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('f');
    const message = page.locator('.toast', { hasText: '2 favourites added' });
    await message.hover();
    const box = await message.boundingBox();
    for (const name of ['.selection-bar', '.dock', '.make-foot']) {
      const part = page.locator(name);
      if (!(await part.isVisible())) continue;
      const other = await part.boundingBox();
      expect([name, overlap(box, other)]).toEqual([name, false]);
    }
  });

  it('marks the other images if some of the selected are favourites already', async () => {
    const own = await startDashboard();
    await makeJobs(own.address, REQUESTS);
    const page = await openGallery(own);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('f');
    await page
      .getByRole('link', { name: /avourite/ })
      .first()
      .waitFor();

    await page.keyboard.press('Control+a');
    await page
      .getByRole('toolbar', { name: 'Selected images' })
      .getByRole('button', { name: /^Favourite/ })
      .click();

    await expect
      .poll(async () => (await listJobs(own.address)).every(({ favorite }) => favorite))
      .toBe(true);
    await page
      .getByRole('toolbar', { name: 'Selected images' })
      .getByRole('button', { name: /^Remove from favourites/ })
      .waitFor();
  });

  it('is loaded into the draft by E, and sent again by R', async () => {
    const own = await startDashboard();
    await makeJobs(own.address, REQUESTS);
    const page = await openGallery(own);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('e');
    await page.getByText(/violet-lake-[0-9a-f]{6}\.png/).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('prompt');

    await page.keyboard.press('Escape');
    await card(page, /Violet/)
      .getByRole('link')
      .focus();
    await page.keyboard.press('r');
    await page.getByText('Sent again').waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(5);
  });
});

describe('a new job', () => {
  it('appears at once at the top of the gallery, and waits behind a button while the gallery is scrolled down', async () => {
    const bridge = await startDashboard();
    const many = Array.from({ length: 30 }, (_, index) => ({
      prompt: `Number ${index}`,
      parameters: { size: '128x128' },
    }));
    await makeJobs(bridge.address, many);
    const page = await openGallery(bridge, { size: { width: 1000, height: 500 } });
    const [first] = await submitJobs(bridge.address, [
      { prompt: 'At the top', parameters: { size: '128x128' } },
    ]);
    expect(first).toBeDefined();
    await card(page, /At the top/).waitFor();

    // New jobs are held back after the page has noticed that it is scrolled.
    await page.locator('.feed').evaluate(
      (feed) =>
        new Promise((resolve) => {
          feed.addEventListener('scroll', resolve, { once: true });
          feed.scrollTo(0, 400);
        }),
    );
    const seen = card(page, /Number 15/);
    const before = await seen.boundingBox();
    await makeJobs(bridge.address, [
      { prompt: 'New one', parameters: { size: '256x128' } },
      { prompt: 'New two', parameters: { size: '128x256' } },
    ]);
    const pill = page.getByRole('button', { name: '2 new' });
    await pill.waitFor();
    expect(await seen.boundingBox()).toEqual(before);
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'gallery-new');

    await pill.click();
    await card(page, /New two/).waitFor();
    await pill.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.feed').evaluate((feed) => feed.scrollTop)).toBe(0);
  });
});

describe('the gallery without the bridge', () => {
  it.each(['light', 'dark'] as const)(
    'keeps loaded images, and works again afterwards (%s)',
    async (theme) => {
      const bridge = await startDashboard();
      await makeJobs(bridge.address, REQUESTS);
      const page = await openGallery(bridge, { theme, expects: [/ERR_|503/] });
      await bridge.end();
      await page.getByText('The bridge is not responding.').waitFor();
      expect(await page.getByRole('gridcell').count()).toBe(4);
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `gallery-offline-${theme}`);

      await page.getByRole('button', { name: 'Try now' }).click();
      const again = await restart(bridge);
      await page.getByText('The bridge is not responding.').waitFor({ state: 'detached' });
      await submitJobs(again.address, [
        { prompt: 'After the restart', parameters: { size: '128x128' } },
      ]);
      await card(page, /After the restart/).waitFor();
    },
  );

  it('reports the failure in place of the first page, and reads the page on request', async () => {
    const bridge = await startDashboard();
    await makeJobs(bridge.address, REQUESTS.slice(0, 1));
    const page = await openPage(bridge.address, { expects: [/500/] });
    await page.route(/\/v1\/jobs\?/, (route) => route.fulfill({ status: 500, body: '' }));
    await page.reload();
    await page.getByRole('heading', { name: 'This is not the bridge' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'gallery-error');
    await page.unroute(/\/v1\/jobs\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('gridcell').first().waitFor();
  });

  it('shows placeholders while the first page is loading', async () => {
    const bridge = await startDashboard();
    const page = await openPage(bridge.address);
    await page.route(/\/v1\/jobs\?/, () => {});
    await page.reload();
    await page.getByText('Loading images').waitFor();
    expect(await page.locator('.skeletons i').count()).toBeGreaterThan(6);
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'gallery-loading');
  });
});
