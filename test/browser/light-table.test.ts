import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
let single: string;
let several: string;

beforeAll(async () => {
  bridge = await startDashboard();
  [single = '', several = ''] = await makeJobs(bridge.address, [
    { prompt: 'A harbour', parameters: { size: '384x256', output_format: 'webp' } },
    { prompt: 'A lighthouse at dusk', parameters: { n: 3, size: '256x160' } },
  ]);
});

interface Listed {
  readonly id: string;
  readonly favorite?: boolean;
  readonly hidden?: boolean;
}

async function imagesOf(job: string): Promise<readonly Listed[]> {
  const reply = await fetch(`${bridge.address}/v1/jobs?visibility=all`);
  const page = (await reply.json()) as { items: { id: string; artifacts: Listed[] }[] };
  return page.items.find(({ id }) => id === job)?.artifacts ?? [];
}

type Options = Parameters<typeof openPage>[1];

async function openTable(options: Options = {}): Promise<Page> {
  const path = `/dashboard/table?jobs=${several},${single}`;
  const page = await openPage(bridge.address, { ...options, path });
  await page.locator('.table-picture img').nth(3).waitFor();
  return page;
}

const current = (page: Page) => page.locator('.table-picture[aria-current="true"]');
const nameOf = (page: Page) => current(page).getAttribute('aria-label');
const transforms = (page: Page) =>
  page
    .locator('.table-picture img')
    .evaluateAll((images) => images.map((image) => (image as HTMLElement).style.transform));

