import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type {
  ArtifactCredentials,
  ManifestReport,
  Provenance,
} from '../../dashboard/src/api/schemas.ts';
import { trialCertificates, writeCertificates } from '../support/provenance/certificates.ts';
import { createProviderSigner, sampleImage } from '../support/provenance/signed-images.ts';
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
  await showFacts(page, job, provenance);
  if (check) {
    await page.route(/\/v1\/artifacts\/[0-9a-f]+\/credentials$/, (route) =>
      route.fulfill({ json: check }),
    );
  }
  await page.goto(`${bridge.address}/dashboard/jobs/${job}${search}`);
  await page.getByRole('heading', { name: 'Requested and delivered' }).waitFor();
  return page;
}

/** Replaces the facts of the images of a job. */
async function showFacts(page: Page, job: string, provenance: Provenance | undefined) {
  await page.route(new RegExp(`/v1/jobs/${job}$`), async (route) => {
    const reply = await route.fetch();
    const json = (await reply.json()) as { result: { data: { provenance?: Provenance }[] } };
    for (const image of json.result.data) {
      delete image.provenance;
      if (provenance) image.provenance = provenance;
    }
    await route.fulfill({ response: reply, json });
  });
}

/** Returns the width in pixels of the file that the job view shows. */
function shownWidth(page: Page): Promise<number> {
  return page
    .locator('.image-layer img')
    .first()
    .evaluate((image) => (image as HTMLImageElement).naturalWidth)
    .catch(() => 0);
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

      await section(page).getByText('Kept and valid').waitFor();
      await badge(page).getByRole('button', { name: 'Valid credentials' }).waitFor();
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
      await story.getByText('valid', { exact: true }).waitFor();
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
      'Kept and valid',
      'Signed by Example Maker',
    ],
    [{ found: 'none', credentials: 'signed' }, 'Signed by this bridge', 'Signed here'],
    [
      { found: 'valid', credentials: 'dropped', reason: 'converted' },
      'Credentials lost',
      'Credentials lost',
    ],
    [{ found: 'invalid', credentials: 'kept' }, 'Not valid', 'Changed'],
  ] as const)('have one verdict and a badge: %j', async (facts, verdict, label) => {
    const page = await openJob({ ...facts, mark: 'none' });

    await section(page).getByText(verdict, { exact: true }).waitFor();
    await badge(page).getByRole('button', { name: label }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('are no news if none came with the image: the section says so, and there is no badge', async () => {
    const page = await openJob({ found: 'none', credentials: 'none', mark: 'none' });

    await section(page).getByText('No credentials').waitFor();
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

    await section(page).getByText('Not valid').waitFor();
  });

  it('never delay the image: nothing is checked before a press, and the image is shown while the check waits', async () => {
    const page = await openPage(bridge.address);
    const release = Promise.withResolvers<void>();
    let checks = 0;
    await page.route(/\/credentials$/, async (route) => {
      checks += 1;
      await release.promise;
      await route.fulfill({ json: { state: 'trusted', manifest: original } });
    });
    await showFacts(page, id, { found: 'present', credentials: 'kept', mark: 'none' });
    await page.goto(`${bridge.address}/dashboard/jobs/${id}`);
    await expect.poll(() => shownWidth(page)).toBe(768);
    expect(checks).toBe(0);

    await section(page).getByRole('button', { name: 'Check' }).click();
    await section(page).getByRole('button', { name: 'Checking' }).waitFor();
    await page.goto(`${bridge.address}/dashboard/jobs/${pair}`);
    await expect.poll(() => shownWidth(page)).toBe(192);

    expect(checks).toBe(1);
    release.resolve();
  });

  it.each([
    ['kept', 'original', /^[^/]+\.png$/],
    ['resigned', 'image', /^[^/]+\.png$/],
  ] as const)(
    'are saved as a manifest and as a file from the story of an image whose credentials were %s',
    async (credentials, label, name) => {
      const page = await openJob(
        { found: 'trusted', credentials, mark: 'none' },
        { check: { state: 'valid', manifest: renewed } },
      );
      await page.route(/\/v1\/artifacts\/[0-9a-f]+\/manifest$/, (route) =>
        route.fulfill({ contentType: 'application/c2pa', body: 'a manifest store' }),
      );
      await section(page).getByRole('button', { name: 'Story' }).click();
      const story = page.getByRole('dialog', { name: 'How this image came to be' });

      const [manifest] = await Promise.all([
        page.waitForEvent('download'),
        story.getByRole('button', { name: 'Save the manifest' }).click(),
      ]);
      const [image] = await Promise.all([
        page.waitForEvent('download'),
        story.getByRole('button', { name: `Save the ${label}` }).click(),
      ]);

      expect(manifest.suggestedFilename()).toMatch(/^[^/]+\.c2pa$/);
      expect(await readFile(await manifest.path(), 'utf8')).toBe('a manifest store');
      expect(image.suggestedFilename()).toMatch(name);
      expect((await readFile(await image.path())).subarray(1, 4).toString()).toBe('PNG');
      const lost = story.getByText('The bridge did not keep the original image.');
      expect(await lost.count()).toBe(credentials === 'kept' ? 0 : 1);
    },
  );
});

describe('the credentials of the images in the gallery', () => {
  /** Opens the gallery. The images of both jobs have these facts. */
  async function openGallery(facts: Pick<Provenance, 'found' | 'credentials'>, theme?: 'dark') {
    const page = await openPage(bridge.address, theme ? { theme } : {});
    await page.route(/\/v1\/jobs\?/, async (route) => {
      const reply = await route.fetch();
      const json = (await reply.json()) as { items: { artifacts: { provenance?: object }[] }[] };
      for (const { artifacts } of json.items) {
        for (const image of artifacts) image.provenance = facts;
      }
      await route.fulfill({ response: reply, json });
    });
    await page.reload();
    return page;
  }

  const card = (page: Page, name: string | RegExp) => page.getByRole('link', { name });

  it('are shown on a card without request only if the image was changed after it was signed', async () => {
    const page = await openGallery({ found: 'invalid', credentials: 'kept' });

    await card(page, 'A lake by moonlight. Changed').waitFor();
    expect(await page.locator('.card .signs').first().textContent()).toBe('Changed');
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'credentials-gallery-changed');
  });

  it.each([undefined, 'dark'] as const)(
    'are shown on every card on request, which stays after a reload (%s)',
    async (theme) => {
      const page = await openGallery({ found: 'valid', credentials: 'dropped' }, theme);
      await card(page, 'A lake by moonlight').waitFor();
      expect(await page.locator('.card .signs .badge').count()).toBe(0);

      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Credentials' }).click();

      await card(page, 'A lake by moonlight. Credentials lost').waitFor();
      await card(page, /^Two lakes.*Credentials lost/).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await keepScreenshot(page, `credentials-gallery-${theme ?? 'light'}`);

      await page.reload();

      await card(page, 'A lake by moonlight. Credentials lost').waitFor();
    },
  );
});

