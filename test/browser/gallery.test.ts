import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { searchField } from './support/search-field.ts';
import { listJobs, makeJobs, patchJob, submitJobs, unmarkJobs } from './support/submit-jobs.ts';

/** Small images of every shape, in the order of the gallery: newest first. */
const PROMPTS = [
  { prompt: 'Desert dunes at dawn', parameters: { size: '192x128' } },
  { prompt: 'Marigold tiles', parameters: { size: '128x192', n: 2 } },
  { prompt: 'Tidal bay cut from blue paper', parameters: { size: '128x128', n: 3 } },
  { prompt: 'Violet lake under a full moon', parameters: { size: '192x128', n: 4 } },
  { prompt: 'Paper cut harbour', parameters: { size: '128x128', n: 6 } },
  { prompt: 'A ceramic bird', parameters: { size: '128x128', background: 'transparent' } },
  { prompt: 'A wide valley', parameters: { size: '256x144' } },
  { prompt: 'Olive grove after rain', parameters: { size: '144x256' } },
].toReversed();

const cards = (page: Page) => page.getByRole('gridcell');
const card = (page: Page, name: string | RegExp) =>
  page.getByRole('gridcell').filter({ has: page.getByRole('link', { name }) });
const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
const shownNames = (page: Page) => page.locator('.card-link').allTextContents();

async function openGallery(
  bridge: StartedBridge,
  options: Parameters<typeof openPage>[1] = {},
): Promise<Page> {
  const page = await openPage(bridge.address, options);
  await cards(page).first().waitFor();
  return page;
}

/** Waits until every thumbnail has been loaded. */
async function imagesLoaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('.card img') !== null &&
      document.querySelector('.card .skeleton') === null,
  );
}

describe('the empty gallery', () => {
  let bridge: StartedBridge;

  beforeAll(async () => {
    bridge = await startDashboard();
  });

  it.each(THEMES_AND_SIZES)(
    'offers three prompts and explains rehearsals (%s, %s)',
    async (theme, size) => {
      const page = await openPage(bridge.address, { theme, size });

      await page.getByRole('heading', { name: 'Make your first image' }).waitFor();
      await expect.poll(() => page.locator('.first-minute .frames button').count()).toBe(3);
      await page.getByText('The image is a rehearsal for a real model.').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `gallery-empty-${size}-${theme}`);
    },
  );

  it('opens the steps to a real model', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('button', { name: 'Use a real model' }).click();

    await page.getByRole('dialog', { name: 'Use a real model' }).getByText('codex login').waitFor();
    await keepScreenshot(page, 'real-model');
  });

  it('copies a prompt into the draft', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('button', { name: /ceramic bird/ }).click();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await expect.poll(() => prompt.inputValue()).toBe('A ceramic bird, as a sticker');
    await expect.poll(() => prompt.evaluate((box) => box === document.activeElement)).toBe(true);
  });

  it('disappears when the first job is sent', async () => {
    const own = await startDashboard();
    const page = await openPage(own.address);
    await page.getByRole('heading', { name: 'Make your first image' }).waitFor();

    await makeJobs(own.address, PROMPTS.slice(0, 1));
    await cards(page).first().waitFor();
    await page
      .getByRole('heading', { name: 'Make your first image' })
      .waitFor({ state: 'detached' });
  });
});

