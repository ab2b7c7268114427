import type { Locator, Page, Route } from 'playwright-core';
import sharp, { type Region } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { keptImages } from './support/kept-images.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
let source: string;

beforeAll(async () => {
  bridge = await startDashboard();
  [source = ''] = await makeJobs(bridge.address, [
    { prompt: 'A lighthouse at dusk', parameters: { size: '384x256' } },
  ]);
  const upper = { left: 0, top: 0, width: 384, height: 64 };
  const left = { left: 0, top: 0, width: 192, height: 256 };
  const edit = await masked(source, 'A sky with a moon', upper);
  await masked(source, 'A cliff on the left', left);
  // The mask of a relative, which was sent before.
  await masked(edit, 'A cliff with gulls', left);
});

/** Edits the image of a job where a rectangle of the image may change. Resolves with the id of the edit. */
async function masked(job: string, prompt: string, hole: Region): Promise<string> {
  const found = (await listJobs(bridge.address)).find(({ id }) => id === job);
  const mask = await sharp({
    create: { width: 384, height: 256, channels: 4, background: '#f80' },
  })
    .composite([{ input: await emptyOf(hole), left: hole.left, top: hole.top, blend: 'dest-out' }])
    .png()
    .toBuffer();
  const [id = ''] = await makeJobs(bridge.address, [
    {
      ...{ operation: 'edit', prompt },
      images: [{ type: 'artifact', artifact_id: found?.artifacts[0]?.id }],
      mask: { type: 'base64', data: mask.toString('base64') },
    },
  ]);
  return id;
}

function emptyOf({ width, height }: Region): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background: '#fff' } })
    .png()
    .toBuffer();
}

type Options = NonNullable<Parameters<typeof openPage>[1]>;

const editor = (page: Page) => page.locator('.canvas-editor');
const button = (page: Page, name: string) =>
  editor(page).getByRole('button', { name, exact: true });
const radio = (page: Page, name: string) =>
  editor(page).getByRole('radio', { name: new RegExp(`^${name}`) });
const surface = (page: Page) => editor(page).getByRole('img', { name: /^Mask for/ });
/** Presses the button that sends. Its name ends with its key. */
const send = (page: Page, name: string) =>
  editor(page)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
const field = (page: Page, name: string) => editor(page).getByLabel(name, { exact: true });
/** The masks that the canvas offers. */
const offered = (page: Page) => editor(page).getByRole('button', { name: /^Mask of/ });
const share = async (page: Page) =>
  Number((await editor(page).locator('.share').textContent())?.replace(/ %.*/, ''));

/** Opens the image of the job on the canvas. */
async function openCanvas(options: Options = {}): Promise<Page> {
  const page = await openPage(bridge.address, { path: `/dashboard/jobs/${source}`, ...options });
  const narrow = (page.viewportSize()?.width ?? 0) < 900;
  if (narrow) await page.getByRole('button', { name: 'More', exact: true }).click();
  await page
    .getByRole(narrow ? 'menuitem' : 'button', { name: 'Mask, extend or crop' })
    .first()
    .click();
  await surface(page).waitFor();
  await expect.poll(() => editor(page).locator('.zoom-bar .whole').textContent()).not.toBe('0 %');
  return page;
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('the element is not shown');
  return box;
}

/** Moves the pressed pointer between positions, which are fractions of the image. */
async function drag(page: Page, ...places: readonly (readonly [number, number])[]): Promise<void> {
  const box = await boxOf(editor(page).locator('canvas.source'));
  const at = ([x, y]: readonly [number, number]) =>
    [box.x + x * box.width, box.y + y * box.height] as const;
  const [first = [0.5, 0.5], ...rest] = places;
  await page.mouse.move(...at(first));
  await page.mouse.down();
  for (const place of rest) await page.mouse.move(...at(place), { steps: 6 });
  await page.mouse.up();
}

/** Waits for the job with the prompt, and resolves with its first image. */
async function imageOf(prompt: string): Promise<{ id: string; artifact: string } & object> {
  const found = async () => {
    const reply = await fetch(`${bridge.address}/v1/jobs?status=succeeded`);
    const { items } = (await reply.json()) as {
      items: { id: string; prompt: string; artifacts: { id: string }[] }[];
    };
    const job = items.find((each) => each.prompt === prompt);
    const [artifact] = job?.artifacts ?? [];
    return job && artifact && { ...artifact, id: job.id, artifact: artifact.id };
  };
  await expect.poll(found, { timeout: 60_000 }).toBeDefined();
  return (await found()) ?? { id: '', artifact: '' };
}

