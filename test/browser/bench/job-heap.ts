// npm run bench:job -- [--families]: measures what 200 opened jobs leave behind: the heap of the page, its nodes and its object URLs,
// every 50 jobs. With --families, each job belongs to one of 10 families of three jobs, and a relative is opened from its family.
import { parseArgs } from 'node:util';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { heapBytes } from '../support/measure.ts';
import { openPage } from '../support/open-page.ts';
import { listJobs, makeJobs } from '../support/submit-jobs.ts';

const { values } = parseArgs({ options: { families: { type: 'boolean', default: false } } });
const OPENED = 200;
const EVERY = 50;

const bridge = await startDashboard({ set: ['providers.sandbox.latency_ms=0'] });
const parameters = { size: '256x256', n: 2 };
const sources = await makeJobs(
  bridge.address,
  Array.from({ length: values.families ? 10 : 20 }, (_, index) => ({
    prompt: `Dune ${index}`,
    parameters,
  })),
);
if (values.families) await makeEdits(sources);
const page = await openPage(bridge.address);
await page.evaluate(`
  globalThis.urls = 0;
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (blob) => { urls += 1; return createObjectURL.call(URL, blob); };
  URL.revokeObjectURL = (url) => { urls -= 1; revokeObjectURL.call(URL, url); };
`);
const cards = page.locator('.card-link');
await cards.first().waitFor();
await report(0);
for (let opened = 1; opened <= OPENED; opened += 1) {
  await cards.nth(opened % 10).press('Enter');
  await page.locator('.image-layer img').first().waitFor();
  if (values.families) await openRelative();
  await page.keyboard.press('Escape');
  // The first Escape leaves the family.
  if (values.families) await page.keyboard.press('Escape');
  await page.locator('.job-screen').waitFor({ state: 'detached' });
  if (opened % EVERY === 0) await report(opened);
}
await closeBrowser();
await cleanUp();

/** Makes two edits of the first image of each of these jobs. */
async function makeEdits(ids: readonly string[]): Promise<void> {
  const jobs = await listJobs(bridge.address);
  const edits = ids.flatMap((id, index) => {
    const artifact = jobs.find((job) => job.id === id)?.artifacts[0];
    const images = [{ type: 'artifact', artifact_id: artifact?.id }];
    return ['night', 'day'].map((time) => ({
      ...{ operation: 'edit', prompt: `Dune ${index} by ${time}`, images, parameters },
    }));
  });
  await makeJobs(bridge.address, edits);
}

/** Opens an image of another job of the family, and waits for the images of the family. */
async function openRelative(): Promise<void> {
  const images = page.locator('.kin-image');
  await images.nth(5).locator('img').waitFor();
  const before = page.url();
  await page.locator('.kin-image[aria-pressed="false"]').last().click();
  if (page.url() === before) await images.first().click();
  await page.locator('.image-layer img').first().waitFor();
}

async function report(opened: number): Promise<void> {
  const heap = await heapBytes(page);
  const [nodes, urls] = (await page.evaluate(
    "[document.querySelectorAll('*').length, urls]",
  )) as readonly [number, number];
  console.log(
    `${opened} opened: heap ${(heap / 1e6).toFixed(2)} MB, ${nodes} elements, ${urls} object URLs`,
  );
}
