import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { startViewedBridge, VIEWS, type ViewedBridge } from './support/views.ts';

/** The minimum size of a target in CSS pixels, from WCAG 2.5.8. */
const LEAST = 24;

const PHONE = { size: 'phone', touch: true } as const;

let viewed: ViewedBridge;

beforeAll(async () => {
  viewed = await startViewedBridge();
});

/**
 * Returns the targets that are too small, with their sizes. A pseudo-element or a label can make a target larger than
 * its visible part. Links within a sentence may be small.
 */
function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate((least) => {
    const all = document.querySelectorAll<HTMLElement>(
      'a[href], button, input:not([type="file"]), select, textarea, summary, [role="slider"]',
    );
    const isSeen = (each: HTMLElement) =>
      each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      each.closest('[inert], .sr') === null;
    const isInSentence = (each: HTMLElement) =>
      getComputedStyle(each).display === 'inline' &&
      each.parentElement?.tagName === 'P' &&
      each.parentElement.textContent !== each.textContent;
    const sizeOf = (each: HTMLElement) => {
      const boxes = [each.getBoundingClientRect()];
      for (const label of each instanceof HTMLInputElement ? (each.labels ?? []) : []) {
        boxes.push(label.getBoundingClientRect());
      }
      const field = each.closest('.field');
      if (field !== null) boxes.push(field.getBoundingClientRect());
      const sizes = boxes.map(({ width, height }) => ({ width, height }));
      for (const pseudo of ['::before', '::after']) {
        const style = getComputedStyle(each, pseudo);
        if (style.content === 'none' || style.position !== 'absolute') continue;
        sizes.push({
          width: Number.parseFloat(style.width),
          height: Number.parseFloat(style.height),
        });
      }
      return {
        width: Math.max(...sizes.map(({ width }) => width)),
        height: Math.max(...sizes.map(({ height }) => height)),
      };
    };
    return [...all].filter(isSeen).flatMap((each) => {
      if (isInSentence(each)) return [];
      const { width, height } = sizeOf(each);
      if (width >= least && height >= least) return [];
      const name = each.getAttribute('aria-label') ?? each.textContent;
      return [`${name.slice(0, 40)} (${each.className}): ${width} x ${height}`];
    });
  }, LEAST);
}

describe('touch targets', () => {
  it.each(Object.keys(VIEWS) as (keyof typeof VIEWS)[])(
    'are at least 24 pixels wide and high: %s',
    async (name) => {
      const page = await VIEWS[name](viewed, PHONE);

      expect(await smallTargets(page)).toEqual([]);
    },
  );
});
