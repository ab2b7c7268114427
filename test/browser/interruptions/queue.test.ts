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

const WAITS = 'Requests without a reply are sent again when the bridge responds.';

/** Opens the queue drawer with three jobs that wait in a paused queue. */
async function openQueue() {
  const service = await startInterruptible();
  await service.call('/v1/queue', { method: 'PATCH', body: { paused: true } });
  for (const prompt of ['One', 'Two', 'Three']) {
    const body = { prompt, parameters: { size: '192x128' } };
    await service.call('/v1/jobs', { method: 'POST', body });
  }
  const page = await service.open();
  await page.getByRole('button', { name: '3 queued, queue paused' }).click();
  await page.getByRole('checkbox', { name: 'Select Three' }).focus();
  return { service, page };
}

const shownOrder = (page: Page) =>
  page.locator('.queue-wait p:first-child').evaluateAll((all) => all.map((one) => one.textContent));

/** Returns the prompts of the queued jobs in the order in which they start. */
async function startOrder(service: Interruptible) {
  const own = (await service.call('/v1/queue/own')) as { waiting: readonly { id: string }[] };
  const jobs = await service.jobs('status=queued');
  return own.waiting.map(({ id }) => jobs.find((job) => job.id === id)?.prompt);
}

describe('the queue', () => {
  it.each([KILLED, CUT, OFFLINE])(
    'says that it cannot be read, and gets the new order when the page is connected again after $name',
    async (interruption) => {
      const { service, page } = await openQueue();

      await interruption.begin(service, page);
      await interruption.said(page);
      await page.getByText('The queue could not be read.').waitFor();
      await page.keyboard.press('Alt+Home');
      await page.getByText(WAITS).waitFor();
      await interruption.end(service, page);

      const moved = ['Three', 'One', 'Two'];
      await expect.poll(() => startOrder(service)).toEqual(moved);
      await expect.poll(() => shownOrder(page)).toEqual(moved);
      await page.getByText('The queue could not be read.').waitFor({ state: 'detached' });
    },
  );

  it('is moved once a revoked token is accepted again', async () => {
    const { service, page } = await openQueue();

    await REVOKED.begin(service, page);
    await page.keyboard.press('Alt+Home');
    await REVOKED.said(page);
    expect(await startOrder(service)).toEqual(['One', 'Two', 'Three']);
    await REVOKED.end(service, page);

    await expect.poll(() => startOrder(service)).toEqual(['Three', 'One', 'Two']);
    await expect.poll(() => shownOrder(page)).toEqual(['Three', 'One', 'Two']);
  });

  it.each(['the network was cut', 'the server was killed'])(
    'cancels once and queues again once if the replies are lost and %s',
    async (how) => {
      const isKilled = how.includes('killed');
      const { service, page } = await openQueue();
      await page.keyboard.press('Space');
      await page.keyboard.press('Shift+ArrowUp');
      await page.getByRole('button', { name: 'Cancel 2' }).waitFor();
      const lost = service.relay.loseReply('POST /v1/jobs/batch ');

      await page.keyboard.press('Delete');
      await lost;
      if (isKilled) await service.kill();
      await page.getByText(WAITS).waitFor();
      if (isKilled) await service.start();
      await CUT.end(service, page);

      await page.getByText('2 cancelled').waitFor();
      await expect.poll(() => shownOrder(page)).toEqual(['One']);
      const undone = service.relay.loseReply('POST /v1/jobs/batch/');
      await page.getByRole('button', { name: 'Undo' }).click();
      await undone;
      await page.getByText(WAITS).waitFor();
      await CUT.end(service, page);

      await page.getByText(WAITS).waitFor({ state: 'detached' });
      await expect.poll(() => startOrder(service)).toEqual(['One', 'Two', 'Three']);
      expect(await service.jobs()).toHaveLength(5);
      expect(await page.locator('.toast.failed').count()).toBe(0);
    },
  );
});
