import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type StartedBridge, stateOf } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { restart, startDashboard } from './support/dashboard.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { press } from './support/press.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs, patchJob, submitJobs } from './support/submit-jobs.ts';

const HOSTILE = '<img src=x onerror=alert(1)> \u202eflipped\u202c \u200bzero '
  .repeat(200)
  .slice(0, 9000);
const UNKNOWN_ID = '0199f0a0-0000-7000-8000-000000000001';

let bridge: StartedBridge;
let single: string;
let edit: string;
let refused: string;
let hostile: string;
let clear: string;

beforeAll(async () => {
  bridge = await startDashboard();
  const photo = await readFile(new URL('../data/photos/coffee.png', import.meta.url));
  const source = {
    type: 'data_url',
    data_url: `data:image/png;base64,${photo.toString('base64')}`,
  };
  [single = '', edit = '', refused = '', hostile = '', clear = ''] = await makeJobs(
    bridge.address,
    [
      { prompt: 'A lighthouse at dusk', parameters: { size: '768x512' } },
      {
        operation: 'edit',
        prompt: 'The same cup, risograph in two inks',
        images: [{ ...source, filename: 'coffee.png' }],
        parameters: { n: 3, quality: 'max' },
        policies: { compatibility: 'normalize' },
        metadata: { project: 'posters' },
      },
      {
        prompt: 'A knot that is refused',
        routing: { provider: 'sandbox', model: 'sandbox-fail-safety_rejected' },
      },
      { prompt: HOSTILE, parameters: { size: '128x128' } },
      { prompt: 'A ceramic bird', parameters: { size: '256x256', background: 'transparent' } },
    ],
  );
});

type Options = Parameters<typeof openPage>[1];

async function openJob(id: string, search = '', options: Options = {}): Promise<Page> {
  const page = await openPage(bridge.address, {
    ...options,
    path: `/dashboard/jobs/${id}${search}`,
  });
  await page.getByRole('complementary', { name: 'About this job' }).waitFor();
  return page;
}

/** Waits until the images in view have been loaded. */
async function seen(page: Page): Promise<void> {
  await page.locator('.job-screen main img').first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector('.job-screen .coming') === null &&
      [...document.querySelectorAll<HTMLImageElement>('.job-screen img')].every(
        (image) => image.complete && image.naturalWidth > 0,
      ),
  );
}

const search = (page: Page) => new URL(page.url()).searchParams;
const stage = (page: Page) => page.getByRole('main');
const thumb = (page: Page, name: string | RegExp) =>
  page.getByRole('group', { name: 'Images of this job' }).getByRole('button', { name });
const zoomOf = (page: Page) =>
  page
    .locator('.image-layer .zoomed')
    .evaluateAll((layers) => layers.map((layer) => (layer as HTMLElement).style.transform));
const jobOf = async (id: string) =>
  (await (await fetch(`${bridge.address}/v1/jobs/${id}`)).json()) as {
    readonly status: string;
    readonly favorite: boolean;
    readonly deleted?: number;
  };

/** Returns the name of the only image of a job, below the artifact root. */
async function nameOf(address: string, id: string): Promise<string> {
  const reply = await fetch(`${address}/v1/jobs/${id}`);
  const job = (await reply.json()) as { result: { data: readonly { name: string }[] } };
  return job.result.data[0]?.name ?? '';
}

