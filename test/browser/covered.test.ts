import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { keepScreenshot } from './support/screenshot.ts';
import { startViewedBridge, VIEWS, type ViewedBridge } from './support/views.ts';

let viewed: ViewedBridge;

beforeAll(async () => {
  viewed = await startViewedBridge();
});

/**
 * Returns the visible controls whose text or icon is cut off without an ellipsis, by the control or by an ancestor.
 * Content that can be scrolled does not count as cut off.
 */
function cutControls(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const isSeen = (each: Element) =>
      each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      each.closest('[inert], .sr, .wide-text') === null;
    const cutBy = (each: Element): Element | undefined => {
      const range = document.createRange();
      range.selectNodeContents(each);
      const words = range.getBoundingClientRect();
      if (words.width === 0) return undefined;
      for (let box: Element | null = each; box !== null; box = box.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(box);
        if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return;
        if (overflowX === 'visible') continue;
        const { left, right } = box.getBoundingClientRect();
        if (words.left < left - 1 || words.right > right + 1) return box;
      }
      return undefined;
    };
    return [...document.querySelectorAll('button, a[href], h1, h2, .badge, .image-badge')]
      .filter((each) => isSeen(each) && each.querySelector('.cut, .sr, .wide-text') === null)
      .flatMap((each) => {
        const box = cutBy(each);
        if (box === undefined) return [];
        return [`${each.textContent.slice(0, 40)} (${each.className}) in ${box.className}`];
      });
  });
}

describe('text and icons', () => {
  it.each(
    (Object.keys(VIEWS) as (keyof typeof VIEWS)[]).flatMap((name) =>
      [360, 1024].map((width) => [name, width] as const),
    ),
  )('are not cut off in controls: %s, %d pixels', async (name, width) => {
    const size = { width, height: width < 900 ? 740 : 900 };
    const page = await VIEWS[name](viewed, { size, touch: width < 900 });

    expect(await cutControls(page)).toEqual([]);
    await keepScreenshot(page, `covered-${name}-${width}`);
  });
});

describe('the focused card', () => {
  it.each([
    [390, 640],
    [1440, 560],
  ])('is not covered by a heading or a bar, %d x %d', async (width, height) => {
    const page = await VIEWS.selection(viewed, { size: { width, height } });

    for (const key of ['End', ...Array<string>(8).fill('ArrowLeft')]) {
      await page.keyboard.press(key);
      const isOnTop = () =>
        page.evaluate(() => {
          const link = document.activeElement;
          const { left, right, top, bottom } = link?.getBoundingClientRect() ?? new DOMRect();
          return [top + 4, bottom - 4].every((y) => {
            const at = document.elementFromPoint((left + right) / 2, y);
            return at !== null && at.closest('.card') === link?.closest('.card');
          });
        });
      await expect.poll(isOnTop).toBe(true);
    }
  });
});
