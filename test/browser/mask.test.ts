import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { type StartedBridge, stateOf } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { keptImages } from './support/kept-images.ts';
import { openPage, THEMES_AND_SIZES } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startDashboard({ withAgent: true });
});

type Options = NonNullable<Parameters<typeof openPage>[1]>;
type File = string | { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };

const photo = (name: string) => new URL(`../data/photos/${name}`, import.meta.url).pathname;
const editor = (page: Page) => page.locator('.canvas-editor');
const surface = (page: Page) => editor(page).getByRole('img', { name: /^Mask for/ });
const button = (page: Page, name: string) =>
  editor(page).getByRole('button', { name, exact: true });
/** Leaves the canvas, which keeps the mask. */
async function leave(page: Page): Promise<void> {
  await button(page, 'Back; the edit is kept').click();
  await editor(page).waitFor({ state: 'hidden' });
}

const changeButton = (page: Page) =>
  editor(page).getByRole('button', { name: /^Change the image/ });
const maskButton = (page: Page) => page.getByRole('button', { name: 'Mask', exact: true });

async function openEditor(options: Options = {}, file: File = photo('rocket.jpg')): Promise<Page> {
  const page = await openPage(bridge.address, options);
  if (options.size === 'phone') {
    await page.getByRole('button', { name: /^Describe an image/ }).click();
  }
  await page.getByLabel('Prompt', { exact: true }).fill('the sky as a risograph in two inks');
  await page
    .locator('input[type=file]')
    .setInputFiles(typeof file === 'string' ? file : { ...file });
  await maskButton(page).click();
  await opened(page);
  return page;
}

const zoomText = (page: Page) => editor(page).locator('.zoom-bar .whole').textContent();

/** Waits until the image can be painted on. Until the stage has been measured, the image has no size. */
async function opened(page: Page): Promise<void> {
  await surface(page).waitFor();
  await expect.poll(() => zoomText(page)).not.toBe('0 %');
}

/** Presses at the first position and moves to the others. Positions are fractions of the surface. */
async function paint(page: Page, ...places: readonly (readonly [number, number])[]): Promise<void> {
  const box = await boxOf(surface(page));
  const [first = [0.5, 0.5], ...rest] = places;
  await page.mouse.move(box.x + first[0] * box.width, box.y + first[1] * box.height);
  await page.mouse.down();
  for (const [x, y] of rest) {
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 8 });
  }
  await page.mouse.up();
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('the element is not shown');
  return box;
}

async function share(page: Page): Promise<number> {
  const shown = await editor(page).locator('.share').textContent();
  return Number(shown?.replace(/ %.*/, ''));
}

/** Returns the mask of the draft as the page has stored it. */
const keptMask = async (page: Page) => (await keptImages(page)).mask;

async function alphaAt(mask: Buffer, x: number, y: number): Promise<number | undefined> {
  const { data, info } = await sharp(mask).raw().toBuffer({ resolveWithObject: true });
  return data[(y * info.width + x) * info.channels + 3];
}

/** Removes the image files of a job without the bridge, as a user could. */
async function removeArtifacts(id: string | undefined): Promise<void> {
  const reply = await fetch(`${bridge.address}/v1/jobs/${id}`);
  const { result } = (await reply.json()) as { result: { data: { id: string }[] } };
  const { artifacts, listArtifacts } = stateOf(bridge.cwd);
  const files = await listArtifacts();
  for (const { id: artifact } of result.data) {
    const image = await (await fetch(`${bridge.address}/v1/artifacts/${artifact}`)).bytes();
    for (const file of files.filter((name) => /\.(png|jpe?g|webp)$/.test(name))) {
      const path = join(artifacts, file);
      if ((await readFile(path)).equals(image)) await rm(path);
    }
  }
}

