import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  CUT,
  type Interruptible,
  KILLED,
  OFFLINE,
  pressRejected,
  REVOKED,
  startInterruptible,
} from '../support/interruptible.ts';

const MODELS = ['sandbox-image', 'sandbox-basic'];
const WAITS = 'Requests without a reply are sent again when the bridge responds.';

/** Opens the page of a new race with two prompts and two models. */
async function prepare() {
  const service = await startInterruptible();
  const page = await service.open('/dashboard/race');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('A fox at {dusk,noon}');
  for (const name of MODELS) await page.getByRole('checkbox', { name }).check();
  await page.locator('#make').getByText('4 cost nothing').waitFor();
  return { service, page };
}

async function pauseQueue(service: Interruptible, paused: boolean): Promise<void> {
  await service.call('/v1/queue', { method: 'PATCH', body: { paused } });
}

/** Makes a race without the job of the last model in the second row. */
async function makeRace(service: Interruptible): Promise<void> {
  const places = [
    [0, 0],
    [0, 1],
    [1, 0],
  ] as const;
  await service.make(
    ...places.map(([row, column]) => ({
      prompt: `A fox at ${['dusk', 'noon'][row]}`,
      routing: { provider: 'sandbox', model: MODELS[column] },
      parameters: { size: '384x256', quality: 'low' },
      policies: { compatibility: 'normalize' },
      group: { id: 'foxes', row, column },
    })),
  );
}

const winners = (page: Page) => page.locator('.crown[aria-pressed="true"]');

describe('the start of a race', () => {
  it.each(['the network was cut', 'the server was killed'])(
    'sends each request once if the first reply is lost and %s',
    async (how) => {
      const isKilled = how.includes('killed');
      const { service, page } = await prepare();
      // A job that runs when the server is killed is interrupted.
      await pauseQueue(service, true);
      const lost = service.relay.loseReply('POST /v1/jobs ');

      await page.keyboard.press('Control+Enter');
      await lost;
      if (isKilled) await service.kill();
      await page.getByText(WAITS).waitFor();
      if (isKilled) await service.start();
      await CUT.end(service, page);
      await pauseQueue(service, false);

      await page.getByText('4 of 4 done').waitFor();
      expect(await service.jobs()).toHaveLength(4);
    },
  );

  it('waits without a network, and sends each request once afterwards', async () => {
    const { service, page } = await prepare();
    const start = page.getByRole('button', { name: /^Start 4 requests/ });

    await OFFLINE.begin(service, page);
    await OFFLINE.said(page);
    expect(await start.isDisabled()).toBe(true);
    await OFFLINE.end(service, page);
    await start.click();

    await page.getByText('4 of 4 done').waitFor();
    expect(await service.jobs()).toHaveLength(4);
  });

  it('is refused with a revoked token, and each request is sent once with the token later', async () => {
    const { service, page } = await prepare();

    await REVOKED.begin(service, page);
    await page.keyboard.press('Control+Enter');
    await REVOKED.said(page);
    await REVOKED.end(service, page);

    const again = page.getByRole('button', { name: /^Send sandbox-.* again/ });
    await expect.poll(() => again.count()).toBe(4);
    expect(await service.jobs()).toHaveLength(0);
    for (let left = 4; left > 0; left -= 1) {
      await again.first().click();
      await expect.poll(() => again.count()).toBe(left - 1);
    }
    await page.getByText('4 of 4 done').waitFor();
    expect(await service.jobs()).toHaveLength(4);
  });

  it('is refused with a revoked token, and one press sends all requests once with the token later', async () => {
    const { service, page } = await prepare();
    await REVOKED.begin(service, page);
    await page.keyboard.press('Control+Enter');
    await REVOKED.said(page);
    await REVOKED.end(service, page);

    await page.getByRole('button', { name: 'Send 4 again' }).click();

    await page.getByText('4 of 4 done').waitFor();
    expect(await service.jobs()).toHaveLength(4);
    await page.getByRole('button', { name: 'Send 4 again' }).waitFor({ state: 'detached' });
  });

  it('is completed with Again after the page was loaded again', async () => {
    const service = await startInterruptible();
    await makeRace(service);
    const page = await service.open('/dashboard/race/foxes');
    await page.getByText('No job').waitFor();

    await page.getByRole('button', { name: 'Send sandbox-basic again' }).click();

    await page.getByText('4 of 4 done').waitFor();
    const jobs = await service.jobs('group=foxes');
    expect(jobs).toHaveLength(4);
    expect(jobs[0]?.prompt).toBe('A fox at noon');
    const last = await service.call(`/v1/jobs/${jobs[0]?.id}`);
    expect(last).toMatchObject({
      group: { id: 'foxes', row: 1, column: 1 },
      request: {
        routing: { provider: 'sandbox', model: 'sandbox-basic' },
        parameters: { size: '384x256', quality: 'low' },
        policies: { compatibility: 'normalize' },
      },
    });
  });
});

describe('the winner of a race', () => {
  it.each([KILLED, CUT, OFFLINE])(
    'is the only one of its row when the page is connected again after $name',
    async (interruption) => {
      const service = await startInterruptible();
      await makeRace(service);
      const page = await service.open('/dashboard/race/foxes');
      await page.getByRole('button', { name: 'Choose: sandbox-image, row 1' }).click();
      await expect.poll(() => winners(page).count()).toBe(1);

      await interruption.begin(service, page);
      await page.getByRole('button', { name: 'Choose: sandbox-basic, row 1' }).click();
      await page.getByText(WAITS).waitFor();
      await interruption.said(page);
      await interruption.end(service, page);

      const chosen = page.getByRole('button', { name: 'Winner: sandbox-basic, row 1' });
      await chosen.waitFor();
      await expect.poll(() => winners(page).count()).toBe(1);
      expect((await service.jobs()).filter(({ favorite }) => favorite)).toHaveLength(1);
    },
  );

  it('is the only one of its row if the reply to a choice is lost', async () => {
    const service = await startInterruptible();
    await makeRace(service);
    const page = await service.open('/dashboard/race/foxes');
    await page.getByRole('button', { name: 'Choose: sandbox-image, row 1' }).click();
    await expect.poll(() => winners(page).count()).toBe(1);
    const lost = service.relay.loseReply('PATCH /v1/artifacts/');

    await page.getByRole('button', { name: 'Choose: sandbox-basic, row 1' }).click();
    await lost;
    await page.getByText(WAITS).waitFor();
    await CUT.end(service, page);

    await expect.poll(() => winners(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Winner: sandbox-basic, row 1' }).waitFor();
  });

  it('is chosen once a revoked token is accepted again', async () => {
    const service = await startInterruptible();
    await makeRace(service);
    const page = await service.open('/dashboard/race/foxes');
    await page.locator('.crown').first().waitFor();

    await REVOKED.begin(service, page);
    await pressRejected(page, page.getByRole('button', { name: 'Choose: sandbox-image, row 1' }));
    await REVOKED.said(page);
    await REVOKED.end(service, page);

    await expect.poll(() => winners(page).count()).toBe(1);
  });
});
