import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './support/accessibility.ts';
import { keepScreenshot } from './support/screenshot.ts';
import { startViewedBridge, VIEWS, type ViewedBridge } from './support/views.ts';

let viewed: ViewedBridge;

beforeAll(async () => {
  viewed = await startViewedBridge();
});

async function open(name: keyof typeof VIEWS): Promise<Page> {
  const page = await VIEWS[name](viewed, {});
  await page.emulateMedia({ forcedColors: 'active' });
  return page;
}

/** What of an element is drawn in the system's colours: what its surface is, and whether a line is around it. */
function look(element: Locator, pseudo?: '::before' | '::after') {
  return element.first().evaluate((each, part) => {
    const style = getComputedStyle(each, part);
    const isLine = (side: 'border' | 'outline') =>
      style.getPropertyValue(side === 'border' ? 'border-top-style' : 'outline-style') !== 'none' &&
      style.getPropertyValue(`${side === 'border' ? 'border-top' : side}-width`) !== '0px';
    return {
      surface: `${style.backgroundColor} ${style.backgroundImage}`,
      hasLine: isLine('border') || isLine('outline'),
    };
  }, pseudo);
}

const surfaceOf = async (element: Locator) => (await look(element)).surface;

describe('with the few colours of the system', () => {
  it.each([
    ['gallery', '.show-pills button', '[aria-pressed="true"]'],
    ['gallery', '.top-bar nav a', '[aria-current]'],
    ['make', '.size-picker .shapes > button', '[aria-checked="true"]'],
    ['models', '.menu-item', '[aria-selected="true"]'],
    ['make-groups', '.param .seg > *', '[aria-checked="true"]'],
    ['single', '.seg > *', '[aria-checked="true"]'],
    ['system', '.system-nav a', '[aria-current]'],
  ] as const)('what is chosen looks different: %s, %s', async (name, all, chosen) => {
    const page = await open(name);

    const on = page.locator(`${all}${chosen}`);
    const off = page.locator(`${all}:not(${chosen})`);

    expect(await surfaceOf(on)).not.toBe(await surfaceOf(off));
  });

  it('a chosen card, its mark and the stages of one at work are seen', async () => {
    const page = await open('selection');

    expect(await look(page.locator('.card[aria-selected="true"]'), '::after')).toMatchObject({
      hasLine: true,
    });
    const marks = ['.pick-button[aria-checked="true"] i', '.pick-button[aria-checked="false"] i'];
    const [on, off] = await Promise.all(marks.map((mark) => surfaceOf(page.locator(mark))));
    expect(on).not.toBe(off);
    const stages = page.locator('.stage-bar').first().locator('i');
    expect(await surfaceOf(stages.first())).not.toBe(await surfaceOf(stages.last()));
    expect(await look(stages.last())).toMatchObject({ hasLine: true });
    expect(await look(page.locator('.dot'))).toMatchObject({ hasLine: true });
    await keepScreenshot(page, 'forced-selection');
  });

  it('what has the focus has a line around it', async () => {
    const page = await open('gallery');

    await page.getByLabel('Prompt', { exact: true }).focus();
    expect(await look(page.locator('.prompt-box'))).toMatchObject({ hasLine: true });
    await page.keyboard.press('Tab');
    expect(await look(page.locator(':focus'))).toMatchObject({ hasLine: true });
  });

  it('parts of a bar, what a model can and what was added to a prompt look different', async () => {
    const system = await open('system');
    const can = await Promise.all(
      ['native', 'emulated'].map((way) => look(system.locator(`.can.${way}`), '::before')),
    );
    expect(can[0]?.surface).not.toBe(can[1]?.surface);
    expect(await look(system.locator('.meter > i'))).toMatchObject({ hasLine: true });
    const kept = await Promise.all(
      ['succeeded', 'failed', 'queued', 'running', 'cancelled', 'interrupted'].map((status) =>
        surfaceOf(system.locator(`.jobs-kept li i.${status}`)),
      ),
    );
    expect(new Set(kept).size).toBe(kept.length);
    await keepScreenshot(system, 'forced-system');

    const job = await open('single');
    const parts = await Promise.all(
      ['queue', 'input', 'provider', 'artifact'].map((part) =>
        surfaceOf(job.locator(`.time-section .bar .${part}`)),
      ),
    );
    expect(new Set(parts).size).toBe(parts.length);
    const added = job.locator('.prompt-section ins').first();
    expect(await added.evaluate((ins) => getComputedStyle(ins).textDecorationLine)).toBe(
      'underline',
    );
    expect(await accessibilityProblems(job)).toEqual([]);
    await keepScreenshot(job, 'forced-job');
  });

  it('the brush is a light and a dark circle, as over any image', async () => {
    const page = await open('mask');

    await page.locator('.mask-stage .surface').hover();
    const circle = page.locator('.brush-circle');
    expect(await circle.evaluate((each) => getComputedStyle(each).boxShadow)).not.toBe('none');
    await keepScreenshot(page, 'forced-mask');
  });
});
