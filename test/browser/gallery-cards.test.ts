import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { cutTexts } from './support/cut-texts.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, patchJob, submitJobs } from './support/submit-jobs.ts';

const asked = (model: string, prompt: string, parameters: object = {}) => ({
  prompt,
  parameters,
  routing: { provider: 'sandbox', model },
});
const failing = (failure: string, prompt: string) => asked(`sandbox-fail-${failure}`, prompt);

const card = (page: Page, name: string | RegExp) =>
  page.getByRole('gridcell').filter({ has: page.getByRole('link', { name }) });
const isRunning = async (address: string, prompt: string) =>
  (await listJobs(address)).some((job) => job.prompt === prompt && job.status === 'running');

describe('a card of a job that has not ended', () => {
  it.each(['light', 'dark'] as const)(
    'shows the stage of the work, and is cancelled at once while it waits, and by a second press while it runs (%s)',
    async (theme) => {
      const bridge = await startDashboard({ set: ['server.jobs.max_running_total=1'] });
      await submitJobs(bridge.address, [
        asked('sandbox-hang', 'A river that never ends', { size: '1536x1024' }),
        asked('sandbox-image', 'A harbour in the queue', { size: '1024x1024', n: 2 }),
      ]);
      await expect.poll(() => isRunning(bridge.address, 'A river that never ends')).toBe(true);
      const page = await openPage(bridge.address, { theme });

      const running = card(page, /A river that never ends\. Sent/);
      await running.waitFor();
      const queued = card(page, /A harbour in the queue\. Queued/);
      const box = await queued.boundingBox();
      expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(2, 1);
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `card-open-${theme}`);

      await queued.getByRole('button', { name: 'Cancel' }).click();
      await card(page, /A harbour in the queue\. Cancelled/).waitFor();

      await running.getByRole('button', { name: 'Cancel' }).click();
      await running.getByText('Press again to cancel').waitFor();
      await keepScreenshot(page, `card-cancel-${theme}`);
      await running.getByText('Press again to cancel').waitFor({ state: 'detached' });
      await running.getByRole('link').focus();
      await page.keyboard.press('Delete');
      await page.keyboard.press('Delete');
      await card(page, /A river that never ends\. Cancelled/).waitFor();
      await page.getByText('The image may have been made and charged for.').waitFor();
    },
  );

  it('shows the unfinished image with its stages, then the finished image in the same place', async () => {
    const bridge = await startDashboard({ set: ['providers.sandbox.latency_ms=12000'] });
    const page = await openPage(bridge.address);
    await submitJobs(bridge.address, [
      asked('sandbox-image', 'Aurora over a frozen harbour', {
        size: '192x128',
        partial_images: 3,
      }),
    ]);
    await page.locator('.open-card.with-image img').waitFor();
    const during = await page.getByRole('gridcell').boundingBox();
    expect(await page.locator('.open-card .stage-bar .now').count()).toBe(1);
    await keepScreenshot(page, 'card-partial');

    await page.locator('.card-images img').waitFor();
    expect(await page.getByRole('gridcell').boundingBox()).toEqual(during);
    await page.locator('.open-card').waitFor({ state: 'detached' });
  });
});

describe('a card of a job without images', () => {
  let bridge: StartedBridge;

  beforeAll(async () => {
    bridge = await startDashboard();
    await submitJobs(bridge.address, [asked('sandbox-hang', 'Interrupted in mid-work')]);
    await vi.waitUntil(() => isRunning(bridge.address, 'Interrupted in mid-work'), 30_000);
    await bridge.end('SIGKILL');
    bridge = await restart(bridge, { set: ['providers.sandbox.latency_ms=0'] });
    await makeJobs(bridge.address, [
      failing('safety_rejected', 'Refused for its content'),
      failing('timeout', 'Too slow'),
      failing('upstream', 'A provider that fails'),
      failing('rate_limited', 'Olive grove after rain, woodcut'),
    ]);
  });

  it.each(THEMES_AND_SIZES)(
    'shows the failure and the next action (%s, %s)',
    async (theme, size) => {
      const page = await openPage(bridge.address, { theme, size });
      await card(page, /Interrupted in mid-work\. Interrupted/)
        .getByText('Interrupted', { exact: true })
        .waitFor();
      await page.getByText('Too many requests').waitFor();
      await page.getByText('Rejected by the provider').waitFor();

      const refused = card(page, /Refused for its content/);
      await refused.getByRole('button', { name: 'Change the prompt' }).waitFor();
      for (const unknown of [card(page, /Too slow/), card(page, /Interrupted in/)]) {
        await unknown.getByText('The image may have been made and charged for.').waitFor();
        expect(await unknown.getByRole('button', { name: 'Make again' }).count()).toBe(0);
        await unknown.getByRole('button', { name: 'Details' }).waitFor();
      }
      expect(await cutTexts(page.locator('.card-note .kind > span'))).toEqual([]);
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `card-failed-${size}-${theme}`);
    },
  );

  it('counts down until it is safe to send the request again', async () => {
    const page = await openPage(bridge.address);
    // The rehearsal ends within a second, so the reply is changed to ask for a wait of one minute.
    await page.route(/\/v1\/jobs\/[0-9a-f-]{36}$/, async (route) => {
      const reply = await route.fetch();
      const job = (await reply.json()) as { completed: number; error?: { details: object } };
      if (job.error) {
        const untilMs = Date.now() + 60_000 - job.completed * 1000;
        job.error.details = { ...job.error.details, retry_after_ms: untilMs };
      }
      await route.fulfill({ response: reply, json: job });
    });
    await page.reload();
    const waiting = card(page, /Olive grove/);
    await waiting.getByText(/Safe to make again in 0:5\d\./).waitFor();
    const again = waiting.getByRole('button', { name: 'Make again' });
    await expect.poll(() => again.isDisabled()).toBe(true);
    await keepScreenshot(page, 'card-countdown');
  });

  it('sends the request again by one press if that is safe', async () => {
    const page = await openPage(bridge.address);
    const before = (await listJobs(bridge.address, 'search=olive')).length;
    await card(page, /Olive grove/)
      .first()
      .getByRole('button', { name: 'Make again' })
      .click();
    await page.getByText('Sent again').waitFor();
    await expect
      .poll(async () => (await listJobs(bridge.address, 'search=olive')).length)
      .toBe(before + 1);
  });

  it('loads the request into the draft for editing', async () => {
    const page = await openPage(bridge.address);
    await card(page, /Refused for its content/)
      .getByRole('button', { name: 'Change the prompt' })
      .click();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await expect.poll(() => prompt.inputValue()).toBe('Refused for its content');
    await expect.poll(() => prompt.evaluate((box) => box === document.activeElement)).toBe(true);
  });
});

