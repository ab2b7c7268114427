// npm run bench:gallery -- [--jobs N]: measures scrolling through the whole gallery and back, screen by screen, and the frames of gentle
// scrolling. Prints figures and asserts nothing.
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { inMs, percentile } from '../../bench/measure/statistics.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { heapBytes, traceTasks } from '../support/measure.ts';
import { closePages, openPage } from '../support/open-page.ts';

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '2000' } } });
const count = Number(values.jobs);
const SIZES = ['96x64', '64x64', '64x96', '128x72', '96x64'] as const;
const AT_ONCE = 8;
/** The number of steps of gentle scrolling. */
const GENTLE_STEPS = 300;

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
const frames = await gentleFrames(page);
console.log(
  `\nframes of gentle scrolling, 50 px every 50 ms: p50 ${inMs(percentile(frames, 0.5))}, p95 ${inMs(percentile(frames, 0.95))}`,
);
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

/** Scrolls down in small steps from the top. Resolves with the times between the frames. */
async function gentleFrames(view: Page): Promise<readonly number[]> {
  await view.locator('.feed').evaluate((feed) => feed.scrollTo({ top: 0 }));
  await view.waitForTimeout(500);
  return view.evaluate(
    (steps) =>
      new Promise<number[]>((resolve) => {
        const durations: number[] = [];
        let last = performance.now();
        const note = (now: number) => {
          durations.push(now - last);
          last = now;
          frame = requestAnimationFrame(note);
        };
        let frame = requestAnimationFrame(note);
        let left = steps;
        // Steps of the page are used, because steps of the test would occupy another core.
        const timer = setInterval(() => {
          document.querySelector('.feed')?.scrollBy({ top: 50 });
          left -= 1;
          if (left > 0) return;
          clearInterval(timer);
          cancelAnimationFrame(frame);
          resolve(durations);
        }, 50);
      }),
    GENTLE_STEPS,
  );
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
