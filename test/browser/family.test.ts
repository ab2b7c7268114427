import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartedBridge } from '../support/start-bridge.ts';
import { accessibilityProblems } from './support/accessibility.ts';
import { startDashboard } from './support/dashboard.ts';
import { openPage } from './support/open-page.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { listJobs, makeJobs } from './support/submit-jobs.ts';

let bridge: StartedBridge;
let source: string;
let edit: string;
let variant: string;
let last: string;

beforeAll(async () => {
  bridge = await startDashboard();
  const size = '768x512';
  const make = async (prompt: string, n: number, from?: readonly [job: string, image: number]) => {
    const parent = (await listJobs(bridge.address)).find(({ id }) => id === from?.[0]);
    const artifact = parent?.artifacts[from?.[1] ?? 0];
    const images = artifact ? [{ type: 'artifact', artifact_id: artifact.id }] : undefined;
    const request = {
      prompt,
      parameters: { n, size },
      ...(images && { operation: 'edit', images }),
    };
    const [id = ''] = await makeJobs(bridge.address, [request]);
    return id;
  };
  source = await make('A mountain lake at dusk', 3);
  edit = await make('The same lake by moonlight', 2, [source, 1]);
  variant = await make('The same lake in winter', 1, [source, 0]);
  last = await make('The lake by moonlight with a boat', 1, [edit, 0]);
});

type Options = Parameters<typeof openPage>[1];

async function openJob(id: string, options: Options = {}): Promise<Page> {
  const page = await openPage(bridge.address, { path: `/dashboard/jobs/${id}`, ...options });
  await page.getByRole('region', { name: 'Family' }).waitFor();
  await page.waitForFunction(() => {
    const images = [...document.querySelectorAll('.kin-image')];
    return images.length > 0 && images.every((each) => each.querySelector('img') !== null);
  });
  return page;
}

const image = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Family' }).getByRole('button', { name, exact: true });
const jobIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1);

