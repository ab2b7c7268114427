import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { artifacts, summary } from '../dashboard/support/job-summary.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { searchField } from './support/search-field.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
}, 120_000);

type Kind = 'page' | 'total' | 'days';

/** A request of the page for a word, whose reply the test sends. */
interface Asked {
  readonly kind: Kind;
  readonly word: string;
  reply(): Promise<void>;
}

const NUMBERS: Readonly<Record<string, number>> = { fox: 300, lake: 200, '': 900 };

/** Returns 60 jobs whose prompts contain the word. */
const pageOf = (word: string) => ({
  items: Array.from({ length: 60 }, (_, nth) =>
    summary({
      id: `0199f0a0-0000-7000-8${word.length}00-0000000000${99 - nth}`,
      status: 'succeeded',
      artifacts: artifacts(1),
      prompt: `A ${word}, number ${nth}`,
    }),
  ),
  next_cursor: 'next',
});

function replyTo(kind: Kind, word: string) {
  const count = NUMBERS[word] ?? 0;
  if (kind === 'days') {
    return { days: [{ date: '2026-05-28', start: 1_779_926_400, count }], more: false };
  }
  return kind === 'page' ? pageOf(word) : { ...pageOf(word), total: { count, at_least: false } };
}

/** Opens the gallery of a bridge with many jobs. Requests with a word wait until the test replies to them. */
async function open() {
  const asked: Asked[] = [];
  const page = await openPage(bridge.address, {
    path: '/dashboard/system',
    // A thumbnail that is requested while the page is closed reaches the bridge, which does not have it.
    expects: [/404/],
  });
  async function answer(route: Route): Promise<void> {
    const { pathname, searchParams: query } = new URL(route.request().url());
    const word = query.get('q') ?? '';
    const counts = query.has('total') ? 'total' : 'page';
    const kind = pathname.endsWith('/days') ? 'days' : counts;
    const reply = () => route.fulfill({ json: replyTo(kind, word) });
    // Further pages keep waiting, so that the list stays longer than the pages that were read.
    if (query.has('cursor')) return;
    if (word === '') await reply();
    else asked.push({ kind, word, reply });
  }
  await page.route('**/v1/jobs?*', answer);
  await page.route('**/v1/jobs/days?*', answer);
  await page.route('**/thumbnail?*', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
    }),
  );
  await page.getByRole('link', { name: 'Images', exact: true }).click();
  await page.locator('.found-count', { hasText: '900 jobs' }).waitFor();

  /** Resolves with the request of this kind for a word. */
  async function request(kind: Kind, word: string): Promise<Asked> {
    const find = () => asked.find((each) => each.kind === kind && each.word === word);
    await expect.poll(() => find() !== undefined).toBe(true);
    return find() as Asked;
  }
  return { page, asked, request };
}

const card = (page: Page, word: string) =>
  page.getByRole('link', { name: new RegExp(`^A ${word}, number 0`) });
const found = (page: Page) => page.locator('.found-count').textContent();

describe('a search', () => {
  it('shows its cards before the bridge has counted the jobs that match', async () => {
    const { page, asked, request } = await open();
    await searchField(page).fill('fox');
    await (await request('page', 'fox')).reply();

    await card(page, 'fox').waitFor();
    const total = await request('total', 'fox');
    expect(await found(page)).not.toContain('found');
    expect(asked.map(({ kind }) => kind)).toEqual(['page', 'total']);

    await total.reply();
    await page.getByRole('status').filter({ hasText: '300 found of 900' }).waitFor();
    await (await request('days', 'fox')).reply();
  });

  it('ignores the replies to a search that another word has made obsolete', async () => {
    const { page, asked, request } = await open();
    await searchField(page).fill('fox');
    await (await request('page', 'fox')).reply();
    await card(page, 'fox').waitFor();
    const obsolete = await request('total', 'fox');
    await searchField(page).fill('boat');
    const passed = await request('page', 'boat');
    await searchField(page).fill('lake');
    const wanted = await request('page', 'lake');

    await obsolete.reply();
    await passed.reply();
    await wanted.reply();
    await card(page, 'lake').waitFor();
    await (await request('total', 'lake')).reply();

    await page.locator('.found-count', { hasText: '200 found' }).waitFor();
    expect(await card(page, 'boat').count()).toBe(0);
    expect(asked.filter(({ word }) => word === 'boat').map(({ kind }) => kind)).toEqual(['page']);
  });

  it('is sent at the first key, and after a pause if another key follows before its jobs are shown', async () => {
    const { page, asked, request } = await open();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const field = searchField(page);

    await field.fill('b');
    await page.clock.runFor(5);
    await request('page', 'b');
    await field.fill('bo');
    await page.clock.runFor(5);
    await field.fill('boat');
    await page.clock.runFor(5);
    expect(asked.map(({ word }) => word)).toEqual(['b']);

    await page.clock.runFor(150);
    await request('page', 'boat');
    expect(asked.map(({ word }) => word)).toEqual(['b', 'boat']);
  });

  it('is cancelled at the bridge as soon as another word is searched for', async () => {
    const { page, request } = await open();
    const cancelled: string[] = [];
    page.on('requestfailed', (failed) => {
      const { searchParams: query } = new URL(failed.url());
      if (query.has('q')) cancelled.push(`${query.get('q')}${query.has('total') ? ', total' : ''}`);
    });
    await searchField(page).fill('fox');
    await (await request('page', 'fox')).reply();
    await request('total', 'fox');
    await searchField(page).fill('boat');
    await request('page', 'boat');
    await expect.poll(() => cancelled).toEqual(['fox, total']);

    await searchField(page).fill('lake');
    await request('page', 'lake');
    await expect.poll(() => cancelled).toEqual(['fox, total', 'boat']);
  });
});