describe('the mask of a source', () => {
  it('is painted, undone, inverted, cleared, and sent with the request', async () => {
    const page = await openEditor();

    const seesShare = () => expect.poll(() => share(page));
    // A file that is not on the bridge has no family.
    expect(await editor(page).locator('.family-masks').count()).toBe(0);

    await paint(page, [0.3, 0.3], [0.7, 0.3]);
    await seesShare().toBeGreaterThan(0);
    const painted = await share(page);
    await paint(page, [0.5, 0.6], [0.6, 0.6]);
    await seesShare().toBeGreaterThan(painted);
    await page.keyboard.press('Control+z');
    await seesShare().toBe(painted);
    await button(page, 'Undo').click();
    await seesShare().toBe(0);
    await expect.poll(() => button(page, 'Discard').isDisabled()).toBe(true);
    await page.keyboard.press('Control+Shift+z');
    await seesShare().toBe(painted);
    await page.keyboard.press('i');
    await seesShare().toBeCloseTo(100 - painted, -1);
    await page.keyboard.press('i');
    await seesShare().toBe(painted);
    await page.keyboard.press('e');
    await paint(page, [0.3, 0.3], [0.5, 0.3]);
    await seesShare().toBeLessThan(painted);
    await button(page, 'Clear').click();
    await seesShare().toBe(0);
    await page.keyboard.press('b');
    await paint(page, [0.3, 0.3], [0.7, 0.3], [0.5, 0.5]);
    await leave(page);

    await page.getByText('1 call to sandbox-image.').waitFor();
    await page.getByRole('button', { name: /^Make 1 image/ }).click();

    const list = async () => {
      const reply = await fetch(`${bridge.address}/v1/jobs?limit=1`);
      return (
        (await reply.json()) as { items: { id: string; operation: string; status: string }[] }
      ).items[0];
    };
    await expect.poll(list).toMatchObject({ operation: 'edit', status: 'succeeded' });
    const sent = await fetch(`${bridge.address}/v1/jobs/${(await list())?.id}/inputs/1`);
    const mask = Buffer.from(await sent.arrayBuffer());
    expect(await sharp(mask).metadata()).toMatchObject({
      format: 'png',
      width: 640,
      height: 427,
      hasAlpha: true,
    });
    expect(await alphaAt(mask, 320, 105)).toBe(0);
    expect(await alphaAt(mask, 2, 2)).toBe(255);
  });

  it('is being sent in words until the bridge has replied, because a large image takes seconds', async () => {
    const page = await openEditor();
    const release = Promise.withResolvers<void>();
    await page.route('**/v1/jobs', async (route) => {
      if (route.request().method() === 'POST') await release.promise;
      await route.continue();
    });
    await paint(page, [0.3, 0.3], [0.7, 0.3]);
    await expect.poll(() => changeButton(page).isEnabled()).toBe(true);

    await page.keyboard.press('Control+Enter');
    await expect.poll(() => button(page, 'Sending').isDisabled()).toBe(true);
    release.resolve();

    await editor(page).waitFor({ state: 'hidden' });
  });

  it('survives a reload and is opened again unchanged', async () => {
    const page = await openEditor();
    await paint(page, [0.3, 0.3], [0.7, 0.3]);
    await expect.poll(() => share(page)).toBeGreaterThan(0);
    const painted = await share(page);
    await leave(page);
    await expect.poll(() => keptMask(page)).toBeDefined();
    const keptPixels = async () =>
      sharp(await keptMask(page))
        .raw()
        .toBuffer();
    const before = await keptPixels();

    await page.reload();
    await page.getByRole('button', { name: 'Edit mask' }).click();
    await opened(page);
    await expect.poll(() => share(page)).toBe(painted);
    // The mask is inverted in each of two visits, so it has been written, read again and restored.
    for (const isSame of [false, true]) {
      await page.keyboard.press('i');
      await leave(page);
      await expect.poll(async () => (await keptPixels()).equals(before)).toBe(isSame);
      await page.getByRole('button', { name: 'Edit mask' }).click();
      await opened(page);
    }
    await button(page, 'Discard').click();
    await leave(page);
    await maskButton(page).waitFor();
    await expect.poll(() => keptMask(page)).toBeUndefined();
  });

  it('is kept by Back and Escape, and the focus returns', async () => {
    const page = await openEditor();
    await paint(page, [0.4, 0.4], [0.6, 0.4]);
    await expect.poll(() => share(page)).toBeGreaterThan(0);

    await page.keyboard.press('Escape');
    await editor(page).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edit mask' }).waitFor();
    const isFocused = (element: HTMLElement | SVGElement) => element === document.activeElement;
    await expect
      .poll(() => page.getByRole('button', { name: 'Edit mask' }).evaluate(isFocused))
      .toBe(true);
    await page.getByRole('button', { name: 'Edit mask' }).click();
    await opened(page);
    const kept = await share(page);
    await expect.poll(() => keptMask(page)).toBeDefined();
    const first = (await keptMask(page)) ?? Buffer.alloc(0);
    await paint(page, [0.4, 0.6], [0.6, 0.6]);
    await expect.poll(() => share(page)).toBeGreaterThan(kept);
    const painted = await share(page);
    await page.goBack();

    await editor(page).waitFor({ state: 'hidden' });
    await expect.poll(async () => (await keptMask(page))?.equals(first)).toBe(false);
    await page.reload();
    await page.getByRole('button', { name: 'Edit mask' }).click();
    await opened(page);
    expect(await share(page)).toBe(painted);
  });

  it('is removed when its source becomes a reference', async () => {
    const page = await openEditor();
    await paint(page, [0.4, 0.4], [0.6, 0.4]);
    await leave(page);
    await expect.poll(() => keptMask(page)).toBeDefined();

    await page.getByRole('button', { name: 'Source', exact: true }).click();
    await page.getByRole('menuitemradio', { name: /^Reference/ }).click();
    await expect.poll(() => keptMask(page)).toBeUndefined();
    await page.getByRole('button', { name: 'Reference', exact: true }).click();
    await page.getByRole('menuitemradio', { name: /^Source/ }).click();

    await maskButton(page).waitFor();
  });

  it('is rejected if the model does not support masks, with a fix by one press', async () => {
    const page = await openEditor();
    await paint(page, [0.4, 0.4], [0.6, 0.4]);
    await leave(page);
    await page.getByRole('button', { name: /sandbox-image/ }).click();
    await page.getByRole('option', { name: /^gpt-image-2/ }).click();

    await page.getByText('gpt-image-2 does not support masks.').waitFor();
    await keepScreenshot(page, 'mask-refused');
    await page.getByRole('button', { name: 'Remove the mask' }).click();

    await page.getByText('1 call to gpt-image-2.').waitFor();
    await expect.poll(() => maskButton(page).count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Edit mask' }).count()).toBe(0);
  });
});

describe('the tools of the mask editor', () => {
  it('are all usable by keyboard, including a rectangle by numbers', async () => {
    const page = await openEditor();
    const size = editor(page).getByRole('slider', { name: 'Brush size' });
    const sizeText = () => size.getAttribute('aria-valuetext');
    const first = await sizeText();

    await page.keyboard.press(']');
    await expect.poll(sizeText).not.toBe(first);
    await keepScreenshot(page, 'mask-size');
    await page.keyboard.press('[');
    await expect.poll(sizeText).toBe(first);
    await button(page, 'Rectangle by numbers').focus();
    await page.keyboard.press('Enter');
    const rectangle = page.getByRole('dialog', { name: 'Rectangle by numbers' });
    await rectangle.getByLabel('From the left').fill('700');
    await rectangle.getByText('In pixels, within 640 × 427.').waitFor();
    const add = rectangle.getByRole('button', { name: 'Add' });
    await expect.poll(() => add.isDisabled()).toBe(true);
    await rectangle.getByLabel('From the left').fill('64');
    await rectangle.getByLabel('From the top').fill('0');
    await rectangle.getByLabel('Width').fill('320');
    await rectangle.getByLabel('Height').fill('427');
    await keepScreenshot(page, 'mask-rectangle');
    await page.keyboard.press('Enter');
    await rectangle.getByText('50 % may change').waitFor();
    await page.keyboard.press('Escape');
    await rectangle.waitFor({ state: 'hidden' });
    await leave(page);

    await expect.poll(() => keptMask(page)).toBeDefined();
    const mask = (await keptMask(page)) ?? Buffer.alloc(0);
    expect(await alphaAt(mask, 63, 200)).toBe(255);
    expect(await alphaAt(mask, 64, 200)).toBe(0);
    expect(await alphaAt(mask, 383, 426)).toBe(0);
    expect(await alphaAt(mask, 384, 0)).toBe(255);
  });

  it('paint the same place when the image is zoomed and moved', async () => {
    const page = await openEditor();
    const image = editor(page).locator('canvas.source');
    const shownAt = () => image.evaluate((canvas) => canvas.style.transform);
    const whole = await zoomText(page);
    const box = await boxOf(surface(page));
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);

    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await expect.poll(() => zoomText(page)).not.toBe(whole);
    for (const move of [() => page.mouse.wheel(60, 40), () => page.keyboard.press('ArrowRight')]) {
      const before = await shownAt();
      await move();
      await expect.poll(shownAt).not.toBe(before);
    }
    await paint(page, [0.5, 0.5]);
    await expect.poll(() => share(page)).toBeGreaterThan(0);
    await keepScreenshot(page, 'mask-zoomed');
    const shown = await boxOf(image);
    await leave(page);
    await expect.poll(() => keptMask(page)).toBeDefined();

    // The brush has a tenth of the longest edge: 64 pixels of the image at any zoom.
    const mask = (await keptMask(page)) ?? Buffer.alloc(0);
    const scale = 640 / shown.width;
    const x = Math.round((box.x + box.width / 2 - shown.x) * scale);
    const y = Math.round((box.y + box.height / 2 - shown.y) * scale);
    const alphas = [-36, -28, 0, 28, 36].map((beside) => alphaAt(mask, x + beside, y));
    expect(await Promise.all(alphas)).toEqual([255, 0, 0, 0, 255]);
  });

  it('zoom by two fingers, which paint nothing', async () => {
    const page = await openEditor({ size: 'phone', touch: true });
    const session = await page.context().newCDPSession(page);
    const box = await boxOf(surface(page));
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...apart: readonly number[]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: apart.map((dx, id) => ({ x: middle.x + dx, y: middle.y, id })),
      });
    const percent = async () => Number.parseInt((await zoomText(page)) ?? '', 10);
    const before = await percent();

    await touch('touchStart', -20);
    await touch('touchStart', -20, 20);
    for (const apart of [30, 45, 60]) await touch('touchMove', -apart, apart);
    await touch('touchEnd');

    await expect.poll(percent).toBeGreaterThan(before * 1.5);
    expect(await share(page)).toBe(0);
    await touch('touchStart', 0);
    await touch('touchMove', 30);
    await touch('touchEnd');
    await expect.poll(() => share(page)).toBeGreaterThan(0);
  });
});

