// Measures what 200 opened jobs leave behind: the heap of the page, its nodes and its object URLs, every 50 jobs.
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { heapBytes } from '../support/measure.ts';
import { openPage } from '../support/open-page.ts';
import { makeJobs } from '../support/submit-jobs.ts';

const OPENED = 200;
const EVERY = 50;

const bridge = await startDashboard({ set: ['providers.sandbox.latency_ms=0'] });
await makeJobs(
  bridge.address,
  Array.from({ length: 20 }, (_, index) => ({
    prompt: `Dune ${index}`,
    parameters: { size: '256x256', n: 2 },
  })),
);
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
  await page.keyboard.press('Escape');
  await page.locator('.job-screen').waitFor({ state: 'detached' });
  if (opened % EVERY === 0) await report(opened);
}
await closeBrowser();
await cleanUp();

async function report(opened: number): Promise<void> {
  const heap = await heapBytes(page);
  const [nodes, urls] = (await page.evaluate(
    "[document.querySelectorAll('*').length, urls]",
  )) as readonly [number, number];
  console.log(
    `${opened} opened: heap ${(heap / 1e6).toFixed(2)} MB, ${nodes} elements, ${urls} object URLs`,
  );
}
