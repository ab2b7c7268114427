// npm run bench:gallery -- [--jobs N] [--step PIXELS]: scrolls gently through the whole gallery and back, and then screen by screen.
// Measures the frames, the cards in the document, the heap after every 1,000 images, and the longest tasks. Prints figures and asserts
// nothing.
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { percentile } from '../../bench/measure/statistics.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { heapBytes, traceTasks } from '../support/measure.ts';
import { closePages, openPage } from '../support/open-page.ts';
import { makeJobs } from '../support/submit-jobs.ts';

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '5000' }, step: { type: 'string', default: '50' } },
});
const count = Number(values.jobs);
/** The pixels of a step of gentle scrolling. */
const step = Number(values.step);
const STEP_MS = 50;
const SIZES = ['96x64', '64x64', '64x96', '128x72', '96x64'] as const;
const AT_ONCE = 8;
/** The images between two measurements of the heap. */
const PART = 1000;

type Direction = 1 | -1;

const bridge = await startDashboard({
  set: [`server.jobs.max_pending=${count + AT_ONCE}`, 'providers.sandbox.latency_ms=0'],
});
await makeJobs(
  bridge.address,
  Array.from({ length: count }, (_, number) => ({
    prompt: `A small image, number ${number}`,
    parameters: { size: SIZES[number % SIZES.length] },
  })),
);
const page = await openPage(bridge.address);
await page.locator('.card img').first().waitFor();

console.log(`${count} jobs of one image, 1440 x 900, ${step} px every ${STEP_MS} ms\n`);
console.log(
  '| way | images | frames, ms: p50 | p95 | worst | most cards in the document | heap, MB |',
);
console.log('|---|---|---|---|---|---|---|');
console.log(`| – | 0 | – | – | – | – | ${await heap()} |`);
for (const [way, direction] of [
  ['down', 1],
  ['up', -1],
] as const) {
  for (let images = PART; images <= count; images += PART) {
    const { frames, cards } = await scrollGently(page, direction, images);
    const times = [percentile(frames, 0.5), percentile(frames, 0.95), Math.max(...frames)];
    const columns = [way, images, ...times.map((ms) => ms.toFixed(1)), cards, await heap()];
    console.log(`| ${columns.join(' | ')} |`);
  }
}

console.log('\nOne screen every 100 ms\n');
console.log('| way | screens | longest task, ms of CPU | tasks over 50 ms of CPU | heap, MB |');
console.log('|---|---|---|---|---|');
for (const [way, direction] of [
  ['down again', 1],
  ['up again', -1],
] as const) {
  const trace = await traceTasks(page);
  const screens = await scrollScreens(page, direction);
  const tasks = await trace.end();
  const long = tasks.filter((milliseconds) => milliseconds > 50).length;
  const longest = Math.round(tasks.toSorted((a, b) => b - a)[0] ?? 0);
  console.log(`| ${way} | ${screens} | ${longest} | ${long} | ${await heap()} |`);
}
for (const problem of await closePages()) console.error(problem);
await closeBrowser();
await cleanUp();

async function heap(): Promise<string> {
  return ((await heapBytes(page)) / 1e6).toFixed(2);
}

/**
 * Scrolls in small steps until this number of images has passed, or the end of the list is reached. Resolves with the times between the
 * frames and with the largest number of cards.
 */
function scrollGently(view: Page, direction: Direction, images: number) {
  return view.evaluate(
    ({ by, everyMs, last }) =>
      new Promise<{ readonly frames: readonly number[]; readonly cards: number }>((resolve) => {
        const frames: number[] = [];
        const shown = document.getElementsByClassName('card');
        const feed = document.querySelector('.feed');
        let [cards, still] = [0, 0];
        let before = performance.now();
        let frame = requestAnimationFrame(note);
        function note(now: number): void {
          frames.push(now - before);
          before = now;
          cards = Math.max(cards, shown.length);
          frame = requestAnimationFrame(note);
        }
        const isPassed = () => {
          // The first card in the document is the focused card, wherever the list is scrolled to.
          const name = shown[shown.length - 1]?.textContent ?? '';
          const number = Number(/number (\d+)/.exec(name)?.[1] ?? Number.NaN);
          return by > 0 ? number <= last : number >= last;
        };
        // Steps of the page are used, because steps of the test would occupy another core.
        const timer = setInterval(() => {
          const { scrollTop = 0 } = feed ?? {};
          feed?.scrollBy({ top: by });
          still = feed?.scrollTop === scrollTop ? still + 1 : 0;
          if (still < 20 && !isPassed()) return;
          clearInterval(timer);
          cancelAnimationFrame(frame);
          resolve({ frames, cards });
        }, everyMs);
      }),
    { by: direction * step, everyMs: STEP_MS, last: direction > 0 ? count - 1 - images : images },
  );
}

/** Scrolls screen by screen to the end of the list. Resolves with the number of screens. */
async function scrollScreens(view: Page, direction: Direction): Promise<number> {
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
