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

/** Returns the properties of an element that use system colours: its surface, and whether it has a line around it. */
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

describe('forced colours', () => {
  it.each([
    ['gallery', '.show-pills button', '[aria-pressed="true"]'],
    ['gallery', '.top-bar nav a', '[aria-current]'],
    ['make', '.size-picker .shapes > button', '[aria-checked="true"]'],
    ['models', '.menu-item', '[aria-selected="true"]'],
    ['make-groups', '.param .seg > *', '[aria-checked="true"]'],
    ['single', '.seg > *', '[aria-checked="true"]'],
    ['system', '.system-nav a', '[aria-current]'],
  ] as const)('let a selected item look different: %s, %s', async (name, all, chosen) => {
    const page = await open(name);

    const on = page.locator(`${all}${chosen}`);
    const off = page.locator(`${all}:not(${chosen})`);

    expect(await surfaceOf(on)).not.toBe(await surfaceOf(off));
  });

  it('keep a selected card, its mark and the stages of a running job visible', async () => {
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

  it('show a line around the focused element', async () => {
    const page = await open('gallery');

    await page.getByLabel('Prompt', { exact: true }).focus();
    expect(await look(page.locator('.prompt-box'))).toMatchObject({ hasLine: true });
    await page.keyboard.press('Tab');
    expect(await look(page.locator(':focus'))).toMatchObject({ hasLine: true });
  });

  it('distinguish the parts of a bar, the capabilities of a model and the words added to a prompt', async () => {
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
        surfaceOf(job.locator(`.time-section .shares .${part}`)),
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

  it('keep the brush a light and a dark circle', async () => {
    const page = await open('mask');

    await page.locator('.canvas-stage .surface').hover();
    const circle = page.locator('.brush-circle');
    expect(await circle.evaluate((each) => getComputedStyle(each).boxShadow)).not.toBe('none');
    await keepScreenshot(page, 'forced-mask');
  });
});