describe('the image in the mask editor', () => {
  it('is rotated upright before its mask is painted', async () => {
    const buffer = await sharp(photo('coffee.png'))
      .resize(300, 200)
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const page = await openEditor({}, { name: 'turned.jpg', mimeType: 'image/jpeg', buffer });

    await page.keyboard.press('i');
    await leave(page);
    await expect.poll(() => keptMask(page)).toBeDefined();

    const mask = (await keptMask(page)) ?? Buffer.alloc(0);
    expect(await sharp(mask).metadata()).toMatchObject({ width: 200, height: 300 });
    await page.getByText('1 call to sandbox-image.').waitFor();
  });

  it('can be an image that the bridge has made', async () => {
    await makeJobs(bridge.address, [{ prompt: 'a harbour to be masked' }]);
    const page = await openPage(bridge.address);
    await page
      .getByRole('link', { name: /a harbour to be masked/ })
      .first()
      .focus();
    await page.keyboard.press('e');

    await maskButton(page).click();
    await opened(page);
    expect(await editor(page).locator('.family-masks').count()).toBe(1);
    await paint(page, [0.45, 0.5], [0.55, 0.5]);
    await expect.poll(() => share(page)).toBeGreaterThan(0);
    await leave(page);

    await page.getByRole('button', { name: 'Edit mask' }).waitFor();
  });

  it('may have 64 megapixels, and its mask has the same size', async () => {
    const buffer = await sharp({
      create: { width: 16_384, height: 4000, channels: 3, background: '#7a8' },
    })
      .png()
      .toBuffer();
    const page = await openEditor({}, { name: 'wide.png', mimeType: 'image/png', buffer });

    await paint(page, [0.3, 0.5], [0.7, 0.5]);
    await page.keyboard.press('i');
    await keepScreenshot(page, 'mask-huge');
    await expect.poll(() => keptMask(page), { timeout: 30_000 }).toBeDefined();
    // Only a canvas with a mask is limited to 4096 × 4096 pixels.
    await expect.poll(() => changeButton(page).isEnabled()).toBe(true);
    await leave(page);

    const mask = (await keptMask(page)) ?? Buffer.alloc(0);
    expect(await sharp(mask).metadata()).toMatchObject({ width: 16_384, height: 4000 });
  });
});