describe('the gallery', () => {
  let bridge: StartedBridge;

  beforeAll(async () => {
    bridge = await startDashboard();
    await makeJobs(bridge.address, PROMPTS);
  });

  beforeEach(() => unmarkJobs(bridge.address));

  it.each(THEMES_AND_SIZES)(
    'shows jobs in full rows, newest first (%s, %s)',
    async (theme, size) => {
      const page = await openGallery(bridge, { theme, size, density: size === 'phone' ? 3 : 1 });
      await imagesLoaded(page);

      await page.getByRole('heading', { name: 'Today' }).waitFor();
      const names = await shownNames(page);
      expect(names[0]).toBe('Desert dunes at dawn');
      expect(names[1]).toBe('Marigold tiles. 2 images');
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(
        page.viewportSize()?.width,
      );
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `gallery-${size}-${theme}`);
    },
  );

  it.each([360, 768, 900, 1920, 2560, 3840])('does not scroll sideways at %d px', async (width) => {
    const page = await openGallery(bridge, { size: { width, height: 900 } });
    await imagesLoaded(page);

    const widths = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.querySelector('.feed')?.scrollWidth,
      document.querySelector('.feed')?.clientWidth,
    ]);
    expect(widths).toEqual([width, widths[2], widths[2]]);
    await keepScreenshot(page, `gallery-${width}`);
  });

  it.each([
    [1, '512'],
    [2, '1024'],
    [4, '2048'],
  ])(
    'requests thumbnails that are sharp at density %d, and no larger ones',
    async (density, edge) => {
      const page = await openPage(bridge.address, { density, path: '/dashboard?q=dunes' });
      await imagesLoaded(page);
      const edges: (string | null)[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.pathname.endsWith('/thumbnail')) edges.push(url.searchParams.get('edge'));
      });
      await page.reload();
      await imagesLoaded(page);
      expect(edges).toEqual([edge]);
    },
  );

  it('keeps its layout when images arrive', async () => {
    const page = await openPage(bridge.address);
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(globalThis, { moved });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as LayoutShift[]) {
          const inGallery = entry.sources.filter(({ node }) =>
            node?.parentElement?.closest('.gallery'),
          );
          moved.push(...inGallery.map(({ node }) => node?.parentElement?.className ?? ''));
        }
      }).observe({ type: 'layout-shift', buffered: true });
      interface LayoutShift extends PerformanceEntry {
        readonly sources: readonly { readonly node: Node | null }[];
      }
    });
    await cards(page).first().waitFor();
    await imagesLoaded(page);
    expect(await page.evaluate(() => (globalThis as unknown as { moved: string[] }).moved)).toEqual(
      [],
    );
  });

  it('is navigated by the arrow keys in reading order', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focusedName(page)).toMatch('Desert dunes');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focusedName(page)).toMatch('Marigold tiles');
    await page.keyboard.press('End');
    await expect.poll(() => focusedName(page)).toMatch('Olive grove');
    await page.keyboard.press('Home');
    await expect.poll(() => focusedName(page)).toMatch('Desert dunes');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focusedName(page)).not.toMatch('Desert dunes');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focusedName(page)).toMatch('Desert dunes');
    await keepScreenshot(page, 'gallery-focus');
  });

  it('opens a job and returns to the same position and focus', async () => {
    const page = await openGallery(bridge, { size: { width: 500, height: 500 } });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await expect.poll(() => focusedName(page)).toMatch('Olive grove');
    const top = () => page.locator('.feed').evaluate((feed) => feed.scrollTop);
    await expect.poll(top).toBeGreaterThan(0);
    const before = await top();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboard\/jobs\//);

    await page.goBack();
    await expect.poll(() => focusedName(page)).toMatch('Olive grove');
    await expect.poll(top).toBe(before);
  });

  it('searches while words are typed, and keeps them in the address', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('/');
    await page.keyboard.type('moon');
    await expect.poll(() => cards(page).count()).toBe(1);
    // The first words may already have found the job.
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('moon');

    await page.reload();
    await expect.poll(() => cards(page).count()).toBe(1);
    await expect.poll(() => searchField(page).inputValue()).toBe('moon');

    await searchField(page).fill('nothing like it');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'gallery-nothing-found');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => cards(page).count()).toBe(PROMPTS.length);
  });

  it('keeps typed text while earlier words are written to the address', async () => {
    const page = await openGallery(bridge);
    const field = searchField(page);
    await field.evaluate((input: HTMLInputElement) => {
      const replace = history.replaceState;
      history.replaceState = (...change: Parameters<typeof replace>) => {
        history.replaceState = replace;
        history.replaceState(...change);
        input.value = 'moon';
        input.dispatchEvent(new InputEvent('input', { bubbles: true }));
      };
    });

    await field.fill('moo');

    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('moon');
    await expect.poll(() => field.inputValue()).toBe('moon');
  });

  it('offers the size of the tiles from 1,200 pixels on', async () => {
    const page = await openGallery(bridge, { size: { width: 1200, height: 800 } });
    await page.getByRole('slider', { name: 'Tile size' }).waitFor();
    const isWider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWider).toBe(false);
  });

  it('gives the images most of a low window while they are scrolled', async () => {
    const page = await openGallery(bridge, { size: { width: 320, height: 225 } });
    const feed = page.locator('.feed');
    await feed.evaluate((element) => element.scrollTo(0, 300));
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    await expect.poll(async () => (await feed.boundingBox())?.height).toBeGreaterThan(200);

    await feed.evaluate((element) => element.scrollTo(0, 0));

    await page.getByRole('banner').waitFor();
  });

  it.each(['light', 'dark'] as const)(
    'has placeholders with a contrast of 4.5 (%s)',
    async (theme) => {
      const page = await openGallery(bridge, { theme });
      await page.getByRole('button', { name: 'Avoid' }).click();
      const fields = page.locator('input[placeholder], textarea[placeholder]');
      await expect.poll(() => fields.count()).toBeGreaterThanOrEqual(3);
      const contrasts = await page.evaluate(() => {
        const draw = document
          .createElement('canvas')
          .getContext('2d', { willReadFrequently: true });
        const over = (...colours: readonly string[]) => {
          if (draw === null) return [0, 0, 0];
          for (const colour of colours) {
            draw.fillStyle = colour;
            draw.fillRect(0, 0, 1, 1);
          }
          return [...draw.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const light = (rgb: readonly number[]) => {
          const [r = 0, g = 0, b = 0] = rgb.map((value) => {
            const share = value / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        return [...document.querySelectorAll('input[placeholder], textarea[placeholder]')].map(
          (field) => {
            const behind: string[] = [];
            for (let at: Element | null = field; at !== null; at = at.parentElement) {
              behind.unshift(getComputedStyle(at).backgroundColor);
            }
            const ground = light(over(...behind));
            const text = light(over(...behind, getComputedStyle(field, '::placeholder').color));
            return (Math.max(ground, text) + 0.05) / (Math.min(ground, text) + 0.05);
          },
        );
      });
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('finds the words of a prompt in any order, without excluded words, and counts the jobs found', async () => {
    const page = await openGallery(bridge);
    await searchField(page).fill('harbour cut');

    await page.getByText('1 found').waitFor();
    await expect.poll(() => cards(page).count()).toBe(1);
    await searchField(page).fill('-harbour');
    await page.getByText(`${PROMPTS.length - 1} found`).waitFor();
  });

  it('discards the reply to a search that has been replaced', async () => {
    const page = await openGallery(bridge);
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const replied = Promise.withResolvers<void>();
    await page.route(/[?&]q=moo(&|$)/, async (route) => {
      const reply = await route.fetch();
      asked.resolve();
      await held.promise;
      // A page that has aborted the request accepts no reply.
      await route.fulfill({ response: reply }).catch(() => {});
      replied.resolve();
    });
    await searchField(page).fill('moo');
    await asked.promise;
    await searchField(page).fill('marigold');
    await expect.poll(() => shownNames(page)).toEqual(['Marigold tiles. 2 images']);
    held.resolve();
    await replied.promise;
    // The page handles a reply before the next one arrives.
    await page.evaluate(() => fetch('/health/live'));
    expect(await shownNames(page)).toEqual(['Marigold tiles. 2 images']);
  });

  it('shows a job that was accepted while the list was read', async () => {
    const waiting = await startDashboard();
    const page = await openPage(waiting.address);
    await page.getByRole('heading', { name: 'Make your first image' }).waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      void page.route(/\/v1\/jobs\?limit=60/, async (route) => {
        const reply = await route.fetch();
        resolve();
        await held;
        await route.fulfill({ response: reply });
      });
    });
    await page.reload();
    await asked;
    const hanging = {
      prompt: 'A slow river',
      routing: { provider: 'sandbox', model: 'sandbox-hang' },
    };
    await submitJobs(waiting.address, [hanging]);
    await page.getByText('1 running').waitFor();
    release();
    await card(page, /A slow river/).waitFor();
  });

  it('filters by state and provider', async () => {
    const page = await openGallery(bridge);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('menuitemradio', { name: 'Sandbox' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'gallery-filter');
    await page.getByRole('menuitemradio', { name: 'Cancelled' }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('status')).toBe('cancelled');
  });

  it('marks a favourite by F and shows it among the favourites', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('f');
    await page.getByRole('link', { name: 'Desert dunes at dawn. Favourite' }).waitFor();
    await page.getByRole('button', { name: 'Favourites', exact: true }).click();
    await expect.poll(() => cards(page).count()).toBe(1);

    await page.getByRole('link', { name: /Desert dunes/ }).focus();
    await page.keyboard.press('f');
    await page.getByRole('heading', { name: 'No favourites yet' }).waitFor();
  });

  it('hides a job by H, moves the focus to the neighbour, and restores the job by Z', async () => {
    const page = await openGallery(bridge);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('h');
    await page.locator('.toast').getByText('Hidden', { exact: true }).waitFor();
    await expect.poll(() => focusedName(page)).toMatch('Tidal bay');
    await expect.poll(() => cards(page).count()).toBe(PROMPTS.length - 1);
    await keepScreenshot(page, 'gallery-undo');

    await page.keyboard.press('z');
    await card(page, /Marigold/).waitFor();
    expect(await listJobs(bridge.address, 'visibility=hidden')).toEqual([]);
  });

  it('shows hidden jobs, and restores one', async () => {
    const [job] = await listJobs(bridge.address, 'search=harbour');
    await patchJob(bridge.address, job?.id ?? '', { deleted: true });
    const page = await openGallery(bridge, { path: '/dashboard?show=hidden' });
    await imagesLoaded(page);
    await card(page, /harbour/).hover();
    await keepScreenshot(page, 'gallery-hidden');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: 'Nothing is hidden' }).waitFor();
  });
});
