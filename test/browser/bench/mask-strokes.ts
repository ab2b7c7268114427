// npm run bench:mask -- [--edge PIXELS]: measures the time until strokes on the mask of a large image are visible, from
// the pointer event to the frame on the screen, and the time without the wait for this frame, which a page cannot shorten. Prints
// figures and asserts nothing.
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { percentile } from '../../bench/measure/statistics.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { traceTasks } from '../support/measure.ts';
import { closePages, openPage } from '../support/open-page.ts';
import { traceInput } from '../support/trace-input.ts';

const { values } = parseArgs({ options: { edge: { type: 'string', default: '4096' } } });
const edge = Number(values.edge);
const STROKES = 3;
/** The moves of a stroke, one in each frame of a 60 Hz screen. */
const MOVES = 30;
const FRAME_MS = 16;

const bridge = await startDashboard();
const page = await openPage(bridge.address);
await openEditor();
const surface = page.locator('.canvas-stage .surface');

console.log(`${STROKES} strokes on ${edge} x ${edge}, 1440 x 900; until seen, ms\n`);
console.log(
  '| brush, pixels | changes seen | median | p95 | worst | all but the frame: median | p95 | worst | frame, ms of CPU: median | p95 | worst |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|---|');
for (const part of [0.1, 0.5]) {
  const size = await chooseSize(part);
  const input = await traceInput(page);
  await paintStrokes(page);
  const inputs = await input.end();
  const seen = inputs.map(({ milliseconds }) => milliseconds);
  const withoutFrame = inputs.map(({ milliseconds, untilFrameMs }) => milliseconds - untilFrameMs);
  const tasks = await traceTasks(page);
  await paintStrokes(page);
  const frames = framesOf(await tasks.end());
  const figures = [seen, withoutFrame, frames].flatMap((times) => [
    percentile(times, 0.5),
    percentile(times, 0.95),
    Math.max(...times),
  ]);
  console.log(`| ${size} | ${seen.length} | ${figures.map((ms) => ms.toFixed(0)).join(' | ')} |`);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
}
for (const problem of await closePages()) console.error(problem);
await closeBrowser();
await cleanUp();

async function openEditor(): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const create = { width: edge, height: edge, channels: 3, background: '#000', noise } as const;
  const buffer = await sharp({ create }).jpeg().toBuffer();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'large.jpg', mimeType: 'image/jpeg', buffer });
  await page.getByRole('button', { name: 'Mask', exact: true }).click();
  await page.locator('.canvas-stage .surface').waitFor();
}

/**
 * Sets the brush to a fraction of the longest edge with the keys of its slider. Resolves with its diameter in pixels.
 */
async function chooseSize(part: number): Promise<number> {
  const slider = page.getByRole('slider', { name: 'Brush size' });
  const size = async () => Number(await page.locator('.brush-size .num').textContent());
  await slider.press('Home');
  while ((await size()) < part * edge * 0.95) await slider.press('ArrowRight');
  return size();
}

/** Returns the tasks that made the frames of all moves, which are the longest. Other programs do not increase them. */
function framesOf(tasks: readonly number[]): readonly number[] {
  return tasks.toSorted((a, b) => b - a).slice(0, STROKES * MOVES);
}

async function paintStrokes(view: Page): Promise<void> {
  const box = await surface.boundingBox();
  if (box === null) throw new Error('the surface is not shown');
  for (let stroke = 0; stroke < STROKES; stroke += 1) {
    const y = box.y + box.height * (0.25 + 0.2 * stroke);
    await view.mouse.move(box.x + box.width * 0.3, y);
    await view.mouse.down();
    for (let move = 1; move <= MOVES; move += 1) {
      const x = box.x + box.width * (0.3 + (0.4 * move) / MOVES);
      await view.mouse.move(x, y + 30 * Math.sin(move / 4));
      await view.waitForTimeout(FRAME_MS);
    }
    await view.mouse.up();
  }
}
