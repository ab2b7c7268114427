import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type {
  ArtifactCredentials,
  ManifestReport,
  Provenance,
} from '../../dashboard/src/api/schemas.ts';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { makeJobs } from './support/submit-jobs.ts';

const AI = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

const original: ManifestReport = {
  signer: 'Example Maker',
  generator: 'example-model 2',
  actions: [{ action: 'c2pa.created', source_type: AI }],
  ingredients: [],
};
const renewed: ManifestReport = {
  signer: 'Studio North',
  generator: 'Image Bridge',
  actions: [{ action: 'c2pa.opened' }, { action: 'c2pa.converted' }],
  ingredients: [
    { relationship: 'parentOf', title: 'original.png', manifest: original },
    { relationship: 'inputTo', title: 'lake.jpg' },
  ],
};

let bridge: StartedBridge;
let id: string;
let pair: string;

beforeAll(async () => {
  bridge = await startDashboard();
  [id = '', pair = ''] = await makeJobs(bridge.address, [
    { prompt: 'A lake by moonlight', parameters: { size: '768x512' } },
    { prompt: 'Two lakes', parameters: { size: '192x128', n: 2 } },
  ]);
});

type Options = Parameters<typeof openPage>[1];

/**
 * Opens a job whose images have these facts. The sandbox signs nothing, so the facts and the reply to a check are replaced.
 * Without facts, the reply is that of an earlier version of the bridge.
 */
async function openJob(
  provenance: Provenance | undefined,
  options: Options & { readonly job?: string; readonly check?: ArtifactCredentials } = {},
): Promise<Page> {
  const { job = id, check, path: search = '', ...rest } = options;
  const page = await openPage(bridge.address, rest);
  await page.route(new RegExp(`/v1/jobs/${job}$`), async (route) => {
    const reply = await route.fetch();
    const json = (await reply.json()) as { result: { data: { provenance?: Provenance }[] } };
    for (const image of json.result.data) {
      delete image.provenance;
      if (provenance) image.provenance = provenance;
    }
    await route.fulfill({ response: reply, json });
  });
  if (check) {
    await page.route(/\/v1\/artifacts\/[0-9a-f]+\/credentials$/, (route) =>
      route.fulfill({ json: check }),
    );
  }
  await page.goto(`${bridge.address}/dashboard/jobs/${job}${search}`);
  await page.getByRole('heading', { name: 'Requested and delivered' }).waitFor();
  return page;
}

const section = (page: Page) => page.locator('.credentials-section');
const badge = (page: Page) => page.locator('.credentials-badge');

describe('the credentials of an image', () => {
  it.each([
    ['light', { width: 1440, height: 900 }],
    ['dark', { width: 1440, height: 900 }],
    ['light', { width: 768, height: 1024 }],
    ['dark', { width: 390, height: 844 }],
  ] as const)(
    'are present and not checked, and are checked on request (%s, %j)',
    async (theme, size) => {
      const page = await openJob(
        { found: 'present', credentials: 'kept', mark: 'existing', source_type: AI },
        { theme, size, check: { state: 'trusted', manifest: original } },
      );
      await section(page).getByText('Present, not checked').waitFor();
      await section(page).getByText('AI, whole image').waitFor();
      await badge(page).getByText('AI-generated').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `credentials-present-${size.width}-${theme}`);

      await section(page).getByRole('button', { name: 'Check' }).click();

      await section(page).getByText('Kept, and they hold').waitFor();
      await badge(page).getByRole('button', { name: 'Credentials hold' }).waitFor();
    },
  );

  it.each(['light', 'dark'] as const)(
    'have a story, newest first, that the badge opens by the keyboard and Escape closes (%s)',
    async (theme) => {
      const page = await openJob(
        {
          found: 'trusted',
          credentials: 'resigned',
          signer: 'Example Maker',
          mark: 'existing',
          source_type: AI,
        },
        { theme, check: { state: 'valid', manifest: renewed } },
      );
      const button = badge(page).getByRole('button', { name: 'Signed again' });
      await button.focus();
      await page.keyboard.press('Enter');

      const story = page.getByRole('dialog', { name: 'How this image came to be' });
      await expect.poll(() => story.getByRole('listitem').count()).toBe(3);
      const names = await story.locator('li b').allTextContents();
      expect(names).toEqual(['Studio North', 'Example Maker', 'lake.jpg']);
      await story.getByText('holds', { exact: true }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `credentials-story-${theme}`);

      await page.keyboard.press('Escape');

      await story.waitFor({ state: 'detached' });
      await expect
        .poll(() => button.evaluate((element) => element === document.activeElement))
        .toBe(true);
      await section(page).getByText('Studio North').waitFor();
    },
  );

  it.each([
    [
      { found: 'trusted', credentials: 'kept', signer: 'Example Maker' },
      'Kept, and they hold',
      'Signed by Example Maker',
    ],
    [{ found: 'none', credentials: 'signed' }, 'Signed by this bridge', 'Signed here'],
    [
      { found: 'valid', credentials: 'dropped', reason: 'converted' },
      'Credentials lost',
      'Credentials lost',
    ],
    [{ found: 'invalid', credentials: 'kept' }, 'They do not hold', 'Changed'],
  ] as const)('have one verdict and a badge: %j', async (facts, verdict, label) => {
    const page = await openJob({ ...facts, mark: 'none' });

    await section(page).getByText(verdict, { exact: true }).waitFor();
    await badge(page).getByRole('button', { name: label }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('are no news if none came with the image: the section says so, and there is no badge', async () => {
    const page = await openJob({ found: 'none', credentials: 'none', mark: 'none' });

    await section(page).getByText('None came with it').waitFor();
    expect(await badge(page).count()).toBe(0);
  });

  it('are not mentioned if nothing is known about them', async () => {
    const page = await openJob(undefined);

    expect(await section(page).count()).toBe(0);
    expect(await badge(page).count()).toBe(0);
  });

  it('are marked on each image of a grid, and on both images of a comparison', async () => {
    const facts = { found: 'trusted', credentials: 'kept', mark: 'none' } as const;
    const page = await openJob(facts, { job: pair, path: '?view=grid' });
    await expect.poll(() => page.locator('.grid .cell-mark').count()).toBe(2);
    await keepScreenshot(page, 'credentials-grid');

    await page.getByRole('radio', { name: 'Side by side' }).click();

    await expect.poll(() => badge(page).count()).toBe(2);
    await keepScreenshot(page, 'credentials-side');
  });

  it('are reported as not checked if the check fails, and are checked again on request', async () => {
    const page = await openJob(
      { found: 'present', credentials: 'kept', mark: 'none' },
      { expects: [/503/] },
    );
    await page.route(/\/credentials$/, (route) => route.fulfill({ status: 503, body: '' }));
    const check = section(page).getByRole('button', { name: 'Check' });
    await check.click();
    await section(page).getByRole('alert').waitFor();
    await page.unroute(/\/credentials$/);
    await page.route(/\/credentials$/, (route) =>
      route.fulfill({ json: { state: 'invalid', manifest: original } }),
    );

    await check.click();

    await section(page).getByText('They do not hold').waitFor();
  });
});