describe('the group File', () => {
  it('says before an image is made what the record means for its credentials', async () => {
    const page = await openPage(bridge.address);
    await page.getByLabel('Prompt', { exact: true }).fill('A lake at noon');
    await page.getByRole('button', { name: /^File/ }).click();
    await page.getByText('they keep their Content Credentials.', { exact: false }).waitFor();

    await page.getByLabel('Record').selectOption('sidecar_and_embedded');

    await page.getByText('and the record is only beside them.', { exact: false }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await keepScreenshot(page, 'credentials-file');
  });

  it.each([
    ['would_drop', 'the conversion to WebP removes their Content Credentials.'],
    ['would_resign', 'the bridge signs them again'],
  ])('says that a format has the plan %s', async (credentials, said) => {
    const page = await openPage(bridge.address);
    await page.route(/\/v1\/plan$/, async (route) => {
      const reply = await route.fetch();
      const json = (await reply.json()) as {
        routes: { credentials?: string; effective: { output_format: string } }[];
      };
      // The sandbox makes every format, so the plan of a model that makes only PNG is simulated.
      for (const each of json.routes) {
        if (each.effective.output_format !== 'png') each.credentials = credentials;
      }
      await route.fulfill({ response: reply, json });
    });
    await page.getByLabel('Prompt', { exact: true }).fill('A lake at noon');
    await page.getByRole('button', { name: /^File/ }).click();
    await page.getByText('they keep their Content Credentials.', { exact: false }).waitFor();

    await page.getByRole('radio', { name: 'WebP' }).click();

    await page.getByText(said, { exact: false }).waitFor();
  });
});

describe('the credentials of images that a bridge signs', () => {
  it('name the signer of the bridge and the signer of the source, and are gone if the file was changed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'signed-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const files = await writeCertificates(folder, trialCertificates());
    const signer = createProviderSigner(trialCertificates({ organisation: 'مصنع الصور' }));
    const source = await signer.sign(await sampleImage('png', 256), 'png');
    signer.close();
    const signing = await startDashboard({
      set: [
        `provenance.signing.certificate_file=${files.certificate_file}`,
        `provenance.signing.key_file=${files.key_file}`,
        'provenance.signing.scope=all',
        `provenance.trust_anchors_file=${files.trust_anchors_file}`,
      ],
    });
    const [edited] = await makeJobs(signing.address, [
      {
        ...{ operation: 'edit', prompt: 'A warmer lake' },
        images: [{ type: 'base64', data: source.toString('base64') }],
      },
    ]);
    const page = await openPage(signing.address, {
      ...{ path: `/dashboard/jobs/${edited}`, expects: [/404|Failed to load/] },
    });

    await section(page).getByText('Signed by this bridge').waitFor();
    await section(page).getByRole('button', { name: 'Check' }).click();
    await section(page).getByText('trusted').waitFor();
    await section(page).getByRole('button', { name: 'Story' }).click();
    await page.getByText('مصنع الصور').waitFor();
    await keepScreenshot(page, 'credentials-signed');

    await writeArtifact(signing, edited, source);
    await page.reload();
    await section(page).getByRole('button', { name: 'Check' }).click();
    await section(page).getByText('The image file is missing or changed').waitFor();
  });

  /** Replaces the file of the only image of a job. */
  async function writeArtifact(
    at: StartedBridge,
    job: string | undefined,
    bytes: Uint8Array,
  ): Promise<void> {
    const reply = await fetch(`${at.address}/v1/jobs/${job}`);
    const { result } = (await reply.json()) as { result: { data: { name: string }[] } };
    await writeFile(join(at.cwd, 'data', 'artifacts', result.data[0]?.name ?? ''), bytes);
  }
});
