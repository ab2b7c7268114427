import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  CUT,
  type Interruptible,
  KILLED,
  NEXT_TOKEN,
  OFFLINE,
  pressRejected,
  REVOKED,
  startInterruptible,
} from '../support/interruptible.ts';

const WAITS = 'Requests without a reply are sent again when the bridge responds.';

const boat = (prompt: string, more: object = {}) => ({
  prompt,
  parameters: { size: '192x128' },
  ...more,
});

const imagesOf = async (service: Interruptible) =>
  (await service.jobs()).flatMap(({ artifacts }) => artifacts);

/** Loads the page again while the bridge is not reachable. */
async function failToLoad(page: Page): Promise<void> {
  await page.reload().catch(() => {});
  await page.waitForURL(/^chrome-error:/);
}

describe('an image of a job', () => {
  const bar = (page: Page) => page.getByRole('toolbar', { name: 'Actions on Image 1' });
  const note = (page: Page) => page.getByRole('textbox', { name: 'Note' });

  async function openImage() {
    const service = await startInterruptible();
    const [id = ''] = await service.make(boat('Two boats', { parameters: { n: 2 } }));
    const page = await service.open(`/dashboard/jobs/${id}`);
    await bar(page).waitFor();
    await note(page).waitFor();
    return { service, page };
  }

  it.each([KILLED, CUT, OFFLINE])(
    'is marked and hidden when the page is connected again after $name',
    async (interruption) => {
      const { service, page } = await openImage();

      await interruption.begin(service, page);
      await bar(page).getByRole('button', { name: 'Favourite' }).click();
      await bar(page).getByRole('button', { name: /^Hide/ }).click();
      await page.getByText(WAITS).waitFor();
      await interruption.said(page);
      await interruption.end(service, page);

      await expect
        .poll(() => imagesOf(service))
        .toMatchObject([{ favorite: true, hidden: true }, {}]);
      await page.getByText(WAITS).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).first().waitFor();
    },
  );

  it('is marked once if the reply is lost', async () => {
    const { service, page } = await openImage();
    const lost = service.relay.loseReply('PATCH /v1/artifacts/');

    await bar(page).getByRole('button', { name: 'Favourite' }).click();
    await lost;
    await page.getByText(WAITS).waitFor();
    await CUT.end(service, page);

    await page.getByText(WAITS).waitFor({ state: 'detached' });
    const heart = bar(page).getByRole('button', { name: 'Favourite' });
    await expect.poll(() => heart.getAttribute('aria-pressed')).toBe('true');
    expect((await imagesOf(service))[0]?.favorite).toBe(true);
  });

  it('is marked once a revoked token is accepted again', async () => {
    const { service, page } = await openImage();

    await REVOKED.begin(service, page);
    await pressRejected(page, bar(page).getByRole('button', { name: 'Favourite' }));
    await REVOKED.said(page);
    expect((await imagesOf(service))[0]?.favorite).toBeUndefined();
    await REVOKED.end(service, page);

    await expect.poll(async () => (await imagesOf(service))[0]?.favorite).toBe(true);
  });

  it('is marked with another token after a press, if the mark was rejected with a revoked token', async () => {
    const { service, page } = await openImage();

    await REVOKED.begin(service, page);
    await pressRejected(page, bar(page).getByRole('button', { name: 'Favourite' }));
    await REVOKED.said(page);
    await page.getByLabel('Token', { exact: true }).fill(NEXT_TOKEN);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('The bridge rejected the former token.').waitFor();
    expect((await imagesOf(service))[0]?.favorite).toBeUndefined();
    await page.getByRole('button', { name: 'Make them now' }).click();

    await expect.poll(async () => (await imagesOf(service))[0]?.favorite).toBe(true);
  });

  it.each([KILLED, CUT])(
    'keeps a note that was written after $name, also if the page is loaded again',
    async (interruption) => {
      const { service, page } = await openImage();
      const address = page.url();

      await interruption.begin(service, page);
      await interruption.said(page);
      await note(page).fill('For the cover');
      await note(page).blur();
      await page.getByText('The note is kept here').first().waitFor();
      await failToLoad(page);
      await (interruption === KILLED ? service.start() : service.relay.restore());
      await page.goto(address);

      await page.getByText('The waiting note is saved').waitFor();
      await expect.poll(async () => (await imagesOf(service))[0]?.note).toBe('For the cover');
      expect(await note(page).inputValue()).toBe('For the cover');
    },
  );

  it('keeps a note that was typed when the page was loaded again', async () => {
    const { service, page } = await openImage();
    const address = page.url();

    await CUT.begin(service, page);
    await CUT.said(page);
    await note(page).fill('Too dark');
    await failToLoad(page);
    service.relay.restore();
    await page.goto(address);

    await page.getByText('The waiting note is saved').waitFor();
    expect((await imagesOf(service))[0]?.note).toBe('Too dark');
  });

  it('keeps a note that was written with a revoked token until the token is accepted again', async () => {
    const { service, page } = await openImage();

    await REVOKED.begin(service, page);
    await note(page).fill('For the cover');
    await note(page).blur();
    await REVOKED.said(page);
    await REVOKED.end(service, page);

    await page.getByText('The waiting note is saved').waitFor();
    expect((await imagesOf(service))[0]?.note).toBe('For the cover');
  });

  it('leaves no note in the browser when the token is forgotten', async () => {
    const { service, page } = await openImage();
    const stored = () => page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    await REVOKED.begin(service, page);
    await note(page).fill('A secret');
    await note(page).blur();
    await REVOKED.said(page);
    await expect.poll(stored).toContain('A secret');

    await page.getByRole('button', { name: 'Forget the token' }).click();

    await expect.poll(stored).not.toContain('A secret');
  });
});

