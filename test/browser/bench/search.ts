// npm run bench:search -- [--jobs N] [--rounds N] [--slowdown N] [--pause MS]: measures the time from a typed word to the cards that it
// finds, in a history of many jobs, with the time of the reply of the bridge. `--slowdown` slows down the thread of the page by this
// factor, and `--pause` is the time between the cards and the next word. Prints figures and asserts nothing.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { writeJobs } from '../../bench/jobs/million-jobs.ts';
import { inMs, percentile } from '../../bench/measure/statistics.ts';
import { cleanUp, freshFolder } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { cpuMs } from '../support/measure.ts';
import { closePages, openPage } from '../support/open-page.ts';
import { searchField } from '../support/search-field.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '40' },
    slowdown: { type: 'string', default: '1' },
    pause: { type: 'string', default: '0' },
  },
});

/** Words and pairs of words that are in some of the prompts. */
const SEARCHES = ['fox', 'light', 'red snow', 'window fox', 'harbour', 'snow light', 'cat', 'old'];

/** The size of a thumbnail, in pixels. */
const EDGES = { width: 256, height: 256 };

const cwd = await freshFolder();
const state = join(cwd, 'data', 'state');
await mkdir(state, { recursive: true, mode: 0o700 });
writeJobs(join(state, 'bridge.sqlite'), Number(values.jobs), 'anonymous');
const bridge = await startDashboard({
  cwd,
  set: [
    'server.jobs.max_retained=10000000',
    'server.jobs.max_retained_bytes=1000000000000',
    // The jobs of the history are years old.
    'server.jobs.retention_secs=1000000000',
    // The queued jobs of the history wait, because drawing their images would occupy both cores.
    'server.jobs.max_running=1',
    'providers.sandbox.latency_ms=600000',
  ],
});
const page = await openPage(bridge.address, { cpuSlowdown: Number(values.slowdown) });
// The jobs have no files, so that all have one thumbnail. The reply is made in the page, because a route of the test would delay all
// requests.
const thumbnail = await sharp({ create: { ...EDGES, channels: 3, background: '#468' } })
  .jpeg()
  .toBuffer();
await page.evaluate((encoded) => {
  const send = window.fetch;
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  window.fetch = async (...asked) =>
    asked[0] instanceof Request && asked[0].url.includes('/thumbnail?')
      ? new Response(bytes, { headers: { 'content-type': 'image/jpeg' } })
      : send(...asked);
}, thumbnail.toString('base64'));
await page.locator('.card').first().waitFor();
// The index of the search is made once, after which it is kept.
await indexed(bridge.address);
const field = searchField(page);
const toCards: number[] = [];
const toImages: number[] = [];
const ofReply: number[] = [];
const ofPage: number[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const search = SEARCHES[round % SEARCHES.length] ?? '';
  const seen = page.evaluate(watchCards, search.split(' '));
  const usedMs = await cpuMs(page);
  await field.fill(search);
  const { cardsMs, imagesMs } = await seen;
  ofPage.push((await cpuMs(page)) - usedMs);
  toCards.push(cardsMs);
  toImages.push(imagesMs);
  ofReply.push(await page.evaluate(lastReplyMs));
  await page.waitForTimeout(Number(values.pause));
}
await closePages();
await closeBrowser();
await cleanUp();
row('typed word to its cards, with the pause after typing', toCards);
row('typed word to the images of the cards in the viewport', toImages);
row('reply of the bridge', ofReply);
row('CPU time of the thread of the page', ofPage);

/**
 * Resolves with the times until the frame with the first cards whose prompts contain these words has been painted, and until the frame
 * with the images of all cards in the viewport has been painted.
 */
function watchCards(words: readonly string[]) {
  return new Promise<{ readonly cardsMs: number; readonly imagesMs: number }>((resolve) => {
    const startMs = performance.now();
    performance.clearResourceTimings();
    let cardsMs = Number.NaN;
    let isShown = false;
    const isFound = ({ outerHTML }: Element) =>
      words.every((word) => outerHTML.toLowerCase().includes(word));
    const isSeen = (card: Element) => card.getBoundingClientRect().top < innerHeight;
    const isComplete = (card: Element) =>
      card.querySelector('.skeleton') === null &&
      [...card.querySelectorAll('img')].every(({ complete }) => complete);
    // Until the reply arrives, the gallery shows the cards of the search before, or the shapes of cards.
    const look = () => {
      const [...cards] = document.querySelectorAll('.feed-in .card');
      // The timer follows the frame that contains what has been found.
      if (cards.length > 0 && cards.slice(0, 6).every(isFound)) {
        if (!isShown) {
          isShown = true;
          setTimeout(() => {
            cardsMs = performance.now() - startMs;
          });
        }
        const seen = cards.filter(isSeen);
        if (seen.every(isComplete)) {
          setTimeout(() => resolve({ cardsMs, imagesMs: performance.now() - startMs }));
          return;
        }
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

/** Returns the duration of the latest search, in the page. */
function lastReplyMs(): number {
  const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const last = all.filter(({ name }) => name.includes('limit=60') && name.includes('&q=')).at(-1);
  return last === undefined ? Number.NaN : last.duration;
}

/** Resolves when two searches for a word that no prompt contains have been answered quickly, which only an index can do. */
async function indexed(address: string): Promise<void> {
  for (let quick = 0; quick < 2; ) {
    const startMs = performance.now();
    await (await fetch(`${address}/v1/jobs?limit=1&q=quetzalcoatl`)).arrayBuffer();
    quick = performance.now() - startMs < 50 ? quick + 1 : 0;
    await page.waitForTimeout(200);
  }
}

function row(name: string, durations: readonly number[]): void {
  console.log(
    `${name}, ${values.jobs} jobs: p50 ${inMs(percentile(durations, 0.5))}, p95 ${inMs(percentile(durations, 0.95))}`,
  );
}
