import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { searchField } from './support/search-field.ts';
import { makeJobs } from './support/submit-jobs.ts';

const request = (prompt: string, size: string, labels: readonly string[] = []) => ({
  prompt,
  labels,
  parameters: { size },
});

const JOBS = [
  request('Mountain lake at dusk, layered ridges', '384x256', ['spring']),
  request('Ridges fading into haze, the lake below', '256x384'),
  request('A red fox in snow', '256x256', ['spring', 'north']),
  request('A red fox in snow', '384x256'),
  request('Paper boats on a dark river', '384x256'),
];

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
  await makeJobs(bridge.address, JOBS);
}, 120_000);

async function open(path = '/dashboard', options: Parameters<typeof openPage>[1] = {}) {
  const page = await openPage(bridge.address, { path, ...options });
  await page.locator('.found-count b').waitFor();
  return page;
}

const found = (page: Page, words: string) =>
  page.locator('.found-count', { hasText: words }).waitFor();
const chip = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Filters' }).getByRole('button', { name, exact: true });

/** Opens the page with a collapsed panel. */
async function openFolded(options: Parameters<typeof openPage>[1] = {}) {
  const page = await open('/dashboard', options);
  await page.getByRole('button', { name: 'Collapse the panel' }).click();
  await page.getByRole('navigation', { name: 'Library' }).waitFor();
  return page;
}

