import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityProblems } from '../support/accessibility.ts';
import {
  CUT,
  type Interruptible,
  KILLED,
  OFFLINE,
  REVOKED,
  startInterruptible,
} from '../support/interruptible.ts';
import { press } from '../support/press.ts';
import { searchField } from '../support/search-field.ts';

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

describe('a token that is disabled', () => {
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'This bridge requires a token' });
  const retry = (page: Page) => dialog(page).getByRole('button', { name: 'Try again' });

  async function openDisabled() {
    const { service } = await startWithFamily();
    const page = await service.open();
    await expect.poll(() => pictures(page)).toBe(2);
    await page.getByLabel('Prompt', { exact: true }).fill('A lake that is not sent yet');
    await REVOKED.begin(service, page);
    await REVOKED.said(page);
    return { service, page };
  }

  it('is not typed again after it was enabled: the page continues with all that was typed', async () => {
    const { service, page } = await openDisabled();
    expect(await accessibilityProblems(page)).toEqual([]);

    await service.setToken(true);

    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('status').getByText('Connected').waitFor();
    expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe(
      'A lake that is not sent yet',
    );
    await service.make(lake('A lake in winter'));
    await page.getByRole('link', { name: /^A lake in winter/ }).waitFor();
    expect(await service.jobs()).toHaveLength(3);
  });

  it('is tried again on request, and the page says that it is still rejected', async () => {
    const { service, page } = await openDisabled();

    await retry(page).click();
    await page.getByText('The bridge rejected this token.').waitFor();
    await service.setToken(true);
    await page.getByRole('button', { name: 'Not now' }).click();

    await page.getByRole('status').getByText('Connected').waitFor();
    await expect.poll(() => pictures(page)).toBe(2);
  });

  it('leaves all buttons of the sign-in in the window of a phone', async () => {
    const { service } = await startWithFamily();
    const page = await service.open('/dashboard', { size: 'phone', touch: true });
    await expect.poll(() => pictures(page)).toBe(2);
    await REVOKED.begin(service, page);
    await retry(page).waitFor();

    const lefts = await dialog(page)
      .getByRole('button')
      .evaluateAll((all) => {
        const edge = all[0]?.closest('dialog')?.getBoundingClientRect().left ?? 0;
        return all.map((each) => each.getBoundingClientRect().left - edge);
      });

    expect(Math.min(...lefts)).toBeGreaterThan(0);
  });

  it('stays in the storage of the tab alone, and leads to the sign-in after a reload', async () => {
    const { service, page } = await openDisabled();

    await page.reload();
    await REVOKED.said(page);
    const stored = await page.evaluate(() => [
      JSON.stringify(localStorage),
      Object.keys(sessionStorage).filter((key) => key === 'image-bridge.token').length,
    ]);
    expect(stored).toEqual([expect.not.stringContaining('token-of-the-only-person'), 1]);
    await service.setToken(true);

    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(() => pictures(page)).toBe(2);
  });
});

describe('a search', () => {
  it.each([KILLED, REVOKED])(
    'that is typed after $name finds its jobs by itself later',
    async (interruption) => {
      const { service } = await startWithFamily();
      const page = await service.open();
      await expect.poll(() => pictures(page)).toBe(2);

      await interruption.begin(service, page);
      await searchField(page).fill('moonlight');
      await interruption.said(page);
      await interruption.end(service, page);

      await page.getByText('1 found of 2').waitFor();
      await expect.poll(() => pictures(page)).toBe(1);
      expect(await searchField(page).inputValue()).toBe('moonlight');
    },
  );
});

describe('the family of a job', () => {
  it.each([KILLED, REVOKED])(
    'keeps its images, and gets the later ones after $name',
    async (interruption) => {
      const { service, id } = await startWithFamily();
      const page = await service.open(`/dashboard/jobs/${id}`);
      const family = page.getByRole('region', { name: 'Family' });
      await family.getByText('2 images in 2 jobs').waitFor();

      await interruption.begin(service, page);
      await interruption.said(page);
      await family.getByText('2 images in 2 jobs').waitFor();
      await interruption.end(service, page);
      await derive(service, 'The lake in winter');

      await family.getByText('3 images in 3 jobs').waitFor();
      await expect.poll(() => family.locator('.kin-image img').count()).toBe(3);
    },
  );
});

describe('the usage', () => {
  it.each([KILLED, REVOKED])(
    'stays on the page, and says that it may be old, after $name',
    async (interruption) => {
      const { service } = await startWithFamily();
      const page = await service.open('/dashboard/system');
      const usage = page.locator('#usage');
      await usage.getByRole('row').filter({ hasText: '2' }).first().waitFor();

      await interruption.begin(service, page);
      await interruption.said(page);
      await usage.getByText('The last known numbers').waitFor();
      await interruption.end(service, page);
      await usage.getByText('The last known numbers').waitFor({ state: 'detached' });

      await usage.getByRole('row').filter({ hasText: '2' }).first().waitFor();
    },
  );
});

describe('the credentials of an image', () => {
  it.each([KILLED, REVOKED])('are checked after $name', async (interruption) => {
    const { service, id } = await startWithFamily();
    const page = await service.open();
    // The sandbox signs nothing, so the facts are replaced.
    await page.route(new RegExp(`/v1/jobs/${id}$`), async (route) => {
      const reply = await route.fetch().catch(() => undefined);
      if (reply === undefined) return route.abort();
      const json = await reply.json();
      for (const image of json.result?.data ?? []) {
        image.provenance = { found: 'present', credentials: 'kept', mark: 'none' };
      }
      await route.fulfill({ response: reply, json });
    });
    await page.goto(`${service.relay.address}/dashboard/jobs/${id}`);
    const section = page.locator('.credentials-section');
    await section.getByText('Present, not checked').waitFor();

    await interruption.begin(service, page);
    await press(section.getByRole('button', { name: 'Check' }));
    await interruption.said(page);
    await section.getByRole('alert').waitFor();
    await interruption.end(service, page);

    await section.getByRole('alert').waitFor({ state: 'detached' });
    await section.getByRole('button', { name: 'Check' }).waitFor({ state: 'detached' });
  });
});