describe('a job', () => {
  const looks = [
    ['single', ''],
    ['grid', '?view=grid'],
    ['side', '?view=side'],
    ['slider', '?view=slider&a=source&b=2'],
  ] as const;

  it.each(
    looks.flatMap(([name, query]) => [
      [name, query, 'light', 'desktop'] as const,
      [name, query, 'dark', 'phone'] as const,
    ]),
  )('is shown without problems: %s%s (%s, %s)', async (name, query, theme, size) => {
    const page = await openJob(edit, query, { theme, size });
    await seen(page);

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await keepScreenshot(page, `job-${name}-${theme}-${size}`);
  });

  it.each([
    ['dark', 'desktop'],
    ['light', 'phone'],
  ] as const)('shows first why it was rejected (%s, %s)', async (theme, size) => {
    const page = await openJob(refused, '', { theme, size });

    await stage(page).getByRole('heading', { name: 'Rejected by the provider' }).waitFor();
    await stage(page).getByRole('button', { name: 'Change the prompt' }).waitFor();
    // The same request would be rejected again.
    expect(await page.getByRole('button', { name: 'Make again' }).count()).toBe(0);
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('safety_rejected', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, `job-refused-${theme}-${size}`);
  });

  it('shows a hostile prompt of 9,000 characters completely and as text', async () => {
    const page = await openJob(hostile, '', { size: { width: 360, height: 740 } });
    await seen(page);

    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    const about = page.getByRole('complementary', { name: 'About this job' });
    await about.getByText('Show all').first().click();
    await keepScreenshot(page, 'job-hostile');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('folds a long prompt and a long revision, and unfolds them on request', async () => {
    const prompt = 'A harbour at dawn, cut from layered paper, three blues and one orange. '.repeat(
      8,
    );
    const [id = ''] = await makeJobs(bridge.address, [{ prompt, parameters: { size: '64x64' } }]);
    const page = await openJob(id);
    const folded = page.locator('.inspector details.long');
    await expect.poll(() => folded.count()).toBe(2);
    const before = await folded.last().boundingBox();
    expect(before?.height).toBeLessThan(7 * 22 + 30);

    await folded.last().getByText('Show all').click();

    await expect.poll(async () => (await folded.last().boundingBox())?.height).toBeGreaterThan(200);
  });

  it('waits in the bar as long as on the stage before it is made again', async () => {
    const [id = ''] = await makeJobs(bridge.address, [
      {
        prompt: 'Too many',
        routing: { provider: 'sandbox', model: 'sandbox-fail-rate_limited' },
      },
    ]);
    const page = await openPage(bridge.address);
    // The rehearsal ends within a second, so the reply is changed to ask for a wait of one minute.
    await page.route(new RegExp(`/v1/jobs/${id}$`), async (route) => {
      const reply = await route.fetch();
      const job = (await reply.json()) as { completed: number; error: { details: object } };
      const untilMs = Date.now() + 60_000 - job.completed * 1000;
      job.error.details = { ...job.error.details, retry_after_ms: untilMs };
      await route.fulfill({ response: reply, json: job });
    });
    await page.goto(`${bridge.address}/dashboard/jobs/${id}`);
    await page.getByText(/Safe to make again in 0:5\d\./).waitFor();

    const again = page.getByRole('button', { name: 'Make again' });
    expect(await again.count()).toBe(2);
    for (const button of await again.all()) await expect.poll(() => button.isDisabled()).toBe(true);
  });

  it('shows how to log in if its provider has no login', async () => {
    const [id = ''] = await makeJobs(bridge.address, [
      {
        prompt: 'No login',
        routing: { provider: 'sandbox', model: 'sandbox-fail-authentication' },
      },
    ]);
    const page = await openJob(id);

    await stage(page).getByRole('button', { name: 'Show how' }).click();

    await page.waitForURL('**/dashboard/system#providers');
  });

  it('shows a transparent image on a pattern', async () => {
    const page = await openJob(clear);
    await seen(page);

    await expect.poll(() => page.locator('.image-layer img.on-pattern').count()).toBe(1);
    await page.getByText('Background', { exact: true }).waitFor();
    await keepScreenshot(page, 'job-transparent');
  });

  it.each(['no-job', UNKNOWN_ID])(
    'is reported as not found if it does not exist (%s)',
    async (id) => {
      const page = await openPage(bridge.address, {
        path: `/dashboard/jobs/${id}`,
        expects: [/status of 404/],
      });

      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.getByRole('button', { name: 'Go to the images' }).click();
      await page.waitForURL(/\/dashboard$/);
    },
  );
});

describe('the zoom of a job', () => {
  it('is shared by both images, and is changed by wheel, buttons, keys and double click', async () => {
    const page = await openJob(edit, '?view=side');
    await seen(page);
    const whole = 'translate(0px, 0px) scale(1)';
    const seesWhole = () => expect.poll(() => zoomOf(page)).toEqual([whole, whole]);
    const seesScale = async (scale: number) => {
      const zoomed = expect.stringContaining(`scale(${scale})`);
      await expect.poll(() => zoomOf(page)).toEqual([zoomed, zoomed]);
    };
    await seesWhole();

    const pane = page.getByRole('group', { name: 'Source' });
    await pane.hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(async () => (await zoomOf(page))[0]).not.toBe(whole);
    const [a, b] = await zoomOf(page);
    expect(b).toBe(a);
    await keepScreenshot(page, 'job-zoomed');

    await page.getByRole('button', { name: /Fit$/ }).click();
    await seesWhole();
    await page.keyboard.press('+');
    await seesScale(1.5);
    await page.keyboard.press('0');
    await seesWhole();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await seesScale(1.5);
    await page.keyboard.press('-');
    await seesWhole();
    await pane.dblclick();
    await seesScale(3);
    await pane.dblclick();
    await seesWhole();
  });

  it('moves the view by arrows while the image has the focus', async () => {
    const page = await openJob(edit);
    await seen(page);
    await page.keyboard.press('+');
    await expect.poll(async () => (await zoomOf(page))[0]).toContain('scale(1.5)');
    const [before] = await zoomOf(page);

    await page.getByRole('group', { name: 'Image 1' }).focus();
    await page.keyboard.press('ArrowRight');

    await expect.poll(async () => (await zoomOf(page))[0]).not.toBe(before);
    expect(await page.evaluate(() => location.href)).toContain(edit);
  });
});

describe('an enormous image', () => {
  it('is shown as its preview, with a note when it is zoomed', async () => {
    const path = `/dashboard/jobs/${clear}`;
    const page = await openPage(bridge.address);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    // No provider in this test makes so many pixels, so the reply of the bridge is changed on its way.
    await page.route(/\/v1\/jobs(\/[^/]+|\?.*)$/, async (route) => {
      if (route.request().url().endsWith('/events')) return route.continue();
      const reply = await route.fetch();
      const body = (await reply.text()).replaceAll(/"(width|height)":\d+/g, '"$1":16384');
      return route.fulfill({ response: reply, body });
    });
    await page.goto(bridge.address + path);
    await seen(page);

    for (const _ of Array(6)) await page.keyboard.press('+');

    await page.getByText('Reduced to 2,048 of 16,384 pixels').waitFor();
    expect(asked.filter((each) => /^\/v1\/artifacts\/[^/]+$/.test(each))).toEqual([]);
  });
});

describe('a comparison', () => {
  it('is divided by a line that arrows and the mouse move', async () => {
    const page = await openJob(edit, '?view=slider&a=source&b=2');
    await seen(page);
    const divider = page.getByRole('slider', { name: 'Divider' });

    await divider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('PageDown');
    await expect.poll(() => divider.getAttribute('aria-valuenow')).toBe('39');
    const box = await divider.boundingBox();
    if (box === null) throw new Error('the divider is not seen');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + box.height / 2);
    await page.mouse.up();

    await expect
      .poll(async () => Number(await divider.getAttribute('aria-valuenow')))
      .toBeGreaterThan(50);
    expect(await page.evaluate(() => location.href)).toContain(edit);
  });

  it('changes its images by the strip, and swaps them', async () => {
    const page = await openJob(edit, '?view=side');
    await thumb(page, 'A: Source').waitFor();

    await thumb(page, 'Image 3').click();
    await thumb(page, 'B: Image 3').waitFor();
    await page.keyboard.press('s');
    await thumb(page, 'A: Image 3').waitFor();
    await thumb(page, 'B: Source').waitFor();
    await thumb(page, 'Image 2').click();

    await expect.poll(() => [search(page).get('a'), search(page).get('b')]).toEqual(['3', '2']);
  });

  it('shows the image of another job beside this one', async () => {
    const page = await openJob(single, `?view=side&b=${clear}`);
    await thumb(page, 'B: Other job').waitFor();
    await seen(page);

    await expect.poll(() => page.getByRole('group', { name: 'Other job' }).count()).toBe(1);
  });
});

describe('the keys of a job', () => {
  it('change the view and the output of the job', async () => {
    const page = await openJob(edit);
    await seen(page);

    await page.keyboard.press('2');
    await page.getByRole('button', { name: 'Show Image 2' }).waitFor();
    await page.keyboard.press('4');
    await page.getByRole('slider').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('group', { name: 'Image 2' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('group', { name: 'Image 1' }).waitFor();
  });

  it('move the focus to the chosen view, and compare the first image as A with the second as B', async () => {
    const page = await openJob(edit);
    await page.getByRole('radio', { name: 'Grid' }).click();

    await page.keyboard.press('3');

    const side = page.getByRole('radio', { name: 'Side by side' });
    await expect.poll(() => side.evaluate((radio) => radio === document.activeElement)).toBe(true);
    await page.getByText('A Source').waitFor();
  });

  it('lead from job to job in the order of the gallery, and back to the starting point', async () => {
    const page = await openPage(bridge.address);
    const card = page.getByRole('link', { name: /^The same cup/ });
    await card.focus();
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { level: 1 });
    await expect.poll(() => heading.last().textContent()).toMatch(/^The same cup/);
    await seen(page);

    await page.keyboard.press('ArrowRight');
    await expect.poll(() => heading.last().textContent()).toBe('A lighthouse at dusk');
    await seen(page);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => heading.last().textContent()).toMatch(/^The same cup/);
    await seen(page);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => heading.last().textContent()).toBe('A knot that is refused');
    await page.keyboard.press('Escape');

    await page.waitForURL(/\/dashboard$/);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toMatch(/^The same cup/);
  });
});