describe('the labels of a job', () => {
  const section = (page: Page) => page.locator('.labels-section');
  const field = (page: Page) => page.getByRole('combobox', { name: 'New label' });
  const labels = async (service: Interruptible) => (await service.jobs())[0]?.labels;

  async function openLabels() {
    const service = await startInterruptible();
    const [id] = await service.make(boat('A boat'));
    const page = await service.open(`/dashboard/jobs/${id}`);
    await section(page).getByRole('button', { name: 'Add a label' }).click();
    await field(page).fill('poster');
    return { service, page };
  }

  it.each([KILLED, CUT, OFFLINE])(
    'get a label when the page is connected again after $name',
    async (interruption) => {
      const { service, page } = await openLabels();

      await interruption.begin(service, page);
      await field(page).press('Enter');
      await page.getByText(WAITS).waitFor();
      await interruption.said(page);
      await interruption.end(service, page);

      await section(page).getByRole('textbox', { name: 'Name of the label poster' }).waitFor();
      expect(await labels(service)).toEqual(['poster']);
    },
  );

  it('get a label once if the reply is lost, and one undo removes the label', async () => {
    const { service, page } = await openLabels();
    const lost = service.relay.loseReply('POST /v1/jobs/batch ');

    await field(page).press('Enter');
    await lost;
    await page.getByText(WAITS).waitFor();
    await CUT.end(service, page);

    await page.getByText('Label added').waitFor();
    expect(await labels(service)).toEqual(['poster']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => labels(service)).toBeUndefined();
  });

  it('get a label once a revoked token is accepted again', async () => {
    const { service, page } = await openLabels();

    await REVOKED.begin(service, page);
    await field(page).press('Enter');
    await REVOKED.said(page);
    expect(await labels(service)).toBeUndefined();
    await REVOKED.end(service, page);

    await expect.poll(() => labels(service)).toEqual(['poster']);
  });
});

describe('the light table', () => {
  async function openTable() {
    const service = await startInterruptible();
    const ids = await service.make(boat('One'), boat('Two'), boat('Three'));
    const page = await service.open(`/dashboard/table?jobs=${ids.join(',')}`);
    await expect.poll(() => page.locator('.table-picture img').count()).toBe(3);
    for (const key of ['1', 'p', '2', 'p', '3', 'x']) await page.keyboard.press(key);
    await page.getByText('2 picked, 1 rejected').waitFor();
    return { service, page };
  }

  /** The marks of the jobs in the order in which they were made. */
  const marks = async (service: Interruptible) =>
    (await imagesOf(service))
      .toReversed()
      .map(({ favorite, hidden }) => (favorite ? 'favourite' : hidden ? 'hidden' : 'none'));

  it.each([KILLED, CUT, OFFLINE])(
    'keeps the choices, and makes them when the page is connected again after $name',
    async (interruption) => {
      const { service, page } = await openTable();

      await interruption.begin(service, page);
      await page.getByRole('button', { name: 'Keep 2' }).click();
      await page.getByText(WAITS).waitFor();
      await interruption.said(page);
      await page.getByText('2 picked, 1 rejected').waitFor();
      await interruption.end(service, page);

      await expect.poll(() => marks(service)).toEqual(['favourite', 'favourite', 'hidden']);
      await page.getByText('2 kept, 1 hidden').waitFor();
    },
  );

  it('keeps the choices with a revoked token, and makes them once the token is accepted again', async () => {
    const { service, page } = await openTable();

    await REVOKED.begin(service, page);
    await pressRejected(page, page.getByRole('button', { name: 'Keep 2' }));
    await REVOKED.said(page);
    expect(await marks(service)).toEqual(['none', 'none', 'none']);
    await page.getByText('2 picked, 1 rejected').waitFor();
    await REVOKED.end(service, page);

    await expect.poll(() => marks(service)).toEqual(['favourite', 'favourite', 'hidden']);
  });
});

describe('many jobs', () => {
  it.each(['the network was cut', 'the server was killed'])(
    'are hidden once and shown again once if the replies are lost and %s',
    async (how) => {
      const isKilled = how.includes('killed');
      const service = await startInterruptible();
      await service.make(boat('One'), boat('Two'), boat('Three'));
      const page = await service.open();
      await page.getByRole('link', { name: /^Three/ }).waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Control+a');
      await page.getByText('3 selected').waitFor();
      const hidden = async () =>
        (await service.jobs()).filter(({ deleted }) => deleted !== undefined).length;
      const lost = service.relay.loseReply('POST /v1/jobs/batch ');

      await page.keyboard.press('Delete');
      await lost;
      if (isKilled) await service.kill();
      await page.getByText(WAITS).waitFor();
      if (isKilled) await service.start();
      await CUT.end(service, page);

      await page.getByText('3 hidden').waitFor();
      expect(await hidden()).toBe(3);
      const undone = service.relay.loseReply('POST /v1/jobs/batch/');
      await page.getByRole('button', { name: 'Undo' }).click();
      await undone;
      await page.getByText(WAITS).waitFor();
      await CUT.end(service, page);
      await page.getByText(WAITS).waitFor({ state: 'detached' });
      await expect.poll(hidden).toBe(0);
      await page.getByRole('link', { name: /^Three/ }).waitFor();
      expect(await page.locator('.toast.failed').count()).toBe(0);
    },
  );
});