async function bytesOf(path: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${bridge.address}${path}`)).arrayBuffer());
}

async function alphaAt(mask: Buffer, x: number, y: number): Promise<number | undefined> {
  const { data, info } = await sharp(mask).raw().toBuffer({ resolveWithObject: true });
  return data[(y * info.width + x) * info.channels + 3];
}

describe('the canvas', () => {
  it.each([
    ['light', 390],
    ['dark', 390],
    ['light', 768],
    ['dark', 1280],
    ['light', 1440],
    ['dark', 1440],
    ['dark', 1920],
  ] as const)('has no problems in the %s theme at %d pixels', async (theme, width) => {
    const page = await openCanvas({
      theme,
      size: { width, height: width < 500 ? 844 : 900 },
      touch: width < 900,
    });
    await drag(page, [0.3, 0.3], [0.5, 0.4]);
    await editor(page).locator('.family-masks').scrollIntoViewIfNeeded();
    await expect.poll(() => editor(page).locator('.mask-shape img').count()).toBe(2);

    for (const mode of ['Mask', 'Extend', 'Crop']) {
      await radio(page, mode).click();
      if (mode !== 'Mask') await radio(page, '16:9').click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `canvas-${mode.toLowerCase()}-${theme}-${width}`);
    }
    const outside = await editor(page)
      .locator('button')
      .evaluateAll((buttons) =>
        buttons
          .filter((each) => {
            const { left, right } = each.getBoundingClientRect();
            return left < 0 || right > innerWidth;
          })
          .map((each) => each.getAttribute('aria-label') ?? each.textContent),
      );
    expect(outside).toEqual([]);
  });

  it('extends the image by keys and numbers, hatches the new part and shows the job', async () => {
    const page = await openCanvas();
    await radio(page, 'Extend').click();
    await button(page, 'Left edge').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => field(page, 'From the left').inputValue()).toBe('-72');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => field(page, 'Width').inputValue()).toBe('448');
    await field(page, 'Width').fill('0');
    await editor(page)
      .getByText('Enter whole pixels of a rectangle that touches the image.')
      .waitFor();
    await field(page, 'Width').fill('512');
    await expect.poll(() => share(page)).toBe(25);
    await editor(page).getByLabel('Prompt').fill('more sky');
    await editor(page).getByText('1 call to sandbox-image.').waitFor();
    await page.keyboard.press('Control+Enter');

    await editor(page).waitFor({ state: 'hidden' });
    const made = await imageOf('more sky');
    expect(made).toMatchObject({ width: 512, height: 256 });
    expect(new URL(page.url()).pathname).toBe(`/dashboard/jobs/${made.id}`);
  });

  it('sends the mask on the canvas, with the new part and its soft edge', async () => {
    const page = await openCanvas();
    await page.keyboard.press('r');
    await drag(page, [0.5, 0.25], [0.75, 0.75]);
    await radio(page, 'Extend').click();
    await field(page, 'From the left').fill('-64');
    await field(page, 'Width').fill('448');
    await editor(page).getByRole('slider', { name: 'Feather' }).fill('12');
    await editor(page).getByLabel('Prompt').fill('a masked sky');
    await editor(page).getByText('1 call to sandbox-image.').waitFor();
    await send(page, 'Extend the image');

    const { id } = await imageOf('a masked sky');
    const mask = await bytesOf(`/v1/jobs/${id}/inputs/1`);
    expect(await sharp(mask).metadata()).toMatchObject({ width: 448, height: 256 });
    const edge = (await alphaAt(mask, 64 + 192, 128)) ?? 0;
    expect([await alphaAt(mask, 10, 10), await alphaAt(mask, 63, 200)]).toEqual([0, 0]);
    expect([await alphaAt(mask, 66, 10), await alphaAt(mask, 64 + 240, 128)]).toEqual([255, 0]);
    expect(edge).toBeGreaterThan(60);
    expect(edge).toBeLessThan(200);
  });

  it('crops without a prompt and without a call, with exact pixels', async () => {
    const page = await openCanvas();
    await radio(page, 'Crop').click();
    await editor(page).getByText('Move an edge, or choose a shape.').waitFor();
    await radio(page, '1:1').click();
    await radio(page, 'Left').click();
    await editor(page).getByText('256 × 256 pixels of the image.').waitFor();
    await send(page, 'Crop the image');

    const made = await imageOf('Crop');
    expect(made).toMatchObject({ width: 256, height: 256 });
    const job = (await (await fetch(`${bridge.address}/v1/jobs/${source}`)).json()) as {
      result: { data: { id: string }[] };
    };
    const original = await bytesOf(`/v1/artifacts/${job.result.data[0]?.id}`);
    const cropped = await bytesOf(`/v1/artifacts/${made.artifact}`);
    const area = { left: 0, top: 0, width: 256, height: 256 };
    expect(await sharp(cropped).removeAlpha().raw().toBuffer()).toEqual(
      await sharp(original).removeAlpha().extract(area).raw().toBuffer(),
    );
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/jobs/${made.id}`);
  });

  it('crops alone by one press although a mask is painted', async () => {
    const page = await openCanvas();
    await drag(page, [0.3, 0.3], [0.5, 0.4]);
    await radio(page, 'Crop').click();
    await radio(page, '1:1').click();
    await editor(page).getByText('The mask is used when there is a prompt.').waitFor();
    await editor(page).getByRole('button', { name: 'Crop the image' }).waitFor();
    await field(page, 'Prompt').fill('a masked change');
    await editor(page).getByRole('button', { name: 'Change the image' }).waitFor();

    await button(page, 'Crop only').click();

    await editor(page).waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Crop', exact: true }).waitFor();
  });

  it('makes a canvas smaller that is too large for its mask', async () => {
    const page = await openCanvas({ expects: [/422/] });
    await drag(page, [0.3, 0.3], [0.5, 0.4]);
    await field(page, 'Prompt').fill('a huge sky');
    await radio(page, 'Extend').click();
    await field(page, 'Width').fill('6000');
    await field(page, 'Height').fill('6000');
    await editor(page).getByText('A canvas with a mask has at most 4096 × 4096 pixels.').waitFor();

    await button(page, 'Make the canvas smaller').click();

    await editor(page).getByText('1 call to sandbox-image.').waitFor();
    const [width, height] = [field(page, 'Width'), field(page, 'Height')];
    const pixels = Number(await width.inputValue()) * Number(await height.inputValue());
    expect(pixels).toBeGreaterThan(4090 * 4090);
    expect(pixels).toBeLessThanOrEqual(4096 * 4096);
  });

  it('adds by lasso, takes away with Alt or by choice, and undoes all in one history', async () => {
    const page = await openCanvas();
    await page.keyboard.press('l');
    await drag(page, [0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]);
    await expect.poll(() => share(page)).toBeGreaterThan(30);
    const added = await share(page);
    await page.keyboard.down('Alt');
    await drag(page, [0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]);
    await page.keyboard.up('Alt');
    await expect.poll(() => share(page)).toBeLessThan(added);
    await page.keyboard.press('z');
    await expect.poll(() => share(page)).toBe(added);
    await radio(page, 'Take away').click();
    await drag(page, [0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]);
    await expect.poll(() => share(page)).toBeLessThan(added);
    const taken = await share(page);
    await radio(page, 'Extend').click();
    await radio(page, '21:9').click();
    await expect.poll(() => share(page)).not.toBe(taken);
    await button(page, 'Discard').click();
    await expect.poll(() => share(page)).toBe(0);

    await page.keyboard.press('z');
    await expect.poll(() => share(page)).toBeGreaterThan(0);
    await page.keyboard.press('z');
    await expect.poll(() => share(page)).toBe(taken);
    await page.keyboard.press('z');
    await expect.poll(() => share(page)).toBe(added);
    await button(page, 'Undo').click();
    await expect.poll(() => share(page)).toBe(0);
    await expect.poll(() => button(page, 'Undo').isDisabled()).toBe(true);
  });

  it('keeps everything when it is left, also after a reload', async () => {
    const page = await openCanvas();
    await page.keyboard.press('r');
    await drag(page, [0.25, 0.25], [0.5, 0.5]);
    await radio(page, 'Extend').click();
    await radio(page, '16:9').click();
    await editor(page).getByRole('slider', { name: 'Grow' }).fill('6');
    await expect.poll(() => share(page)).toBeGreaterThan(15);
    const before = await share(page);
    await page.keyboard.press('Escape');
    await editor(page).waitFor({ state: 'hidden' });
    // A page that is closed before this loses the last change.
    await expect
      .poll(() => keptImages(page))
      .toMatchObject({ grow: 6, hasCanvas: true, mask: expect.any(Buffer) });

    await page.goto(`${bridge.address}/dashboard`);
    await page.getByRole('button', { name: 'Change canvas' }).click();
    await surface(page).waitFor();
    await expect.poll(() => share(page)).toBe(before);
    await expect
      .poll(() => editor(page).getByRole('slider', { name: 'Grow' }).inputValue())
      .toBe('6');
  });

  it('is used by touch alone: handles, steps and modes', async () => {
    const page = await openCanvas({ size: 'phone', touch: true });
    await radio(page, 'Extend').tap();
    const session = await page.context().newCDPSession(page);
    const box = await boxOf(button(page, 'Right edge'));
    const start = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', dx?: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: dx === undefined ? [] : [{ x: start.x + dx, y: start.y, id: 1 }],
      });
    await touch('touchStart', 0);
    for (const dx of [6, 12, 20]) await touch('touchMove', dx);
    await touch('touchEnd');
    await expect
      .poll(async () => Number(await field(page, 'Width').inputValue()))
      .toBeGreaterThan(384);

    // Chromium makes no click of a touch in the same frame as the scroll that brings the button into view.
    await button(page, 'Feather: more').scrollIntoViewIfNeeded();
    await button(page, 'Feather: more').tap();
    await editor(page).getByText('8 px', { exact: true }).waitFor();
    await radio(page, 'Lasso').tap();
    await button(page, 'Undo').tap();
    await button(page, 'Undo').tap();
    await expect.poll(() => field(page, 'Width').inputValue()).toBe('384');
    await radio(page, 'Crop').tap();
    await radio(page, '1:1').tap();
    await editor(page).getByText('256 × 256 pixels of the image.').waitFor();
  });

  it('keeps the image and its tools in view on a phone while the settings are scrolled', async () => {
    const page = await openCanvas({ size: 'phone', touch: true });
    const isUncovered = (locator: Locator) =>
      locator.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const found = document.elementFromPoint(left + width / 2, top + height / 2);
        return (
          found !== null &&
          (element === found || element.contains(found) || found.contains(element))
        );
      });
    await radio(page, 'Extend').tap();

    await button(page, 'Grow: more').scrollIntoViewIfNeeded();
    await button(page, 'Grow: more').tap();

    const head = await boxOf(page.locator('.canvas-head'));
    const shown = await boxOf(surface(page));
    expect(shown.y).toBeGreaterThanOrEqual(head.y + head.height - 1);
    expect(shown.y + shown.height).toBeLessThan(500);
    expect(await isUncovered(button(page, 'Grow: more'))).toBe(true);
    for (const mode of ['Mask', 'Extend', 'Crop']) {
      expect(await isUncovered(radio(page, mode))).toBe(true);
    }
    await keepScreenshot(page, 'canvas-phone-scrolled');
  });

  it('scrolls away as a whole in a low window, where nothing covers the modes', async () => {
    const page = await openCanvas({ size: { width: 390, height: 560 }, touch: true });
    const modes = page.locator('.canvas-head .modes');

    await page.locator('.canvas-editor').evaluate((editor) => editor.scrollTo(0, 290));

    const covering = await modes.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const points = [0.1, 0.5, 0.9].map((part) =>
        document.elementFromPoint(left + width * part, top + height / 2),
      );
      return points.filter((found) => !element.contains(found)).map((found) => found?.className);
    });
    expect(covering).toEqual([]);
  });

  it('leaves room for the name of its image in the panel', async () => {
    const page = await openCanvas({ size: { width: 1280, height: 800 } });
    await drag(page, [0.3, 0.3], [0.5, 0.4]);
    await radio(page, 'Extend').click();
    await radio(page, '16:9').click();
    await button(page, 'Back; the edit is kept').click();
    await page.getByRole('button', { name: 'Back to the images' }).click();

    await page.getByRole('button', { name: 'Change canvas' }).waitFor();
    await page.getByRole('button', { name: 'Edit mask' }).waitFor();
    const row = await boxOf(page.locator('.attachment-row'));
    const name = await boxOf(page.locator('.attachment-row p'));
    expect(name.width).toBeGreaterThan(row.width / 2);
    const remove = await boxOf(page.getByRole('button', { name: /^Remove a-lighthouse/ }));
    expect(remove.x + remove.width).toBeLessThanOrEqual(row.x + row.width);
  });
});