describe('the way back from a job', () => {
  it('works as soon as the job is rendered', async () => {
    const page = await openPage(bridge.address);
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelector('.job-screen') === null) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        Object.assign(globalThis, { isPressed: true });
      }).observe(document.body, { childList: true, subtree: true });
    });

    await page.getByRole('link', { name: /^The same cup/ }).click();
    await page.waitForFunction(() => 'isPressed' in globalThis);

    await page.waitForURL(/\/dashboard$/);
  });

  it('is one step, however often it is pressed', async () => {
    const page = await openPage(bridge.address);
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.getByRole('link', { name: /^The same cup/ }).click();
    await seen(page);

    // Both presses are in one task, so that the second one is handled before the first one has any effect.
    await page.evaluate(() => {
      const press = () => new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
      document.body.dispatchEvent(press());
      document.body.dispatchEvent(press());
    });

    await page.waitForURL(/\/dashboard$/);
    await page.evaluate(() => fetch('/health/live'));
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  });
});

describe('the actions on a job', () => {
  it('mark it as a favourite, hide it and restore it', async () => {
    const [id = ''] = await makeJobs(bridge.address, [
      { prompt: 'Put away and back', parameters: { size: '64x64' } },
    ]);
    const page = await openJob(id);
    await seen(page);

    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
    expect((await jobOf(id)).favorite).toBe(true);
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('This job is hidden from the images.').waitFor();
    await keepScreenshot(page, 'job-hidden');
    await page.keyboard.press('z');
    await page.getByText('This job is hidden from the images.').waitFor({ state: 'detached' });
    expect(await jobOf(id)).not.toHaveProperty('deleted');
  });

  it('restore a hidden job that was opened by its link', async () => {
    const [id = ''] = await makeJobs(bridge.address, [
      { prompt: 'Put away', parameters: { size: '64x64' } },
    ]);
    await patchJob(bridge.address, id, { deleted: true });
    const page = await openJob(id);

    await page.getByText('This job is hidden from the images.').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Restore' }).click();

    await expect.poll(async () => 'deleted' in (await jobOf(id))).toBe(false);
    await page.getByRole('button', { name: 'Hide' }).waitFor();
  });

  it('save one image under its name, and several images as a zip', async () => {
    const page = await openJob(single);
    await seen(page);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.png$/);
    expect((await readFile(await file.path())).subarray(1, 4).toString()).toBe('PNG');

    const many = await openJob(edit);
    await many.evaluate('delete window.showSaveFilePicker; 0');
    await seen(many);
    await many.getByRole('button', { name: 'Download' }).click();
    const [zip] = await Promise.all([
      many.waitForEvent('download'),
      many.getByRole('menuitem', { name: /All 3 images/ }).click(),
    ]);
    expect(zip.suggestedFilename()).toBe(`${edit}.zip`);
    expect((await readFile(await zip.path())).subarray(0, 2).toString()).toBe('PK');
  });

  it('send it again with its input images', async () => {
    const before = (await listJobs(bridge.address)).length;
    const page = await openJob(edit);
    await seen(page);

    await page.getByRole('button', { name: 'Make again' }).click();
    await press(
      page.locator('.toast', { hasText: 'Sent again' }).getByRole('button', { name: 'Show' }),
    );

    await page.waitForURL((url) => !url.href.includes(edit));
    expect((await listJobs(bridge.address)).length).toBe(before + 1);
    await page.getByText('Edit of coffee.png').waitFor();
    await seen(page);
  });

  it('use an output as the source of an edit', async () => {
    const page = await openJob(edit, '?b=2');
    await seen(page);

    await page.keyboard.press('e');

    await page.waitForURL(/\/dashboard$/);
    const panel = page.getByRole('complementary', { name: 'New image' });
    await panel.getByText('Source', { exact: true }).waitFor();
    // The name is the name that the gallery gives to the image.
    await panel.getByText(`the-same-cup-risograph-in-two-${edit.slice(-6)}-2.png`).waitFor();
    await expect.poll(() => panel.getByRole('listitem').count()).toBe(1);
  });

  it('load a rejected request into the draft', async () => {
    const page = await openJob(refused);

    await page.getByRole('button', { name: 'Change the prompt' }).click();

    await page.waitForURL(/\/dashboard$/);
    await expect
      .poll(() => page.getByLabel('Prompt', { exact: true }).inputValue())
      .toBe('A knot that is refused');
  });

  it('copy its prompt and code, and confirm it', async () => {
    const page = await openJob(single);
    const about = page.getByRole('complementary', { name: 'About this job' });

    await about.getByRole('radio', { name: 'Python' }).click();
    await about.getByRole('button', { name: 'Code', exact: true }).click();
    await page.getByText('Code copied').waitFor();
    // Pasting inserts the copied text.
    await page.evaluate("document.body.append(document.createElement('textarea')); 0");
    await page.locator('body > textarea').focus();
    await page.keyboard.press('Control+v');
    await expect
      .poll(() => page.locator('body > textarea').inputValue())
      .toContain('from urllib.request import Request, urlopen');

    expect(await about.getByRole('region', { name: 'Code' }).textContent()).toContain(
      'from urllib.request import Request, urlopen',
    );
  });
});