describe('the light table', () => {
  it.each(THEMES_AND_SIZES)('has no problems (%s, %s)', async (theme, size) => {
    const page = await openTable({ theme, size });

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    await keepScreenshot(page, `light-table-${theme}-${size}`);
  });

  it('keeps the choices when the page is loaded again, until they are made', async () => {
    const page = await openTable();
    for (const key of ['1', 'p', '2', 'x']) await page.keyboard.press(key);
    await page.getByText('1 picked, 1 rejected').waitFor();

    await page.reload();
    await page.getByText('1 picked, 1 rejected').waitFor();
    await page.keyboard.press('2');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Keep 1' }).click();
    await page.getByText('1 kept').waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await imagesOf(several))[0]?.favorite).not.toBe(true);
    await page.goto(`${bridge.address}/dashboard/table?jobs=${several},${single}`);

    await page.locator('.table-picture img').nth(3).waitFor();
    await page.getByText('0 picked, 0 rejected').waitFor();
  });

  it.each(THEMES_AND_SIZES)(
    'is saved as a contact sheet, also only the picked images (%s, %s)',
    async (theme, size) => {
      const page = await openTable({ theme, size, touch: size === 'phone' });
      for (const key of ['1', 'p', '3', 'p']) await page.keyboard.press(key);
      const open = page.getByRole('button', { name: 'Contact sheet' });
      const sheet = page.getByRole('dialog', { name: 'Contact sheet' });
      async function saved(format: 'PDF' | 'PNG') {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          sheet.getByRole('button', { name: `Save ${format}` }).click(),
        ]);
        await sheet.waitFor({ state: 'detached' });
        return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
      }

      await open.click();
      await sheet.getByRole('radio', { name: 'Letter' }).click();
      await keepScreenshot(page, `contact-sheet-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      const all = await saved('PDF');
      await open.click();
      await sheet.getByRole('radio', { name: '2 picked' }).click();
      await sheet.getByRole('radio', { name: 'Screen' }).click();
      const picked = await saved('PNG');

      expect(all.name).toBe('contact-sheet-4.pdf');
      expect(all.bytes.toString('latin1')).toMatch(/^%PDF-1\.4\n[\s\S]*\/MediaBox\[0 0 792 612\]/);
      expect(picked.name).toBe('contact-sheet-2.png');
      const { width, height, channels } = await sharp(picked.bytes).metadata();
      expect([width, height]).toEqual([1920, 1080]);
      // The page is white, and the images on it are not.
      const { channels: means } = await sharp(picked.bytes).stats();
      expect(channels).toBeGreaterThanOrEqual(3);
      expect(means.slice(0, 3).map(({ max }) => max)).toEqual([255, 255, 255]);
      expect(means.slice(0, 3).some(({ mean }) => mean < 240)).toBe(true);
    },
  );

  it('leaves an image off the contact sheet that no longer exists, and says so', async () => {
    const page = await openTable({ expects: [/404/] });
    await page.route('**/thumbnail?*', async (route) => {
      const isFirst = route
        .request()
        .url()
        .includes((await imagesOf(several))[0]?.id ?? '-');
      if (!isFirst) await route.continue();
      else {
        const error = { code: 'not_found', retryable: false, details: {} };
        const body = { error: { message: 'not found', code: null, bridge_ext: error } };
        await route.fulfill({ status: 404, json: body });
      }
    });

    await page.getByRole('button', { name: 'Contact sheet' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save PNG' }).click(),
    ]);

    expect(download.suggestedFilename()).toBe('contact-sheet-3.png');
    await page.getByText('1 image is no longer stored and was left out.').waitFor();
  });

  it.each(['desktop', 'phone'] as const)(
    'keeps its tools uncovered by messages on a %s',
    async (size) => {
      const page = await openTable({ size, expects: [/ERR_/] });
      await page.context().setOffline(true);

      await page.keyboard.press('f');
      const message = page.locator('.toast');
      await message.waitFor();

      const lower = async () => {
        const box = await message.boundingBox();
        return (box?.y ?? 0) + (box?.height ?? 0);
      };
      const tools = await page.locator('.table-tools').boundingBox();
      await expect.poll(lower).toBeLessThanOrEqual(tools?.y ?? 0);
    },
  );

  it('shows the facts on a phone by touch alone, above its tools', async () => {
    const page = await openTable({ size: 'phone', touch: true });
    const facts = page.locator('.table-facts');
    expect(await facts.count()).toBe(0);

    await page.getByRole('button', { name: 'Show the facts' }).tap();
    await facts.getByText('A lighthouse at dusk').waitFor();
    const box = await facts.boundingBox();
    const tools = await page.locator('.table-tools').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(tools?.y ?? 0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'table-phone-facts');
    await facts.getByRole('button', { name: 'Hide the facts' }).tap();

    await facts.waitFor({ state: 'detached' });
  });

  it('opens from a selection with L, shows thumbnails at first, picks by P and closes with Escape', async () => {
    const page = await openPage(bridge.address);
    const held: Route[] = [];
    await page.route(/thumbnail\?edge=(1024|2048)$/, (route) => void held.push(route));
    await page.locator('.card img').first().waitFor();
    await page.locator(`.card[data-id="${single}"] .card-link`).focus();
    await page.keyboard.press('x');
    await page.locator(`.card[data-id="${several}"] .card-link`).focus();
    await page.keyboard.press('x');

    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Light table' }).waitFor();
    await page.locator('.table-picture img').nth(3).waitFor();
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await page.keyboard.press('p');
    await page.getByText('1 picked, 0 rejected').waitFor();
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('table-picture');
    for (const route of held) await route.continue();
    await page.keyboard.press('Escape');

    await page.getByRole('toolbar', { name: 'Selected images' }).waitFor();
  });

  it('says on an image that it cannot be read, without problems', async () => {
    const page = await openPage(bridge.address, { expects: [/404/] });
    await page.route('**/thumbnail?*', (route) => route.fulfill({ status: 404 }));

    await page.goto(`${bridge.address}/dashboard/table?jobs=${several},${single}`);

    await page.locator('.table-cell .lost-image').nth(3).waitFor();
    const [picture, lost] = await Promise.all(
      ['.table-picture', '.lost-image'].map((part) => page.locator(part).nth(1).boundingBox()),
    );
    expect(lost).toEqual(picture);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.locator('.lost-image').nth(1).click({ force: true });
    expect(await nameOf(page)).toMatch(/^2, /);
  });

  it('is refused for one image', async () => {
    const page = await openPage(bridge.address);
    await page.locator(`.card[data-id="${single}"] .card-link`).focus();

    await page.keyboard.press('l');

    await page.getByText('The light table shows 2 to 9 images.').waitFor();
  });

  it('zooms all images together', async () => {
    const page = await openTable();

    await page.keyboard.press('+');
    await expect
      .poll(async () => (await transforms(page)).every((one) => one.endsWith('scale(1.5)')))
      .toBe(true);
    await page.keyboard.press('0');

    await expect
      .poll(async () => (await transforms(page)).every((one) => one.endsWith('scale(1)')))
      .toBe(true);
  });

  it('shows facts that differ from most images in bold', async () => {
    const page = await openTable();

    await page.keyboard.press('4');

    const facts = page.getByRole('region', { name: 'Facts of image 4' });
    await facts.getByText('384 × 256').waitFor();
    expect(await facts.locator('dd b').allTextContents()).toContain('384 × 256');
    await page.keyboard.press('1');
    const first = page.getByRole('region', { name: 'Facts of image 1' });
    await first.waitFor();
    expect(await first.locator('dd b').allTextContents()).not.toContain('256 × 160');
    await page.keyboard.press('i');
    await first.waitFor({ state: 'hidden' });
  });

  it('is used with keys alone: pick, reject, take back, look alone, keep, and undo', async () => {
    const page = await openTable();
    await page.keyboard.press('1');
    await page.keyboard.press('p');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await page.keyboard.press('3');
    await page.keyboard.press('x');
    await page.getByText('1 picked, 2 rejected').waitFor();
    await page.keyboard.press('z');
    await page.getByText('1 picked, 1 rejected').waitFor();
    await page.keyboard.press('Space');
    await expect.poll(() => page.locator('.table-cell').count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.table-cell').count()).toBe(4);
    await page.keyboard.press('2');
    expect(await nameOf(page)).toContain('Rejected');

    await page.getByRole('button', { name: 'Keep 1' }).click();
    await page.getByText('1 kept, 1 hidden').waitFor();
    const [picked, rejected, open] = await imagesOf(several);
    await page.getByRole('button', { name: 'Undo' }).click();

    expect([picked?.favorite, rejected?.hidden, open?.favorite, open?.hidden]).toEqual([
      true,
      true,
      undefined,
      undefined,
    ]);
    await expect
      .poll(async () =>
        (await imagesOf(several)).some(({ favorite, hidden }) => favorite || hidden),
      )
      .toBe(false);
  });

  it('keeps the focus on the image in view while the images are shown alone, and together again', async () => {
    const page = await openTable();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press(' ');
    await expect.poll(() => page.locator('.table-picture').count()).toBe(1);

    await page.keyboard.press('ArrowRight');

    await expect.poll(focused).toMatch(/^3, /);
    await page.keyboard.press(' ');
    await expect.poll(() => page.locator('.table-picture').count()).toBe(4);
    expect(await focused()).toMatch(/^3, /);
  });

  it('names a job that does not exist and shows the others', async () => {
    const gone = '0199f0a0-0000-7000-8000-000000000001';
    const path = `/dashboard/table?jobs=${several},${gone}`;
    const page = await openPage(bridge.address, { path, expects: [/404/] });

    await page.getByText('1 job could not be read').waitFor();
    expect(await page.locator('.table-cell').count()).toBe(3);
  });
});
