import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../lib/contract/request/caller.ts';
import { toTokensText } from '../../lib/tokens/tokens-text.ts';
import { freshFolder, type StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs, submitJobs } from './support/submit-jobs.ts';

const ARABIC = 'بحيرة في الليل';
const MARKS = 'Z\u0351\u036b\u0343\u036aa\u0302\u036blgo'.normalize('NFC');

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
});

const small = (prompt: string, more: object = {}) => ({
  prompt,
  parameters: { size: '128x128' },
  ...more,
});

async function labelsOf(id: string): Promise<readonly string[]> {
  const reply = await fetch(`${bridge.address}/v1/jobs/${id}`);
  return ((await reply.json()) as { readonly labels?: readonly string[] }).labels ?? [];
}

const isFocused = (element: Locator) => element.evaluate((each) => each === document.activeElement);
const section = (page: Page) => page.locator('.labels-section');
const newLabel = (page: Page) => page.getByRole('combobox', { name: 'New label' });
const field = (page: Page, label: string) =>
  page.getByRole('textbox', { name: `Name of the label ${label}` });

async function openJob(labels: readonly string[], options: Parameters<typeof openPage>[1] = {}) {
  const [id = ''] = await makeJobs(bridge.address, [small('A labelled heron', { labels })]);
  const page = await openPage(bridge.address, { ...options, path: `/dashboard/jobs/${id}` });
  await section(page).waitFor();
  return { id, page };
}

async function edit(page: Page): Promise<void> {
  await section(page).getByRole('button', { name: 'Change the labels' }).click();
  await newLabel(page).waitFor();
}

