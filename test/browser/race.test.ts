import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshFolder, type StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs } from './support/submit-jobs.ts';

const MODELS = ['sandbox-image', 'sandbox-basic'];
const FOUR = [...MODELS, 'sandbox-slow', 'sandbox-flaky'];
const PROMPTS = ['A mountain lake at dusk, still water', 'A mountain lake at noon, still water'];

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard();
  await makeRace('lake', FOUR);
});

/** Makes a race with these models over the API, and waits until all its jobs have ended. */
async function makeRace(id: string, models: readonly string[]): Promise<void> {
  const jobs: string[] = [];
  for (const [row, prompt] of PROMPTS.entries()) {
    for (const [column, model] of models.entries()) {
      const reply = await fetch(`${bridge.address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt,
          routing: { provider: 'sandbox', model },
          parameters: { size: '384x256' },
          policies: { compatibility: 'normalize' },
          group: { id, row, column },
        }),
      });
      jobs.push(((await reply.json()) as { id: string }).id);
    }
  }
  for (const id of jobs) await fetch(`${bridge.address}/v1/jobs/${id}?wait_ms=30000`);
}

type Options = Parameters<typeof openPage>[1];

async function openRace(id: string, options: Options = {}): Promise<Page> {
  const page = await openPage(bridge.address, { path: `/dashboard/race/${id}`, ...options });
  await page.locator('.lane-tile img').first().waitFor();
  return page;
}

/** Opens a new race with a prompt and the first models. */
async function prepare(page: Page, prompt: string, models: readonly string[]): Promise<void> {
  await page.getByRole('textbox', { name: 'Prompt' }).fill(prompt);
  for (const model of models) await page.getByRole('checkbox', { name: model }).check();
}

const startButton = (page: Page) => page.getByRole('button', { name: /^Start \d+ request/ });
const plan = (page: Page) => page.locator('#make .plan-line');
const winners = (page: Page) => page.locator('.crown[aria-pressed="true"]');
const raceOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1);
const jobsOf = (id: string | undefined) => listJobs(bridge.address, `group=${id}&visibility=all`);

describe('a race', () => {
  it.each(THEMES_AND_SIZES)('has no problems (%s, %s)', async (theme, size) => {
    const page = await openRace('lake', { theme, size });
    await expect.poll(() => page.locator('.lane-tile img').count()).toBe(8);
    await page.getByRole('status').getByText('8 of 8 done, no cost').waitFor();

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
    await keepScreenshot(page, `race-${theme}-${size}`);
  });

  it.each(['light', 'dark'] as const)('is prepared without problems (%s)', async (theme) => {
    const page = await openPage(bridge.address, { path: '/dashboard/race', theme });
    await prepare(page, 'A fox at {dusk,noon}', MODELS);
    await plan(page).getByText('4 cost nothing').waitFor();

    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, `race-new-${theme}`);
  });

  it('lists the models that can run before the others, which say why they cannot', async () => {
    const waiting = await startDashboard({
      set: [
        'providers.agent_responses.enabled=true',
        `providers.agent_responses.home=${await freshFolder()}`,
      ],
    });
    const page = await openPage(waiting.address, { path: '/dashboard/race' });
    const rows = page.locator('.race-models li');
    await rows.getByText('Needs a login').first().waitFor();

    const names = await rows.locator('bdi').allTextContents();

    expect(names.slice(0, 2)).toEqual(['sandbox-image', 'sandbox-basic']);
    expect(names.length).toBeGreaterThan(2);
  });

  it('lists the models that can make the request before the others', async () => {
    const agent = await startDashboard({ withAgent: true });
    const page = await openPage(agent.address, { path: '/dashboard/race' });
    const rows = page.locator('.race-models li');
    await rows.first().waitFor();
    const first = () => rows.locator('bdi').first().textContent();
    expect(await first()).toBe('gpt-image-2');

    await page.getByRole('textbox', { name: 'Prompt' }).fill('A fox');
    await page.getByRole('button', { name: 'Custom size' }).click();
    await page.getByLabel('Width').fill('640');

    await expect.poll(first).toBe('sandbox-image');
  });

  it('shows the whole names of the models beside a long name of their provider', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/system' });
    await page.route('**/v1/providers?*', async (route) => {
      const reply = await route.fetch();
      const list = (await reply.json()) as { items: { display_name: string }[] };
      for (const each of list.items) each.display_name = 'Rehearsals of the second laboratory';
      await route.fulfill({ response: reply, json: list });
    });

    await page.goto(`${bridge.address}/dashboard/race`);

    const names = page.locator('.racer bdi');
    const providers = page.locator('.racer .faint', { hasText: 'Rehearsals of the second' });
    await providers.first().waitFor({ state: 'attached' });
    const cut = await names.evaluateAll((all) =>
      all.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent),
    );
    expect(await names.count()).toBeGreaterThan(1);
    expect(cut).toEqual([]);
  });

  it('is prepared on a phone without problems', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race', size: 'phone' });
    await page.getByRole('button', { name: 'Change the race' }).click();
    await prepare(page, 'A fox at {dusk,noon}', MODELS);

    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'race-new-phone');
  });

  it('sends each prompt to each model, and fills in place', async () => {
    const page = await openPage(bridge.address);
    await page.getByRole('button', { name: 'Race' }).click();
    await prepare(page, 'A \\{tiny\\} fox at {dusk,noon}', MODELS);
    await plan(page).getByText('4 requests: 2 prompts × 2 models, 1 image each.').waitFor();
    await plan(page).getByText('4 cost nothing').waitFor();

    await page.keyboard.press('Control+Enter');

    await page.getByText('4 of 4 done').waitFor();
    await page.getByRole('heading', { name: 'A {tiny} fox at {dusk,noon}' }).waitFor();
    const jobs = await jobsOf(raceOf(page));
    expect(jobs.map(({ prompt }) => prompt).toSorted()).toEqual([
      'A {tiny} fox at dusk',
      'A {tiny} fox at dusk',
      'A {tiny} fox at noon',
      'A {tiny} fox at noon',
    ]);
  });

  it('takes one prompt a line from a list', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await prepare(page, 'A fox\n\nA {red,blue} boat', []);
    await page.getByText('2 prompts', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'List' }).click();

    await page.getByText('3 prompts', { exact: true }).waitFor();
  });

  it('has at most 24 prompts', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await prepare(page, 'A {a,b,c,d,e} {1,2,3,4,5} fox', [MODELS[0] ?? '']);

    await plan(page).getByText('25 prompts. A race has at most 24.').waitFor();

    expect(await startButton(page).isDisabled()).toBe(true);
  });

  it('has at most six models', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await page.getByRole('searchbox', { name: 'Filter the models' }).fill('sandbox');
    const boxes = page.getByRole('checkbox');
    await expect.poll(() => boxes.count()).toBeGreaterThan(6);
    for (let at = 0; at < 6; at += 1)
      await page.locator('.racer input:not(:checked)').first().check();

    await page.getByText('6 of 6').waitFor();

    expect(await page.locator('.racer input:not(:checked):enabled').count()).toBe(0);
  });

  it('is limited to the free places of the queue', async () => {
    const small = await startDashboard({ set: ['server.jobs.max_pending=3'] });
    const page = await openPage(small.address, { path: '/dashboard/race' });
    await prepare(page, 'A fox at {dusk,noon}', MODELS);

    await plan(page).getByText('4 requests. The queue has 3 free places.').waitFor();

    expect(await startButton(page).isDisabled()).toBe(true);
  });

  it('keeps failures local, and sends a failed request again in place', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await page.getByRole('searchbox', { name: 'Filter the models' }).fill('fail-upstream');
    await prepare(page, 'A fox in the snow', ['sandbox-fail-upstream']);
    await page.getByRole('searchbox', { name: 'Filter the models' }).fill('');
    await prepare(page, 'A fox in the snow', MODELS.slice(0, 1));
    await startButton(page).click();
    await page.getByText('1 of 2 done, 1 failed').waitFor();

    await page.getByRole('button', { name: 'Send sandbox-fail-upstream again' }).click();

    await expect.poll(async () => (await jobsOf(raceOf(page))).length).toBe(3);
    await page.getByText('1 of 2 done, 1 failed').waitFor();
  });

  it('sends a refused request again in place, and says why nothing can be compared yet', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race', expects: [/422/] });
    const error = { message: 'no', bridge_ext: { code: 'input', retryable: false, details: {} } };
    await page.route('**/v1/jobs', (route) =>
      route.request().postData()?.includes('sandbox-basic')
        ? route.fulfill({ status: 422, json: { error } })
        : route.continue(),
    );
    await prepare(page, 'A boat', MODELS);
    await startButton(page).click();
    await page.locator('.lane-tile img').first().waitFor();
    const again = page.getByRole('button', { name: 'Send sandbox-basic again' });
    await again.waitFor();

    const table = page.getByRole('button', { name: 'Light table' });
    expect(await table.getAttribute('aria-disabled')).toBe('true');
    await table.click({ force: true });
    await page.locator('.toast').getByText('needs two finished images').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unrouteAll();
    await again.click();

    await expect.poll(() => page.locator('.lane-tile img').count()).toBe(2);
    expect(await jobsOf(raceOf(page))).toHaveLength(2);
    expect(await table.getAttribute('aria-disabled')).toBe(null);
  });

  it('is not offered to a token that may not create jobs, and its page says why', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await page.route('**/v1/usage?*', async (route) => {
      const reply = await route.fetch();
      const usage = await reply.json();
      await route.fulfill({
        json: { ...usage, caller: { ...usage.caller, permissions: ['read'] } },
      });
    });

    await page.reload();

    await page.getByRole('main').getByText('This token may not create jobs.').waitFor();
    await page.getByRole('button', { name: 'New image' }).click();
    await page.getByRole('textbox', { name: 'Prompt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Race', exact: true }).count()).toBe(0);
  });

  it('is judged with keys alone: the winner is the favourite of its row', async () => {
    const page = await openRace('lake');
    await expect.poll(() => page.locator('.crown').count()).toBe(8);

    await page.keyboard.press('2');
    await expect.poll(() => winners(page).count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('4');
    await expect.poll(() => winners(page).count()).toBe(2);
    await page.keyboard.press('1');

    const crown = (name: string) => page.getByRole('button', { name });
    await expect
      .poll(() => crown(': sandbox-image, row 2').getAttribute('aria-pressed'))
      .toBe('true');
    await expect.poll(() => winners(page).count()).toBe(2);
    const favourites = (await jobsOf('lake')).filter(({ favorite }) => favorite);
    expect(favourites.map(({ prompt }) => prompt).toSorted()).toEqual(PROMPTS);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: PROMPTS[1] ?? '' }).waitFor();
  });

  it('numbers the models until each row has a winner', async () => {
    await makeRace('hill', MODELS);
    const page = await openRace('hill');
    await page.getByRole('columnheader', { name: 'sandbox-image' }).waitFor();

    await page.getByRole('switch', { name: 'Hide names until the winners are chosen' }).click();

    await page.getByRole('columnheader', { name: 'Model 1' }).waitFor();
    expect(await page.locator('.lanes').innerHTML()).not.toContain('sandbox-');
    await page.getByRole('button', { name: 'Choose: Model 1, row 1' }).click();
    await page.getByRole('button', { name: 'Choose: Model 2, row 2' }).click();
    await page.getByRole('columnheader', { name: 'sandbox-image' }).waitFor();
    expect(await winners(page).count()).toBe(2);
  });

  it('stops what waits', async () => {
    const slow = await startDashboard({ set: ['server.jobs.max_running_total=1'] });
    const page = await openPage(slow.address, { path: '/dashboard/race' });
    await page.getByRole('searchbox', { name: 'Filter the models' }).fill('slow');
    await prepare(page, 'A fox at {dusk,noon,night,dawn}', ['sandbox-slow']);
    await startButton(page).click();
    await page.getByText('1 running, 3 waiting').waitFor();

    await page.getByRole('button', { name: 'Stop' }).click();

    await page.getByText('0 of 4 done, 3 stopped').waitFor();
    const jobs = await listJobs(slow.address, `group=${raceOf(page)}`);
    expect(jobs.filter(({ status }) => status === 'cancelled')).toHaveLength(3);
  });

  it('queues the stopped requests again with Undo, in their places', async () => {
    const slow = await startDashboard({ set: ['server.jobs.max_running_total=1'] });
    const page = await openPage(slow.address, { path: '/dashboard/race' });
    await page.getByRole('searchbox', { name: 'Filter the models' }).fill('slow');
    await prepare(page, 'A fox at {dusk,noon,night}', ['sandbox-slow']);
    await startButton(page).click();
    await page.getByText('1 running, 2 waiting').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('2 stopped').waitFor();

    await page.getByRole('button', { name: 'Undo' }).click();

    await page.getByText('1 running, 2 waiting').waitFor();
    const jobs = await listJobs(slow.address, `group=${raceOf(page)}`);
    expect(jobs.map(({ status }) => status).toSorted()).toEqual(['queued', 'queued', 'running']);
    await page.reload();
    await page.getByText('1 running, 2 waiting').waitFor();
  });

  it('of one model has tiles that are not taller than the screen', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await prepare(page, 'A fox at {dusk,noon}', ['sandbox-image']);
    await startButton(page).click();

    await page.getByText('2 of 2 done').waitFor();

    const tile = await page.locator('.lane-tile').first().boundingBox();
    expect(tile!.height).toBeLessThan(600);
  });

  it('is found by its address after the server was killed and started again', async () => {
    const first = await startDashboard();
    const page = await openPage(first.address, { path: '/dashboard/race', expects: [/./] });
    await prepare(page, 'A fox at {dusk,noon}', MODELS);
    await startButton(page).click();
    await page.getByText('4 of 4 done').waitFor();
    await page.getByRole('button', { name: 'Choose: sandbox-image, row 1' }).click();
    await expect.poll(() => winners(page).count()).toBe(1);

    await restart(first);
    await page.reload();

    await page.getByText('4 of 4 done').waitFor();
    await expect.poll(() => winners(page).count()).toBe(1);
  });

  it('sends nothing twice if replies are lost', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race', expects: [/./] });
    await prepare(page, 'A boat at {dusk,noon}', MODELS);
    let lost = 0;
    await page.route('**/v1/jobs', async (route) => {
      if (route.request().method() !== 'POST' || lost >= 3) return route.fallback();
      lost += 1;
      // The bridge accepts the request, and the page gets no reply.
      await route.fetch();
      await route.abort('connectionreset');
    });

    await startButton(page).click();

    await page.getByText('4 of 4 done').waitFor();
    expect(lost).toBe(3);
    expect(await jobsOf(raceOf(page))).toHaveLength(4);
  });

  it('lists the models of the last race first', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    const names = page.locator('.race-models li bdi');
    await page.getByRole('checkbox', { name: 'sandbox-basic' }).check();
    expect((await names.allTextContents()).slice(0, 2)).toEqual(MODELS);

    await page.reload();

    await expect.poll(() => names.first().textContent()).toBe('sandbox-basic');
  });

  it('lists the model of the draft, also behind many models', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/system', expects: [/404/] });
    await page.route('**/v1/providers?*', async (route) => {
      const reply = await route.fetch();
      const list = (await reply.json()) as { items: { name: string; models: string[] }[] };
      const many = { ...list.items[0], name: 'many', default: false };
      const models = Array.from({ length: 14 }, (_, nth) => `model-${nth}`);
      await route.fulfill({
        response: reply,
        json: { ...list, items: [{ ...many, models }, ...list.items] },
      });
    });

    await page.goto(`${bridge.address}/dashboard/race`);

    await page.getByRole('checkbox', { name: 'model-10' }).waitFor();
    await page.getByRole('checkbox', { name: 'sandbox-image' }).waitFor();
    expect(await page.locator('.race-models li').count()).toBe(12);
  });

  it('says of a price that it is an upper bound', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await page.route('**/v1/plan/batch', async (route) => {
      const reply = await route.fetch();
      const plan = (await reply.json()) as Record<'routes' | 'total', unknown>;
      const bounded = (sum: object, requests: number) => ({
        ...sum,
        free: 0,
        cost: {
          amount: `${4 * requests}`,
          currency: 'USD',
          basis: 'priced',
          bound: 'at_most',
        },
      });
      const { routes, total } = plan as { routes: { requests: number }[]; total: object };
      await route.fulfill({
        response: reply,
        json: {
          routes: routes.map((each) => bounded(each, each.requests)),
          total: bounded(total, 2),
        },
      });
    });

    await prepare(page, 'A fox', MODELS);

    await plan(page).getByText('2 at most $8.00.').waitFor();
    await page.locator('.racer .price').getByText('up to $4.00').first().waitFor();
  });

  it('leaves out a model that has vanished', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race' });
    await page.evaluate(() => {
      localStorage.setItem(
        'image-bridge.race-models',
        JSON.stringify([
          { provider: 'sandbox', model: 'sandbox-image' },
          { provider: 'sandbox', model: 'vanished' },
        ]),
      );
    });
    await page.reload();

    await page.getByText('1 of 6').waitFor();
    await prepare(page, 'A fox', []);
    await page.getByRole('button', { name: 'Start 1 request' }).waitFor();
  });

  it('says that there is no race at an address', async () => {
    const page = await openPage(bridge.address, { path: '/dashboard/race/nothing' });

    await page.getByText('No race at this address').waitFor();
  });
});