function setPaused(address: string, paused: boolean): Promise<Response> {
  return fetch(`${address}/v1/queue`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ paused }),
  });
}

/** Opens the view of a job that waits because the queue of its bridge is paused. */
async function openWaitingJob(options: Options = {}) {
  const paused = await startDashboard();
  await setPaused(paused.address, true);
  const [id = ''] = await submitJobs(paused.address, [{ prompt: 'A patient river' }]);
  const page = await openPage(paused.address, { ...options, path: `/dashboard/jobs/${id}` });
  await stage(page).getByText('Queue paused').first().waitFor();
  return { paused, page, id };
}

/** Cancels a job as another client does. Resolves with the id for the undo. */
async function cancelByApi(address: string, id: string): Promise<string> {
  const reply = await fetch(`${address}/v1/jobs/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'cancel', ids: [id] }),
  });
  return ((await reply.json()) as { readonly undo: { readonly id: string } }).undo.id;
}

/** Returns the id of the job that retries a job. */
async function retryOf(address: string, id: string): Promise<string | undefined> {
  const reply = await fetch(`${address}/v1/jobs/${id}`);
  return ((await reply.json()) as { readonly retried_as?: string }).retried_as;
}

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

describe('a job that has not ended', () => {
  it('shows its stage, and is cancelled by a second press while it runs', async () => {
    const [id = ''] = await submitJobs(bridge.address, [
      {
        prompt: 'A river that never ends',
        parameters: { size: '1536x1024' },
        routing: { provider: 'sandbox', model: 'sandbox-hang' },
      },
    ]);
    const page = await openJob(id);

    await stage(page).getByText('Sent').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'job-running');
    const tools = page.locator('.job-bar .tools').getByRole('button');
    await expect.poll(() => tools.first().textContent()).toBe('Cancel');
    await tools.first().click();
    await page.getByRole('button', { name: 'Press again to cancel' }).waitFor();
    // Both presses are repeated, because the first one expires after three seconds.
    await press(tools.first(), 2);

    await stage(page).getByRole('heading', { name: 'Cancelled' }).waitFor();
    await keepScreenshot(page, 'job-cancelled');
  });

  it('is cancelled by one press while it waits, and its request is queued again by Undo', async () => {
    const { paused, page } = await openWaitingJob();

    await page.getByRole('button', { name: 'Cancel', exact: true }).click();

    await stage(page).getByRole('heading', { name: 'Cancelled' }).waitFor();
    expect(await listJobs(paused.address, 'status=queued')).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(async () => (await listJobs(paused.address, 'status=queued')).map((job) => job.prompt))
      .toEqual(['A patient river']);
  });

  it('says on its stage and beside it that the queue is paused', async () => {
    const { paused, page } = await openWaitingJob();

    await page.locator('.verdict').getByText('Queue paused').waitFor();
    await setPaused(paused.address, false);
    await page.getByText('Queue paused').first().waitFor({ state: 'detached' });
  });

  it('shows its unfinished image, counts its finished images, and then shows them', async () => {
    const slow = await startDashboard({ set: ['providers.sandbox.latency_ms=6000'] });
    const [id = ''] = await submitJobs(slow.address, [
      {
        prompt: 'Slow',
        parameters: { n: 5, size: '512x512', partial_images: 3 },
        policies: { batch_execution: 'sequential' },
      },
    ]);
    const page = await openPage(slow.address, { path: `/dashboard/jobs/${id}` });

    await page.getByRole('img', { name: 'Unfinished image' }).waitFor();
    await stage(page).getByText(', 4 of 5').first().waitFor();
    await keepScreenshot(page, 'job-partial');
    await page.getByRole('img', { name: 'Image 1' }).waitFor();
    await page.getByRole('button', { name: 'Download' }).waitFor();
  });
});

describe('a job that was cancelled before it started', () => {
  it.each(['button', 'key'] as const)(
    'is left for the job that takes its place after Undo in its view, and Back skips it (%s)',
    async (way) => {
      const { paused, page, id } = await openWaitingJob();
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('link', { name: /^A patient river/ }).click();
      await stage(page).getByText('Queue paused').first().waitFor();
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await stage(page).getByRole('heading', { name: 'Cancelled' }).waitFor();

      if (way === 'key') await page.keyboard.press('z');
      else await page.getByRole('button', { name: 'Undo' }).click();

      await stage(page).getByText('Queue paused').first().waitFor();
      const [anew] = await listJobs(paused.address, 'status=queued');
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/jobs/${anew?.id}`);
      expect(anew?.id).not.toBe(id);
      await expect.poll(() => focusedText(page)).toBe('A patient river');
      await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: /^A patient river/ }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/dashboard');
    },
  );

  it.each(THEMES_AND_SIZES)(
    'links to its new job if someone else has queued its request again (%s, %s)',
    async (theme, size) => {
      const { paused, page, id } = await openWaitingJob({ theme, size });
      const undoId = await cancelByApi(paused.address, id);
      await stage(page).getByRole('heading', { name: 'Cancelled' }).waitFor();

      await fetch(`${paused.address}/v1/jobs/batch/${undoId}/undo`, { method: 'POST' });

      const about = page.getByRole('complementary', { name: 'About this job' });
      await about.getByText('This request was queued again as a new job.').waitFor();
      await about.getByText('This job is hidden from the images.').waitFor();
      expect(new URL(page.url()).pathname).toBe(`/dashboard/jobs/${id}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      await keepScreenshot(page, `job-queued-again-${theme}-${size}`);
      await stage(page).getByRole('link', { name: 'Show the new job' }).click();
      await stage(page).getByText('Queue paused').first().waitFor();
      const [anew] = await listJobs(paused.address, 'status=queued');
      expect(new URL(page.url()).pathname).toBe(`/dashboard/jobs/${anew?.id}`);
      await about.getByRole('link', { name: 'the earlier job' }).waitFor();
      await page.goBack();
      await stage(page).getByRole('link', { name: 'Show the new job' }).waitFor();
    },
  );

  it('leads nowhere if another view is opened before its undo is answered', async () => {
    const { paused, page, id } = await openWaitingJob();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await stage(page).getByRole('heading', { name: 'Cancelled' }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/undo', async (route) => {
      await held.promise;
      await route.continue();
    });

    await page.keyboard.press('z');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^A patient river/ }).waitFor();
    held.resolve();

    await expect.poll(async () => (await listJobs(paused.address, 'status=queued')).length).toBe(1);
    await expect.poll(() => retryOf(paused.address, id)).toEqual(expect.any(String));
    await page.getByRole('link', { name: /^A patient river.*queued/i }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
  });
});

describe('a lost image', () => {
  it('is reported with the reason: the file was removed or changed', async () => {
    const own = await startDashboard();
    const [removed = '', changed = ''] = await makeJobs(own.address, [
      { prompt: 'Removed', parameters: { size: '64x64' } },
      { prompt: 'Changed', parameters: { size: '64x64' } },
    ]);
    const names = await Promise.all([removed, changed].map((id) => nameOf(own.address, id)));
    const files = names.map((name) => join(stateOf(own.cwd).artifacts, name));
    await rm(files[0] ?? '');
    await appendFile(files[1] ?? '', 'more');

    for (const id of [removed, changed]) {
      const page = await openPage(own.address, {
        path: `/dashboard/jobs/${id}`,
        expects: [/status of 500/],
      });
      await stage(page).getByText('The image file is missing or changed').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, id === removed ? 'job-removed' : 'job-corrupt');
    }
  });

  it('is loaded when the bridge is reachable again', async () => {
    const own = await startDashboard();
    const [id = '', next = ''] = await makeJobs(own.address, [
      { prompt: 'Before', parameters: { size: '64x64' } },
      { prompt: 'After', parameters: { size: '64x64' } },
    ]);
    const page = await openPage(own.address, {
      path: `/dashboard/jobs/${next}`,
      expects: [/net::ERR_|503/],
    });
    await page.getByRole('img', { name: 'Image' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).and(page.locator(':enabled')).waitFor();

    await own.end();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    await keepScreenshot(page, 'job-offline');
    await restart(own);

    await page.getByRole('img', { name: 'Image' }).waitFor();
    await expect.poll(() => page.url()).toContain(id);
  });
});

describe('a job with labels and notes in several scripts', () => {
  const ARABIC = 'بحيرة في الليل';
  const MARKS = 'Z\u0351\u036b\u0343\u036aa\u0302\u036blgo';
  const NOTE = `ملاحظة مع English و 123\nनोट देवनागरी में\n${MARKS}\na fourth line`;

  it.each(['desktop', 'phone'] as const)(
    'shows its labels as links to the jobs with the label, and the whole note, on a %s',
    async (size) => {
      const labels = [ARABIC, 'नीली झील', MARKS, 'étude'];
      const [id] = await makeJobs(bridge.address, [{ prompt: 'A labelled heron', labels }]);
      const page = await openPage(bridge.address, {
        ...{ path: `/dashboard/jobs/${id}`, size, touch: size === 'phone' },
      });
      const section = page.locator('.labels-section');
      await section.waitFor();

      expect(await section.getByRole('link').allInnerTexts()).toEqual(
        labels.map((label) => label.normalize('NFC')),
      );
      const note = page.getByRole('textbox', { name: 'Note' });
      await note.fill(NOTE);
      await page.getByRole('heading', { name: 'Requested and delivered' }).click();
      await page.getByText('Note saved').waitFor();
      expect(await note.evaluate((field) => field.scrollHeight - field.clientHeight)).toBe(0);
      await section.scrollIntoViewIfNeeded();
      await keepScreenshot(page, `job-labels-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await section.getByRole('link', { name: ARABIC }).click();

      await expect.poll(() => new URL(page.url()).searchParams.get('label')).toBe(ARABIC);
      await page.getByText(/^\d+ found/).waitFor();
    },
  );
});
