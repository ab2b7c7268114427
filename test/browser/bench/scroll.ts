// npm run bench:gallery -- [--jobs N]: measures scrolling through the whole gallery and back, screen by screen. Prints
// figures and asserts nothing.
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { heapBytes, traceTasks } from '../support/measure.ts';
import { closePages, openPage } from '../support/open-page.ts';

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '2000' } } });
const count = Number(values.jobs);
const SIZES = ['96x64', '64x64', '64x96', '128x72', '96x64'] as const;
const AT_ONCE = 8;

const bridge = await startDashboard({ set: [`server.jobs.max_pending=${count + AT_ONCE}`] });
await makeSmallJobs();
const page = await openPage(bridge.address);
await page.locator('.card img').first().waitFor();

console.log(`${count} jobs of one image, 1440 x 900, one screen every 100 ms\n`);
console.log(
  '| way | screens | longest task, ms of CPU | tasks over 50 ms of CPU | cards in the document | heap, MB |',
);
console.log('|---|---|---|---|---|---|');
for (const way of ['down, first time', 'up', 'down again', 'up again']) {
  const trace = await traceTasks(page);
  const screens = await scroll(page, way.startsWith('down') ? 1 : -1);
  const tasks = await trace.end();
  const long = tasks.filter((milliseconds) => milliseconds > 50).length;
  const cards = await page.locator('.card').count();
  const heap = (await heapBytes(page)) / 1e6;
  console.log(
    `| ${way} | ${screens} | ${Math.round(Math.max(0, ...tasks))} | ${long} | ${cards} | ${heap.toFixed(1)} |`,
  );
}
for (const problem of await closePages()) console.error(problem);
await closeBrowser();
await cleanUp();

/** Fills the history slowly, but with real files. */
async function makeSmallJobs(): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const ids: string[] = [];
  async function work(): Promise<void> {
    for (const number of numbers) {
      const parameters = { size: SIZES[number % SIZES.length] };
      const reply = await fetch(`${bridge.address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: `A small image, number ${number}`, parameters }),
      });
      ids.push(((await reply.json()) as { readonly id: string }).id);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const id of ids) await fetch(`${bridge.address}/v1/jobs/${id}?wait_ms=30000`);
}

/** Scrolls screen by screen to the end of the list. Resolves with the number of screens. */
async function scroll(view: Page, direction: 1 | -1): Promise<number> {
  await view.mouse.move(900, 500);
  let screens = 0;
  for (let still = 0; still < 10; ) {
    const before = await view.locator('.feed').evaluate((feed) => feed.scrollTop);
    await view.mouse.wheel(0, direction * 800);
    await view.waitForTimeout(100);
    const after = await view.locator('.feed').evaluate((feed) => feed.scrollTop);
    still = before === after ? still + 1 : 0;
    screens += 1;
  }
  return screens - 10;
}