describe('the family of a job', () => {
  it('shows all relatives, and opens the image that is pressed', async () => {
    const page = await openJob(edit);

    expect(await page.locator('.family header .num').textContent()).toBe('7 images in 4 jobs');
    await image(page, 'A mountain lake at dusk, image 2 of 3').click();

    await expect.poll(() => jobIn(page)).toBe(source);
    await page.getByRole('heading', { name: 'A mountain lake at dusk' }).waitFor();
    const pressed = image(page, 'A mountain lake at dusk, image 2 of 3');
    await expect.poll(() => pressed.getAttribute('aria-pressed')).toBe('true');
  });

  it('compares any two relatives', async () => {
    const page = await openJob(last);

    await image(page, 'The same lake in winter, image 1 of 1').focus();
    await page.keyboard.press('a');
    await page.getByRole('slider').waitFor();
    await image(page, 'A: The same lake in winter, image 1 of 1').waitFor();
    await image(page, 'The same lake by moonlight, image 2 of 2').click();

    await expect.poll(() => jobIn(page)).toBe(edit);
    await image(page, 'A: The same lake in winter, image 1 of 1').waitFor();
    await image(page, 'B: The same lake by moonlight, image 2 of 2').waitFor();
    await page.getByRole('slider').waitFor();
  });

  it('compares any two relatives by touch alone, and brings the job in view into the strip', async () => {
    const page = await openJob(last, { size: 'phone', touch: true });
    const seen = () =>
      page
        .locator('.kin[aria-current="true"] .kin-image')
        .first()
        .evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          return left >= 0 && right <= innerWidth;
        });
    await expect.poll(seen).toBe(true);

    await page.getByRole('button', { name: 'Compare with…' }).tap();
    await page.getByText('Press the image to compare with.').waitFor();
    await image(page, 'The same lake in winter, image 1 of 1').tap();

    await page.getByRole('slider').waitFor();
    await image(page, 'A: The same lake in winter, image 1 of 1').waitFor();
    expect(jobIn(page)).toBe(last);
    await page.getByRole('button', { name: 'Compare with…' }).waitFor();
  });

  it('marks the source of a comparison where it was made, and keeps it when another relative is opened', async () => {
    const page = await openJob(edit);

    await page.getByRole('radio', { name: 'Slider' }).click();
    await image(page, 'A: A mountain lake at dusk, image 2 of 3').waitFor();
    await image(page, 'The same lake in winter, image 1 of 1').click();

    await expect.poll(() => jobIn(page)).toBe(variant);
    await image(page, 'A: A mountain lake at dusk, image 2 of 3').waitFor();
    await image(page, 'B: The same lake in winter, image 1 of 1').waitFor();
  });

  it('says of each branch from which image it was made, and names the keys', async () => {
    const page = await openJob(edit);
    const captions = page.locator('.kin small');

    expect((await captions.allTextContents()).toSorted()).toEqual([
      'A mountain lake at dusk',
      'Edit of 1: The lake by moonlight with a boat',
      'Edit of 1: The same lake in winter',
      'Edit of 2: The same lake by moonlight',
    ]);
    expect(await page.locator('.family-keys').innerText()).toMatch(/T\s*walk/);
  });

  it('names a variation and a crop after the image that they were made from', async () => {
    const prompt = 'A harbour in fog';
    const [harbour = ''] = await makeJobs(bridge.address, [{ prompt }]);
    const jobs = await listJobs(bridge.address);
    const artifacts = jobs.find(({ id }) => id === harbour)?.artifacts ?? [];
    const images = [{ type: 'artifact', artifact_id: artifacts[0]?.id }];
    await makeJobs(bridge.address, [{ prompt, images, operation: 'edit' }]);
    const page = await openJob(harbour);
    await fetch(`${bridge.address}/v1/artifacts/${artifacts[0]?.id}/crop`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ x: 0, y: 0, width: 256, height: 256 }),
    });

    await page.getByText('Varied from 1').waitFor();
    await page.locator('.kin').getByText('Crop of 1').waitFor();
    await page.locator('.kin', { hasText: 'Crop of 1' }).getByRole('button').click();
    await page.getByText(/^Cropped by the bridge, /).waitFor();
    await page.getByText('Cropped by the bridge', { exact: true }).waitFor();
  });

  it('names A and B of a comparison by their prompts and their numbers', async () => {
    const page = await openJob(edit);
    await page.getByRole('radio', { name: 'Slider' }).click();
    const badges = page.locator('.image-badge');

    await expect
      .poll(() => badges.evaluateAll((all) => all.map((each) => (each as HTMLElement).innerText)))
      .toEqual(
        ['A\nA mountain lake at dusk\n2 of 3', 'B\nThe same lake by moonlight\n1 of 2'].map(
          (each) => expect.stringMatching(new RegExp(each.replaceAll('\n', '\\s*'))),
        ),
      );
    expect(await page.locator('.image-bar strong').innerText()).toMatch(/^B\s*Image 1 of 2$/);
    await keepScreenshot(page, 'family-badges');
  });

  it('says which images led to the image in view, and opens them', async () => {
    const page = await openJob(last);
    const steps = page.locator('.way-section .step');

    expect(await steps.locator('b').allTextContents()).toEqual([
      'A mountain lake at dusk, image 2 of 3',
      'The same lake by moonlight, image 1 of 2',
      'The lake by moonlight with a boat',
    ]);
    expect(await steps.last().getAttribute('aria-current')).toBe('true');
    await steps.first().click();

    await expect.poll(() => jobIn(page)).toBe(source);
    await expect.poll(() => steps.count()).toBe(0);
  });

  it('says what changed from A to B, and takes all settings of A or one of them', async () => {
    const page = await openJob(edit);
    const changes = page.locator('.changes-section');
    const row = changes.locator('.fact-list > div');

    await page.getByRole('radio', { name: 'Slider' }).click();
    await expect
      .poll(() => changes.locator('del').allTextContents())
      .toEqual(['A mountain', 'at dusk']);
    expect(await changes.locator('ins').allTextContents()).toEqual(['The same', 'by moonlight']);
    expect(await row.locator('dt').allTextContents()).toEqual(['Images']);
    expect(await row.locator('.got').innerText()).toMatch(/^3\s*2$/);
    await changes.getByRole('button', { name: 'Swap' }).click();
    await expect
      .poll(() => changes.locator('ins').allTextContents())
      .toEqual(['A mountain', 'at dusk']);
    await changes.getByRole('button', { name: 'Use Images of A: 2' }).click();
    await page.getByText('The new image has the settings of A').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    const count = page.getByRole('spinbutton', { name: 'Number of images' });
    await expect.poll(() => count.inputValue()).toBe('2');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => count.inputValue()).toBe('1');
    await page.goto(`${bridge.address}/dashboard/jobs/${edit}?view=slider`);
    await changes.getByRole('button', { name: 'Use the settings of A' }).click();
    await page.getByRole('button', { name: 'Back' }).click();

    await expect.poll(() => count.inputValue()).toBe('3');
    await page
      .getByRole('button', { name: /^768 × 512|Custom size/ })
      .first()
      .waitFor();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('');
  });

  it('folds a long prompt that is compared after six lines, and shows all of it on request', async () => {
    const prompt = 'A lake between mountains, painted with a broad brush. '.repeat(20);
    const [whole = ''] = await makeJobs(bridge.address, [{ prompt }]);
    const [artifact] =
      (await listJobs(bridge.address)).find(({ id }) => id === whole)?.artifacts ?? [];
    const images = [{ type: 'artifact', artifact_id: artifact?.id }];
    const changed = { prompt: `${prompt} At night.`, operation: 'edit', images };
    const [id = ''] = await makeJobs(bridge.address, [changed]);
    const page = await openJob(id);
    const long = page.locator('.changes-section .prose');

    await page.getByRole('radio', { name: 'Slider' }).click();
    await expect.poll(() => long.evaluate((it) => getComputedStyle(it).webkitLineClamp)).toBe('6');
    await page.locator('.changes-section summary').click();

    expect(await long.evaluate((it) => getComputedStyle(it).display)).toBe('block');
  });

  it('shows no changes for two images of one request', async () => {
    const page = await openJob(source);

    await page.getByRole('radio', { name: 'Slider' }).click();
    await page.getByRole('slider').waitFor();

    expect(await page.locator('.changes-section').count()).toBe(0);
  });

  it('is walked with the keyboard alone', async () => {
    const page = await openJob(variant);
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');

    await page.keyboard.press('t');
    expect(await focused()).toBe('The same lake in winter, image 1 of 1');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('A mountain lake at dusk, image 1 of 3');
    for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('The same lake by moonlight, image 1 of 2');
    await page.keyboard.press('Enter');
    await expect.poll(() => jobIn(page)).toBe(edit);
    await page.keyboard.press('Escape');

    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('adds a job that is made meanwhile', async () => {
    const page = await openJob(variant);
    const [parent] = (await listJobs(bridge.address)).filter(({ id }) => id === variant);
    const images = [{ type: 'artifact', artifact_id: parent?.artifacts[0]?.id }];

    await makeJobs(bridge.address, [{ operation: 'edit', prompt: 'The lake in spring', images }]);

    await image(page, 'The lake in spring, image 1 of 1').waitFor();
  });

  it('keeps the focus on a job that ends', async () => {
    const setPaused = (paused: boolean) =>
      fetch(`${bridge.address}/v1/queue`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ paused }),
      });
    const page = await openJob(last);
    await setPaused(true);
    await page.keyboard.press('v');
    await page.locator('.kin:last-child .kin-image').waitFor();
    const waiting = page.getByRole('button', { name: /boat, Queued/ });
    await waiting.focus();

    await setPaused(false);
    await waiting.waitFor({ state: 'detached' });

    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel);
    await expect.poll(focused).toBe('The lake by moonlight with a boat, image 1 of 1');
  });

  it('leaves room for the names of the views and the actions on a small laptop', async () => {
    const page = await openJob(edit, { size: { width: 1280, height: 800 } });

    const boxes = await page
      .locator('.job-bar > div')
      .evaluateAll((parts) =>
        parts.map((part) => [...part.children].map((child) => child.getBoundingClientRect())),
      );

    const [title = [], views = [], tools = []] = boxes.map((part) =>
      part.map(({ left, right }) => ({ left, right })),
    );
    const end = (part: { readonly right: number }[]) => Math.max(...part.map(({ right }) => right));
    expect(end(title)).toBeLessThanOrEqual(views[0]?.left ?? 0);
    expect(end(views)).toBeLessThanOrEqual(tools[0]?.left ?? 0);
    expect(end(tools)).toBeLessThanOrEqual(1280);
    await expect.poll(() => page.getByTitle('Slider').count()).toBe(1);
  });

  it('stays folded until it is unfolded', async () => {
    const page = await openJob(edit);

    await page.getByRole('button', { name: 'Fold the family' }).click();
    expect(await page.locator('.family-tree').count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Show the family' }).click();

    await page.locator('.family-tree').waitFor();
  });

  it('is absent for a job without relatives', async () => {
    const [alone = ''] = await makeJobs(bridge.address, [{ prompt: 'A lone tree' }]);
    const page = await openPage(bridge.address, { path: `/dashboard/jobs/${alone}` });

    await page.getByRole('complementary', { name: 'About this job' }).waitFor();
    await page.locator('.job-screen main img').first().waitFor();

    expect(await page.locator('.family').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('has no accessibility problems, %s', async (theme) => {
    const page = await openJob(edit, { theme });
    await image(page, 'The same lake in winter, image 1 of 1').focus();
    await page.keyboard.press('a');
    await page.getByRole('slider').waitFor();
    await page.waitForFunction(() => document.querySelector('.job-screen .coming') === null);
    await keepScreenshot(page, `family-${theme}`);

    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('scrolls inside itself on a phone', async () => {
    const page = await openJob(edit, { size: 'phone' });

    await page.locator('.family').scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'family-phone');

    const { scrollWidth, innerWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      innerWidth: window.innerWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(innerWidth);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