describe('the mask editor', () => {
  it.each(THEMES_AND_SIZES)(
    'has no accessibility problems in the %s theme on a %s',
    async (theme, size) => {
      const page = await openEditor({ theme, size, touch: size === 'phone' });
      await paint(page, [0.25, 0.3], [0.7, 0.3], [0.75, 0.35]);
      await paint(page, [0.35, 0.4], [0.36, 0.6]);
      await paint(page, [0.6, 0.4], [0.6, 0.55]);

      await keepScreenshot(page, `mask-${theme}-${size}`);
      expect(await accessibilityProblems(page)).toEqual([]);
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(sideways).toBe(false);
    },
  );

  it.each([360, 768, 3840])('fits %d pixels', async (width) => {
    const page = await openPage(bridge.address, {
      size: { width, height: width > 2000 ? 2160 : 740 },
    });
    if (width < 900) await page.getByRole('button', { name: /^Describe an image/ }).click();
    await page.locator('input[type=file]').setInputFiles(photo('rocket.jpg'));
    await maskButton(page).click();
    await opened(page);
    await paint(page, [0.4, 0.4], [0.6, 0.4]);

    await keepScreenshot(page, `mask-${width}`);
    const outside = await editor(page)
      .locator('button')
      .evaluateAll((buttons) =>
        buttons
          .filter((each) => {
            const { left, right, top, bottom } = each.getBoundingClientRect();
            // On a phone, the settings below the stage are scrolled.
            const isTooLow = innerWidth >= 900 && (top < 0 || bottom > innerHeight);
            return left < 0 || right > innerWidth || isTooLow;
          })
          .map((each) => each.getAttribute('aria-label') ?? each.textContent),
      );
    expect(outside).toEqual([]);
  });
});

// This test is the last, because the gallery of later tests would also miss the image.
describe('an image of the draft', () => {
  it('is reported by name if its file is missing, and nothing else breaks', async () => {
    const [id] = await makeJobs(bridge.address, [{ prompt: 'an image that goes' }]);
    const page = await openPage(bridge.address, { expects: [/500.*artifacts/] });
    await page
      .getByRole('link', { name: /an image that goes/ })
      .first()
      .focus();
    await page.keyboard.press('e');
    await maskButton(page).waitFor();
    await removeArtifacts(id);

    await maskButton(page).click();

    await editor(page).getByRole('alert').waitFor();
    await keepScreenshot(page, 'mask-failed');
    await leave(page);
  });
});
