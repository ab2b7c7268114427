import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  CUT,
  type Interruptible,
  KILLED,
  OFFLINE,
  REVOKED,
  startInterruptible,
} from '../support/interruptible.ts';

const ALL = [KILLED, CUT, OFFLINE, REVOKED];

const lake = (prompt: string, more: object = {}) => ({
  prompt,
  parameters: { size: '192x128' },
  ...more,
});

/** Starts a service with one job, and another job that is made from the image of the first. */
async function startWithFamily() {
  const service = await startInterruptible();
  const [id = ''] = await service.make(lake('A lake at dusk'));
  await derive(service, 'The lake by moonlight');
  return { service, id };
}

/** Makes a job from the image of the first job. */
async function derive(service: Interruptible, prompt: string): Promise<void> {
  const artifact = (await service.jobs()).at(-1)?.artifacts[0]?.id;
  const images = [{ type: 'artifact', artifact_id: artifact }];
  await service.make(lake(prompt, { operation: 'edit', images }));
}

const pictures = (page: Page) => page.locator('.card img').count();

describe('the gallery', () => {
  it.each(ALL)('keeps its images, and gets the later ones after $name', async (interruption) => {
    const { service } = await startWithFamily();
    const page = await service.open();
    await expect.poll(() => pictures(page)).toBe(2);
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

    await interruption.begin(service, page);
    await interruption.said(page);
    expect(await pictures(page)).toBe(2);
    await interruption.end(service, page);
    await service.make(lake('A lake in winter'));

    await page.getByRole('link', { name: /^A lake in winter/ }).waitFor();
    await expect.poll(() => pictures(page)).toBe(3);
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  });
});