describe('the labels of a job', () => {
  it('are added, renamed in their place and removed with the keyboard alone', async () => {
    const { id, page } = await openJob([]);
    await section(page).getByRole('button', { name: 'Add a label' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => isFocused(newLabel(page))).toBe(true);

    for (const label of ['one', '  two\u00a0', ARABIC]) {
      await page.keyboard.type(label);
      await page.keyboard.press('Enter');
      await field(page, label.trim()).waitFor();
    }
    await expect.poll(() => labelsOf(id)).toEqual(['one', 'two', ARABIC]);
    await field(page, 'one').focus();
    await page.keyboard.press('End');
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    await field(page, 'onefirst').waitFor();
    await expect.poll(() => labelsOf(id)).toEqual(['onefirst', 'two', ARABIC]);
    expect(await field(page, 'onefirst').evaluate((it) => it === document.activeElement)).toBe(
      true,
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await field(page, 'onefirst').waitFor({ state: 'detached' });
    await expect.poll(() => labelsOf(id)).toEqual(['two', ARABIC]);
    const next = section(page).getByRole('button', { name: 'Remove the label two' });
    expect(await isFocused(next)).toBe(true);
    await page.keyboard.press('Escape');
    await section(page).getByRole('link', { name: ARABIC }).waitFor();
    const change = section(page).getByRole('button', { name: 'Change the labels' });
    await expect.poll(() => isFocused(change)).toBe(true);
  });

  it('are as before after the undo of each change', async () => {
    const { id, page } = await openJob(['one', 'two']);
    await edit(page);
    await field(page, 'one').fill('first');
    await field(page, 'one').press('Enter');
    await expect.poll(() => labelsOf(id)).toEqual(['first', 'two']);
    await section(page).getByRole('button', { name: 'Remove the label two' }).click();
    await field(page, 'two').waitFor({ state: 'detached' });
    expect(await labelsOf(id)).toEqual(['first']);

    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByRole('button', { name: 'Undo' }).last().click();

    await field(page, 'one').waitFor();
    expect(await labelsOf(id)).toEqual(['one', 'two']);
  });

  it.each([
    ['65 characters', 'c'.repeat(65), '1 character too long. A label has at most 64.'],
    ['65 emoji', '🇩🇪'.repeat(65), '1 character too long. A label has at most 64.'],
    ['many combining marks', `q${'\u0301'.repeat(256)}`, /^513 bytes with its combining marks/],
    ['no visible character', '\u200b\u2060', 'Type at least one visible character.'],
    ['a line separator', 'a\u2028b', 'Remove the line break or control character.'],
    ['a label that is there', 'one', 'This label is already there.'],
  ])('are not sent with %s, and the field says why', async (_, typed, problem) => {
    const { id, page } = await openJob(['one']);
    await edit(page);

    await newLabel(page).fill(typed);
    await newLabel(page).press('Enter');

    await section(page).getByText(problem).waitFor();
    expect(await newLabel(page).getAttribute('aria-invalid')).toBe('true');
    expect(await newLabel(page).inputValue()).toBe(typed);
    await newLabel(page).press('Escape');
    expect(await newLabel(page).inputValue()).toBe('');
    expect(await labelsOf(id)).toEqual(['one']);
  });

  it('are stored with 64 letters that have combining marks, from right to left', async () => {
    const long = 'q\u0323\u0307'.repeat(64).normalize('NFC');
    const { id, page } = await openJob([]);
    await section(page).getByRole('button', { name: 'Add a label' }).click();

    for (const label of [long, ARABIC]) {
      await newLabel(page).fill(label);
      await newLabel(page).press('Enter');
      await field(page, label).waitFor();
    }

    expect(await labelsOf(id)).toEqual([long, ARABIC]);
    expect(await field(page, ARABIC).evaluate((it) => getComputedStyle(it).direction)).toBe('rtl');
  });

  it('are at most 16, and the page says so in place of the field', async () => {
    const labels = Array.from({ length: 16 }, (_, nth) => `label ${nth}`);
    const { id, page } = await openJob(labels);
    await section(page).getByRole('button', { name: 'Change the labels' }).click();

    await section(page).getByText('A job has at most 16 labels.').waitFor();
    expect(await newLabel(page).count()).toBe(0);
    await field(page, 'label 15').fill('last');
    await field(page, 'label 15').press('Enter');
    await expect.poll(async () => (await labelsOf(id)).at(-1)).toBe('last');
    await section(page).getByRole('button', { name: 'Remove the label label 3' }).click();
    await newLabel(page).waitFor();
  });

  it('cannot be changed in the page with a token that may only read', async () => {
    const cwd = await freshFolder();
    const token = 'token-that-may-only-read';
    const writer = 'token-that-may-also-make';
    const tokens = [token, writer].map((each) => ({
      id: each,
      name: each,
      sha256: createHash('sha256').update(each).digest('hex'),
      scope: 'both',
      disabled: false,
      permissions: each === token ? (['read'] as const) : DEFAULT_PERMISSIONS,
    }));
    await writeFile(join(cwd, 'tokens.toml'), toTokensText(tokens), { mode: 0o600 });
    const own = await startDashboard({ cwd, set: ['server.tokens_file=tokens.toml'] });
    const reply = await fetch(`${own.address}/v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${writer}`, 'content-type': 'application/json' },
      body: JSON.stringify(small('A heron', { labels: ['one'] })),
    });
    const { id } = (await reply.json()) as { readonly id: string };
    const page = await openPage(own.address, {
      path: `/dashboard/jobs/${id}`,
      session: { 'image-bridge.token': token },
      expects: [/403/],
    });

    await section(page).getByRole('link', { name: 'one' }).waitFor();

    await expect.poll(() => section(page).getByRole('button').count()).toBe(0);
  });

  it('are apart from the metadata, which belongs to the request', async () => {
    const metadata = { project: 'posters' };
    const [id] = await makeJobs(bridge.address, [small('A heron', { metadata })]);
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${id}` });

    await page.getByRole('heading', { name: 'Metadata' }).waitFor();

    expect(await page.locator('.metadata-section').innerText()).toContain('posters');
    expect(await section(page).innerText()).not.toContain('posters');
  });

  it.each(THEMES_AND_SIZES)(
    'are edited without accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      const labels = [ARABIC, 'नीली झील', MARKS, 'étude', 'Donaudampfschifffahrt'.repeat(3)];
      const { page } = await openJob(labels, { theme, size, touch: size === 'phone' });
      await edit(page);
      await newLabel(page).fill('c'.repeat(80));
      await field(page, 'étude').fill(ARABIC);
      await section(page).getByText('This label is already there.').waitFor();

      await section(page).scrollIntoViewIfNeeded();
      await keepScreenshot(page, `labels-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(sideways).toBe(false);
    },
  );
});