describe('a card of images', () => {
  let bridge: StartedBridge;

  beforeAll(async () => {
    bridge = await startDashboard();
    const ids = await makeJobs(bridge.address, [
      asked('sandbox-image', 'Nine tiles', { size: '128x128', n: 8 }),
      asked('sandbox-image', 'A ceramic bird', { size: '128x128', background: 'transparent' }),
      asked('sandbox-image', 'Desert dunes at dawn, four flat colours, low sun', {
        size: '192x128',
      }),
    ]);
    await patchJob(bridge.address, ids[0] ?? '', { favorite: true });
  });

  it.each(['light', 'dark'] as const)('shows its caption on hover (%s)', async (theme) => {
    const page = await openPage(bridge.address, { theme });
    const dunes = card(page, /Desert dunes/);
    await dunes.hover();
    await dunes.getByText(/sandbox-image, rehearsal, 192 × 128, \d\d:\d\d/).waitFor();
    await dunes.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change and make' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, `card-menu-${theme}`);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(0);
  });

  it('reports images that are no longer stored, and keeps the record', async () => {
    const page = await openPage(bridge.address, { expects: [/404/] });
    await page.route('**/thumbnail*', (route) => route.fulfill({ status: 404, json: {} }));
    await page.reload();
    await card(page, /Desert dunes/)
      .getByText('No longer stored')
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'card-removed');
  });

  it('shows hostile text as text', async () => {
    const bomb = '<img src=x onerror=alert(1)> \u202Egpj.exe \u200b'.concat('word'.repeat(3000));
    await makeJobs(bridge.address, [
      asked('sandbox-image', bomb.slice(0, 12_000), { size: '128x128' }),
      failing('upstream', bomb.slice(0, 12_000)),
    ]);
    for (const size of ['desktop', 'phone'] as const) {
      const page = await openPage(bridge.address, { size });
      const hostile = card(page, /onerror=alert/).first();
      await hostile.hover();
      await keepScreenshot(page, `card-hostile-${size}`);
      expect(await page.evaluate(() => document.querySelector('img[src="x"]'))).toBeNull();
      const [box, view] = [await hostile.boundingBox(), page.viewportSize()];
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(view?.width ?? 0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(view?.width);
    }
  });
});

describe('an unfinished image whose size the model chooses', () => {
  it('has its own shape in the gallery and in the view of the job', async () => {
    const bridge = await startDashboard({ set: ['providers.sandbox.latency_ms=12000'] });
    const tall = await sharp({
      create: { width: 400, height: 600, channels: 3, background: '#336699' },
    })
      .png()
      .toBuffer();
    const page = await openPage(bridge.address);
    const [id] = await submitJobs(bridge.address, [
      {
        operation: 'edit',
        prompt: 'A tall tower',
        images: [
          { type: 'data_url', data_url: `data:image/png;base64,${tall.toString('base64')}` },
        ],
        parameters: { partial_images: 3 },
      },
    ]);
    const shapeOf = (selector: string) =>
      page.locator(selector).evaluate((image) => image.clientWidth / image.clientHeight);
    await page.locator('.open-card.with-image img').waitFor();
    await expect.poll(() => shapeOf('.open-card.with-image img')).toBeCloseTo(2 / 3, 1);

    await page.goto(`${bridge.address}/dashboard/jobs/${id}`);
    await page.locator('.open-stage img').waitFor();
    await expect.poll(() => shapeOf('.open-stage img')).toBeCloseTo(2 / 3, 1);
  });
});