describe('the filters of the gallery', () => {
  it('is narrowed to days by fields that a finger can hit', async () => {
    const page = await open('/dashboard', { size: 'phone', touch: true });

    await chip(page, 'Date').tap();
    const fields = page.locator('input[type="date"]');
    await fields.first().waitFor();

    const heights = await fields.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().height),
    );
    expect(heights).toEqual([44, 44]);
  });

  it('show the number of all jobs, and of the jobs that match', async () => {
    const page = await open();
    await found(page, '5 jobs');

    await chip(page, 'Shape').click();
    await page.getByRole('menuitemradio', { name: '3:2' }).click();

    await found(page, '3 found of 5');
    expect(new URL(page.url()).searchParams.get('size')).toBe('3:2');
    expect(await page.getByRole('gridcell').count()).toBe(3);
  });

  it('are read from the address, and Back takes back one filter after the other', async () => {
    const page = await open('/dashboard?size=3:2&label=spring');
    await found(page, '1 found of 5');

    await chip(page, 'Remove Label spring').click();
    await found(page, '3 found');
    await chip(page, 'Operation').click();
    await page.getByRole('menuitemradio', { name: 'Edit' }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();

    await page.goBack();
    await found(page, '3 found');
    await page.goBack();
    await found(page, '1 found of 5');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await found(page, '5 jobs');
  });

  it('offer the labels of the jobs with their counts, models and dates, by keyboard alone', async () => {
    const page = await open();

    await chip(page, 'Label').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemradio', { name: 'spring 2' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await found(page, '2 found of 5');
    await chip(page, 'Model').click();
    await page.getByRole('menuitemradio', { name: 'sandbox-image', exact: true }).click();
    await found(page, '2 found of 5');
    await chip(page, 'Date').click();
    await page.getByRole('menuitem', { name: 'Yesterday' }).click();

    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it('name the word and the filter in the way when nothing matches', async () => {
    const page = await open('/dashboard?q=fox%20tallinn');
    await page.getByText('One of these is in the way.').waitFor();
    await keepScreenshot(page, 'search-in-the-way');

    await page.getByRole('button', { name: 'Without “tallinn” 2' }).click();

    await found(page, '2 found of 5');
    await chip(page, 'Operation').click();
    await page.getByRole('menuitemradio', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Without Operation Edit 2' }).waitFor();
    expect(await page.getByRole('button', { name: /^Without/ }).count()).toBe(1);
  });

  it.each([
    ['light', 390],
    ['dark', 390],
    ['light', 768],
    ['dark', 1280],
    ['light', 1440],
    ['dark', 1920],
  ] as const)('are accessible and need no sideways scroll (%s, %i px)', async (theme, width) => {
    const page = await open('/dashboard?size=3:2&label=spring', {
      ...{ theme, touch: width < 900 },
      size: { width, height: 900 },
    });
    await found(page, '1 found');

    expect(await accessibilityProblems(page)).toEqual([]);
    const { scrollWidth, innerWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      innerWidth: window.innerWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(innerWidth);
    await keepScreenshot(page, `search-filters-${width}-${theme}`);
  });
});

describe('earlier searches and prompts', () => {
  it('open with a slash, and a prompt is used again with Ctrl+Enter', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.getByRole('option', { name: /^A red fox/ }).waitFor();
    await page.keyboard.type('lake');
    await page.getByText('Prompts with lake').waitFor();
    const options = page.getByRole('option');
    await expect.poll(() => options.count()).toBe(2);

    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const second = page.getByRole('option', { selected: true });
    expect(await second.textContent()).toContain('Mountain lake at dusk');
    expect(await searchField(page).getAttribute('aria-activedescendant')).toBe(
      await second.getAttribute('id'),
    );
    await page.keyboard.press('Control+Enter');

    await expect
      .poll(() => page.getByLabel('Prompt', { exact: true }).inputValue())
      .toBe('Mountain lake at dusk, layered ridges');
    expect(await page.getByRole('listbox').count()).toBe(0);
  });

  it('keep a search with its filters and its number, and repeat it', async () => {
    const page = await open('/dashboard?size=3:2');
    await page.keyboard.press('/');
    await page.keyboard.type('lake');
    await found(page, '1 found');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await found(page, '5 jobs');

    await page.getByRole('button', { name: 'Earlier searches and prompts' }).click();
    await page.getByRole('option', { name: 'lake, 3:2 1' }).click();

    await found(page, '1 found of 5');
    expect(await searchField(page).inputValue()).toBe('lake');
    expect(new URL(page.url()).searchParams.get('size')).toBe('3:2');
  });

  it('close with Escape, which clears the search only then', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('fox');
    await page.getByRole('listbox').waitFor();

    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').count()).toBe(0);
    expect(await searchField(page).inputValue()).toBe('fox');
    await page.keyboard.press('Escape');

    expect(await searchField(page).inputValue()).toBe('');
  });

  it.each([
    ['dark', 'desktop'],
    ['light', 'phone'],
  ] as const)('are accessible, and a tap uses a prompt again (%s, %s)', async (theme, size) => {
    const page = await open('/dashboard', { theme, size, touch: size === 'phone' });
    await page.getByRole('button', { name: 'Earlier searches and prompts' }).click();
    const option = page.getByRole('option', { name: /^Paper boats/ });
    await option.waitFor();

    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, `search-earlier-${size}-${theme}`);
    await option.getByText('Use again').click();

    await expect
      .poll(() => page.getByLabel('Prompt', { exact: true }).inputValue())
      .toBe('Paper boats on a dark river');
  });
});

describe('the library', () => {
  it('replaces the collapsed panel with views and labels and their counts', async () => {
    const page = await openFolded({ theme: 'dark' });
    const library = page.getByRole('navigation', { name: 'Library' });
    await library.getByRole('link', { name: 'All 5' }).waitFor();

    await library.getByRole('link', { name: 'spring 2' }).click();

    await found(page, '2 found of 5');
    expect(await library.getByRole('link', { name: 'spring 2' }).getAttribute('aria-current')).toBe(
      'page',
    );
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'search-library-dark');
    await page.goBack();
    await found(page, '5 jobs');
    await library.getByRole('button', { name: /^New image/ }).click();
    await library.waitFor({ state: 'detached' });
  });

  it('counts a view again after a job has changed', async () => {
    const page = await openFolded();
    const library = page.getByRole('navigation', { name: 'Library' });
    await library.getByRole('link', { name: 'Favourites 0' }).waitFor();
    await page.getByRole('gridcell').first().locator('.card-link').focus();

    await page.keyboard.press('f');

    await library.getByRole('link', { name: 'Favourites 1' }).waitFor();
    await page.keyboard.press('f');
    await library.getByRole('link', { name: 'Favourites 0' }).waitFor();
  });
});