describe('the labels of a draft', () => {
  const group = (page: Page) => page.locator('.group').filter({ hasText: 'Labels' });

  it('are given to the job, and survive a reload', async () => {
    const page = await openPage(bridge.address);
    await group(page).getByRole('button', { name: 'Labels' }).click();
    for (const label of ['poster', ARABIC]) {
      await newLabel(page).fill(label);
      await newLabel(page).press('Enter');
      await field(page, label).waitFor();
    }
    await field(page, 'poster').fill('posters');
    await field(page, 'poster').press('Enter');
    await field(page, 'posters').waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('A heron with labels from the start');

    await page.reload();
    await group(page).getByText(`posters, ${ARABIC}`).waitFor();
    await page.keyboard.press('Control+Enter');

    await page.getByRole('link', { name: /^A heron with labels from the start/ }).click();
    await section(page).getByRole('link', { name: 'posters' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(await labelsOf(id)).toEqual(['posters', ARABIC]);
  });

  it('are those of the job that is made again', async () => {
    const { id, page } = await openJob(['sea', ARABIC]);

    await page.locator('.job-bar').getByRole('button', { name: 'Make again' }).click();
    await page
      .locator('.toast', { hasText: 'Sent again' })
      .getByRole('button', { name: 'Show' })
      .click();

    await page.waitForURL((url) => !url.href.includes(id));
    expect(await labelsOf(new URL(page.url()).pathname.split('/').at(-1) ?? '')).toEqual([
      'sea',
      ARABIC,
    ]);
  });

  it('are those of the job that is changed and made', async () => {
    await makeJobs(bridge.address, [small('A heron by the sea', { labels: ['sea'] })]);
    const page = await openPage(bridge.address);
    const card = page
      .getByRole('gridcell')
      .filter({ has: page.getByRole('link', { name: /^A heron by the sea/ }) });

    await card.hover();
    await card.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change and make' }).click();

    await group(page).getByText('sea').waitFor();
  });

  it.each(THEMES_AND_SIZES)(
    'are typed without accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      const page = await openPage(bridge.address, { theme, size, touch: size === 'phone' });
      if (size === 'phone') await page.getByRole('button', { name: /^Describe an image/ }).click();
      await group(page).getByRole('button', { name: 'Labels' }).click();
      await newLabel(page).fill(ARABIC);
      await newLabel(page).press('Enter');
      await field(page, ARABIC).waitFor();

      await keepScreenshot(page, `draft-labels-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );
});

describe('the labels of a selection', () => {
  const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected images' });
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Labels' });

  /** Selects all jobs of a list, of which the page has read only a part, and opens their labels. */
  async function openLabelsOfAll(page: Page, count: number): Promise<void> {
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await page.getByText(`All ${count} selected`).first().waitFor();
    await bar(page).getByRole('button', { name: 'Labels' }).click();
  }

  it('are added to the selected cards and removed from them with one undo each', async () => {
    const own = await startDashboard();
    const ids = await makeJobs(own.address, [
      small('One', { labels: ['sea'] }),
      small('Two'),
      small('Three'),
    ]);
    const labels = async () => {
      const reply = await fetch(`${own.address}/v1/jobs?order=oldest`);
      const { items } = (await reply.json()) as { items: { labels?: string[] }[] };
      return items.map((job) => (job.labels ?? []).join());
    };
    const page = await openPage(own.address);
    await page.getByRole('link', { name: /^Three/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await bar(page).getByRole('button', { name: 'Labels' }).click();
    await dialog(page).getByText('Labels of 3 selected jobs').waitFor();
    await dialog(page).getByText('1 of 3').waitFor();

    await newLabel(page).fill(ARABIC);
    await newLabel(page).press('Enter');
    await page.getByText('Label added to 3 jobs').waitFor();
    expect(await labels()).toEqual([`sea,${ARABIC}`, ARABIC, ARABIC]);
    await dialog(page).getByRole('button', { name: 'Remove the label sea' }).click();
    await page.getByText('Label removed').first().waitFor();
    await expect.poll(labels).toEqual([ARABIC, ARABIC, ARABIC]);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('z');

    await expect.poll(labels).toEqual([`sea,${ARABIC}`, ARABIC, ARABIC]);
    expect(ids).toHaveLength(3);
  });

  it('are renamed on the selected jobs that have them, with one undo', async () => {
    const own = await startDashboard();
    await makeJobs(own.address, [
      small('One', { labels: ['sea'] }),
      small('Two', { labels: ['sea', 'draft'] }),
      small('Three'),
    ]);
    const labels = async () => {
      const reply = await fetch(`${own.address}/v1/jobs?order=oldest`);
      const { items } = (await reply.json()) as { items: { labels?: string[] }[] };
      return items.map((job) => (job.labels ?? []).toSorted().join());
    };
    const page = await openPage(own.address);
    await page.getByRole('link', { name: /^Three/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Control+a');
    await bar(page).getByRole('button', { name: 'Labels' }).click();

    await field(page, 'sea').fill('ocean');
    await field(page, 'sea').press('Enter');

    await page.getByText('Label renamed on 2 jobs').waitFor();
    await field(page, 'ocean').waitFor();
    expect(await labels()).toEqual(['ocean', 'draft,ocean', '']);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await expect.poll(labels).toEqual(['sea', 'draft,sea', '']);
  });

  it('are renamed on all jobs under a filter that have them', async () => {
    const own = await startDashboard();
    await submitJobs(
      own.address,
      Array.from({ length: 110 }, (_, nth) =>
        small(`Lake ${nth}`, { labels: nth < 105 ? ['sea', 'blue'] : [] }),
      ),
    );
    const count = async (label: string) => {
      const reply = await fetch(`${own.address}/v1/jobs?limit=1&total=true&label=${label}`);
      return ((await reply.json()) as { total: { count: number } }).total.count;
    };
    const page = await openPage(own.address);
    await openLabelsOfAll(page, 110);

    await field(page, 'sea').fill('lake');
    await field(page, 'sea').press('Enter');

    await page.getByText('Label renamed on 105 jobs').waitFor();
    expect([await count('lake'), await count('sea'), await count('blue')]).toEqual([105, 0, 105]);
    await page.getByText('All 110 selected').first().waitFor();
    await page.goto(`${own.address}/dashboard?label=blue`);
    await openLabelsOfAll(page, 105);

    // A filter has one label, so that the jobs with two labels cannot be named.
    await field(page, 'blue').waitFor();
    expect(await field(page, 'lake').count()).toBe(0);
  });

  it('are added to all jobs under a filter, also to those that the page has not read', async () => {
    const own = await startDashboard();
    await submitJobs(
      own.address,
      Array.from({ length: 120 }, (_, nth) => small(`Lake ${nth}`)),
    );
    const count = async () => {
      const reply = await fetch(`${own.address}/v1/jobs?limit=1&total=true&label=lakes`);
      return ((await reply.json()) as { total: { count: number } }).total.count;
    };
    const page = await openPage(own.address);
    await openLabelsOfAll(page, 120);

    await newLabel(page).fill('lakes');
    await newLabel(page).press('Enter');

    await page.getByText('Label added to 120 jobs').waitFor();
    expect(await count()).toBe(120);
    await dialog(page).getByRole('button', { name: 'Remove the label lakes' }).click();
    await page.getByText('Label removed from 120 jobs').waitFor();
    expect(await count()).toBe(0);
  });

  it.each(THEMES_AND_SIZES)(
    'are edited without accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      await makeJobs(bridge.address, [small('A heron', { labels: [ARABIC] })]);
      const page = await openPage(bridge.address, { theme, size, touch: size === 'phone' });
      await page.getByRole('gridcell').first().waitFor();
      await page.getByRole('gridcell').first().getByRole('link').focus();
      await page.keyboard.press('x');
      await bar(page).getByRole('button', { name: 'Labels' }).click();
      await newLabel(page).waitFor();

      await keepScreenshot(page, `selection-labels-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );
});
