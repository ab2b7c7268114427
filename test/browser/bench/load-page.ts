import { cpuMs, heapBytes, longTasks } from '../support/measure.ts';
import { openPage } from '../support/open-page.ts';

/** The time without a task of more than 50 ms after which a page counts as settled. */
const QUIET_MS = 1000;

/**
 * Visits a page with an empty cache and a CPU slowed down four times. The page is interactive at the end of the last
 * long task before it settles, or at the first paint if there is none.
 */
export async function loadPage(address: string, path: string) {
  const page = await openPage(address, { path, cpuSlowdown: 4 });
  let tasks = await longTasks(page);
  const lastEnd = () =>
    Math.max(0, ...tasks.map(({ startMs, durationMs }) => startMs + durationMs));
  for (;;) {
    const end = lastEnd();
    await page.waitForFunction((quietAt) => performance.now() > quietAt, end + QUIET_MS);
    tasks = await longTasks(page);
    if (lastEnd() === end) break;
  }
  const { firstPaintMs, codeBytes } = await page.evaluate(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const loaded = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    const code = loaded.filter(({ name }) => !new URL(name).pathname.startsWith('/v1/'));
    return {
      firstPaintMs: paint?.startTime ?? Number.NaN,
      codeBytes: code.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    };
  });
  return {
    firstPaintMs,
    codeBytes,
    interactiveMs: Math.max(firstPaintMs, lastEnd()),
    longestTaskMs: Math.max(0, ...tasks.map(({ durationMs }) => durationMs)),
    cpuMs: await cpuMs(page),
    heap: await heapBytes(page),
  };
}