const DENIED = {
  status: 403,
  json: { error: { bridge_ext: { code: 'permission_denied', retryable: false, details: {} } } },
};

describe('the masks of the family', () => {
  it('are offered once each, newest first, and one replaces the mask in a step that is undone', async () => {
    const page = await openCanvas();
    await page.keyboard.press('r');
    await drag(page, [0.5, 0.5], [0.75, 0.75]);
    await expect.poll(() => share(page)).toBeGreaterThan(0);
    const drawn = await share(page);
    const feather = editor(page).getByRole('slider', { name: 'Feather' });
    await feather.fill('12');
    const names = () => offered(page).evaluateAll((all) => all.map((each) => each.ariaLabel));
    await expect
      .poll(names)
      .toEqual(['Mask of “A cliff with gulls”', 'Mask of “A sky with a moon”']);

    await offered(page).first().press('Enter');
    await expect.poll(() => share(page)).toBe(50);
    expect(await offered(page).first().getAttribute('aria-pressed')).toBe('true');
    expect(await feather.inputValue()).toBe('0');
    await button(page, 'Undo').click();

    await expect.poll(() => share(page)).toBe(drawn);
    expect(await feather.inputValue()).toBe('12');
    expect(await offered(page).first().getAttribute('aria-pressed')).toBe('false');
    await offered(page).last().click();
    await expect.poll(() => share(page)).toBe(25);
    await button(page, 'Back; the edit is kept').click();
    await expect.poll(async () => (await keptImages(page)).mask).toBeDefined();
    const kept = async () => (await keptImages(page)).mask ?? Buffer.alloc(0);
    await expect.poll(async () => alphaAt(await kept(), 300, 63)).toBe(0);
    expect(await alphaAt(await kept(), 300, 64)).toBe(255);
  });

  it('are loaded when their row is seen, again after a failure, and chosen by touch', async () => {
    const size = { width: 390, height: 640 };
    const page = await openCanvas({ size, touch: true, expects: [/503/] });
    const family = `**/v1/jobs/${source}/family`;
    // The view of the job below the canvas reads the same family.
    const asked: Route[] = [];
    const fail = (route: Route) => route.fulfill({ status: 503, json: {} });
    let fails = false;
    await page.route(family, (route) => (fails ? fail(route) : void asked.push(route)));
    const row = editor(page).locator('.family-masks');
    await radio(page, 'Rectangle').tap();
    await radio(page, 'Take away').waitFor();

    await row.scrollIntoViewIfNeeded();
    await row.getByText('Loading the masks').waitFor();
    await keepScreenshot(page, 'canvas-masks-loading');
    fails = true;
    await Promise.all(asked.map(fail));
    await row.getByText('The masks cannot be loaded.').waitFor();
    await keepScreenshot(page, 'canvas-masks-failed');
    await page.unroute(family);
    await row.getByRole('button', { name: 'Try again' }).tap();
    await offered(page).last().tap();

    await expect.poll(() => share(page)).toBe(25);
  });

  it('say in words that a mask was removed meanwhile, and the mask of the edit stays', async () => {
    const page = await openCanvas({ expects: [/404/] });
    await drag(page, [0.5, 0.5], [0.6, 0.5]);
    await expect.poll(() => share(page)).toBeGreaterThan(0);
    const drawn = await share(page);
    await page.route('**/v1/jobs/*/inputs/1', (route) =>
      route.continue({ url: route.request().url().replace(/1$/, '9') }),
    );

    await offered(page).first().click();
    await editor(page)
      .getByText('This mask no longer exists, because its job was removed.')
      .waitFor();

    expect(await share(page)).toBe(drawn);
    await keepScreenshot(page, 'canvas-masks-gone');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unrouteAll();
    await offered(page).last().click();
    await expect.poll(() => share(page)).toBe(25);
  });

  it('have no row if there are none, or if the token may not read the family', async () => {
    const [id] = await makeJobs(bridge.address, [{ prompt: 'A lighthouse without edits' }]);
    const page = await openCanvas({ path: `/dashboard/jobs/${id}`, expects: [/403/] });
    const row = editor(page).locator('.family-masks');
    /** Resolves when the canvas has the family, after its settings have been seen. */
    const answered = (status: number) =>
      page.waitForResponse((reply) => reply.url().endsWith('/family') && reply.status() === status);
    for (const status of [200, 403]) {
      if (status === 403) await page.route('**/family', (route) => route.fulfill(DENIED));
      await radio(page, 'Crop').click();
      const reply = answered(status);
      await radio(page, 'Mask').click();
      await reply;
      await row.waitFor({ state: 'attached' });
      await page.keyboard.press('i');
      await expect.poll(() => share(page)).toBe(status === 200 ? 100 : 0);

      expect(await row.textContent()).toBe('');
    }
  });
});
