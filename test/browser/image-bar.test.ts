import type { Page, Request } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { cutTexts } from './support/cut-texts.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs, unmarkJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
let job: string;

beforeAll(async () => {
  bridge = await startDashboard();
  const request = { prompt: 'A lighthouse at dusk', parameters: { n: 3, size: '256x160' } };
  [job = ''] = await makeJobs(bridge.address, [request]);
});

afterEach(async () => {
  for (const { id } of await images()) await mark(id, { favorite: false, hidden: false, note: '' });
  await unmarkJobs(bridge.address);
});

interface Listed {
  readonly id: string;
  readonly favorite?: boolean;
  readonly hidden?: boolean;
  readonly note?: string;
}

async function images(): Promise<readonly Listed[]> {
  const reply = await fetch(`${bridge.address}/v1/jobs?visibility=all`);
  const page = (await reply.json()) as { items: { id: string; artifacts: Listed[] }[] };
  return page.items.find(({ id }) => id === job)?.artifacts ?? [];
}

async function mark(id: string, body: object): Promise<void> {
  await fetch(`${bridge.address}/v1/artifacts/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Returns the list of the jobs that the page submits from now on. */
function requestsOf(page: Page): readonly Request[] {
  const sent: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/v1/jobs')) sent.push(request);
  });
  return sent;
}

/** Paints a stroke on the mask in the open canvas, and leaves the canvas, which keeps the mask. */
async function paintMask(page: Page): Promise<void> {
  const editor = page.locator('.canvas-editor');
  const box = async () => await editor.getByRole('img', { name: /^Mask for/ }).boundingBox();
  await expect.poll(async () => (await box())?.width ?? 0).toBeGreaterThan(100);
  const { x = 0, y = 0, width = 0, height = 0 } = (await box()) ?? {};
  await page.mouse.move(x + width / 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await editor.getByRole('button', { name: 'Back; the edit is kept' }).click();
}

const bar = (page: Page, number: number) =>
  page.getByRole('toolbar', { name: `Actions on Image ${number}` });
const thumb = (page: Page, name: string | RegExp) =>
  page.getByRole('group', { name: 'Images of this job' }).getByRole('button', { name });

describe('the bar of one image', () => {
  it.each([
    ['desktop', 'desktop'],
    ['phone', 'phone'],
  ] as const)('names every action in words on a %s', async (_, size) => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path, size, touch: size === 'phone' });
    const buttons = bar(page, 2).getByRole('button');
    await buttons.first().waitFor();

    expect(await buttons.allInnerTexts()).toEqual([
      'Vary',
      'Refine',
      'Mask',
      'Reference',
      'Favourite',
      'Hide',
      'Save',
    ]);
    const width = page.viewportSize()?.width ?? 0;
    const ends = await buttons.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().right),
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(width);
    expect(await cutTexts(buttons)).toEqual([]);
  });

  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)('marks and hides this image alone, with undo (%s, %s)', async (theme, size) => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path, theme, size });

    await bar(page, 2).getByRole('button', { name: 'Favourite this image' }).click();
    await thumb(page, 'Image 2, Favourite').waitFor();
    expect((await images()).map(({ favorite }) => favorite ?? false)).toEqual([false, true, false]);
    expect(
      await page
        .getByRole('button', { name: 'Favourite', exact: true })
        .getAttribute('aria-pressed'),
    ).toBe('true');

    await thumb(page, 'Image 3').click();
    await bar(page, 3).getByRole('button', { name: 'Hide this image' }).focus();
    await page.keyboard.press('Enter');
    await thumb(page, 'Image 3, Hidden').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await thumb(page, /^Image 3$/).waitFor();
    await expect.poll(async () => (await images()).some(({ hidden }) => hidden)).toBe(false);
  });

  it('hides this image, with an undo that is offered again after a reload', async () => {
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${job}?b=2` });
    await bar(page, 2).getByRole('button', { name: 'Hide this image' }).click();
    await thumb(page, 'Image 2, Hidden').waitFor();
    await page.getByText('One image hidden').waitFor();

    await page.reload();
    await thumb(page, 'Image 2, Hidden').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();

    await thumb(page, /^Image 2$/).waitFor();
    expect((await images()).some(({ hidden }) => hidden)).toBe(false);
  });

  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)(
    'has no problems beside a hidden and a favourite image (%s, %s)',
    async (theme, size) => {
      const [first, second] = await images();
      await mark(first?.id ?? '', { favorite: true, note: 'For the cover' });
      await mark(second?.id ?? '', { hidden: true });

      const page = await openPage(bridge.address, { path: `/dashboard/jobs/${job}`, theme, size });
      await bar(page, 1).getByText('For the cover').waitFor();

      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `image-bar-${theme}-${size}`);
    },
  );

  it('uses this image as a reference by a key, and as a source by a button', async () => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path });
    await bar(page, 2).waitFor();

    await page.keyboard.press('u');

    await page.waitForURL(/\/dashboard$/);
    const panel = page.getByRole('complementary', { name: 'New image' });
    await panel.getByRole('button', { name: 'Reference', exact: true }).waitFor();

    await page.goto(`${bridge.address}${path}`);
    await bar(page, 2).getByRole('button', { name: 'Refine this image' }).click();

    await page.waitForURL(/\/dashboard$/);
    await panel.getByRole('button', { name: 'Source', exact: true }).waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(1);
  });

  it('varies this image with one request, and shows the variation in the family', async () => {
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${job}?b=2` });
    const [, second] = await images();
    const name = 'Vary. The same request, with this image as a reference';
    await bar(page, 2).getByRole('button', { name }).waitFor();
    const sent = requestsOf(page);

    await page.keyboard.down('v');
    await page.keyboard.down('v');
    await page.keyboard.up('v');

    await page.getByText('Variation sent').waitFor();
    const family = page.getByRole('region', { name: 'Family' });
    await family.getByText('6 images in 2 jobs').waitFor();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers()['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    expect(sent[0]?.postDataJSON()).toMatchObject({
      prompt: 'A lighthouse at dusk',
      parameters: { n: 3, size: '256x160' },
      reference_images: [{ type: 'artifact', artifact_id: second?.id }],
    });
  });

  it('says before the request is sent that a model takes no references', async () => {
    const [basic = ''] = await makeJobs(bridge.address, [
      {
        prompt: 'A plain lighthouse',
        parameters: { n: 2, size: '1024x1024' },
        routing: { model: 'sandbox-basic' },
      },
    ]);
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${basic}` });
    const sent = requestsOf(page);

    const reason = 'because sandbox-basic cannot use this image as a reference';
    await bar(page, 1)
      .getByRole('button', { name: `The same request again, ${reason}` })
      .click();

    await page.getByText('Sent again').waitFor();
    expect(sent.map((each) => each.postDataJSON().reference_images)).toEqual([[]]);
  });

  it('varies the image of a job with one image from the bar of the job', async () => {
    const [single = ''] = await makeJobs(bridge.address, [{ prompt: 'One lighthouse' }]);
    const path = `/dashboard/jobs/${single}`;
    const page = await openPage(bridge.address, { path, size: 'phone' });

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Vary/ }).click();

    await page.getByText('Variation sent').waitFor();
  });

  it.each(['desktop', 'phone'] as const)(
    'uses the only image of a job as a reference from the bar of the job on a %s',
    async (size) => {
      const [id] = await makeJobs(bridge.address, [
        { prompt: 'A single gull', parameters: { size: '192x128' } },
      ]);
      const path = `/dashboard/jobs/${id}`;
      const page = await openPage(bridge.address, { path, size, touch: size === 'phone' });
      const name = 'Use this image as a reference';

      if (size === 'phone') {
        await page.getByRole('button', { name: 'More', exact: true }).tap();
        await page.getByRole('menuitem', { name }).tap();
      } else await page.getByRole('button', { name }).click();

      await page
        .locator('#make')
        .getByRole('button', { name: /^Reference/ })
        .waitFor();
    },
  );

  it('offers to undo if the use as a reference removes a mask', async () => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path });
    await bar(page, 2).getByRole('button', { name: 'Refine this image' }).click();
    const panel = page.getByRole('complementary', { name: 'New image' });
    await panel.getByRole('button', { name: 'Mask', exact: true }).click();
    await paintMask(page);
    await panel.getByRole('button', { name: 'Edit mask' }).waitFor();
    await page.locator(`.card[data-id="${job}"] .card-link`).click();
    await thumb(page, 'Image 2').click();
    await bar(page, 2).waitFor();

    await page.keyboard.press('u');
    await page.getByText('Mask removed').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();

    await panel.getByRole('button', { name: 'Source', exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Edit mask' }).waitFor();
  });

  it('is absent in the grid and for a job with one image', async () => {
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${job}?view=grid` });

    await page.locator('.grid img').first().waitFor();

    expect(await page.locator('.image-bar').count()).toBe(0);
  });
});

describe('the note of an image', () => {
  const field = (page: Page) => page.getByRole('textbox', { name: 'Note' });
  const notes = async () => (await images()).map(({ note }) => note);

  it.each([
    ['light', 'desktop'],
    ['dark', 'phone'],
  ] as const)('is saved when the field is left, with undo (%s, %s)', async (theme, size) => {
    const path = `/dashboard/jobs/${job}?b=2`;
    const page = await openPage(bridge.address, { path, theme, size });

    await field(page).fill('For the cover');
    await page.getByRole('button', { name: 'Save note' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await field(page).blur();

    await bar(page, 2).getByText('For the cover').waitFor();
    expect(await notes()).toEqual([undefined, 'For the cover', undefined]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('');
    await expect.poll(notes).toEqual([undefined, undefined, undefined]);
  });

  it('is kept in the field while it is too long or the bridge does not respond', async () => {
    const path = `/dashboard/jobs/${job}?b=3`;
    const page = await openPage(bridge.address, { path, expects: [/ERR_FAILED|503/] });

    await field(page).fill('🦊'.repeat(501));
    await page.getByText('1 character too long').waitFor();
    expect(await page.getByRole('button', { name: 'Save note' }).isDisabled()).toBe(true);
    await field(page).fill('🦊'.repeat(500));
    await page.getByText('500 of 500 characters').waitFor();
    await page.route('**/v1/artifacts/*', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await field(page).blur();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await notes()).toEqual([undefined, undefined, undefined]);

    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();

    await expect.poll(notes).toEqual([undefined, undefined, '🦊'.repeat(500)]);
  });

  it('is saved when the field is removed while it has the focus', async () => {
    const page = await openPage(bridge.address);
    await page.locator(`.card[data-id="${job}"] .card-link`).click();
    await thumb(page, 'Image 2').click();
    await bar(page, 2).waitFor();
    await field(page).fill('Too dark');

    await page.evaluate(() => history.back());

    await expect.poll(notes).toEqual([undefined, 'Too dark', undefined]);
  });
});

it('a card leaves out hidden images', async () => {
  const [first] = await images();
  await mark(first?.id ?? '', { hidden: true });

  const page = await openPage(bridge.address);

  const card = page.locator(`.card[data-id="${job}"]`);
  await card.locator('.card-images.of-2 img').first().waitFor();
  expect(await card.textContent()).toContain('2');
});
