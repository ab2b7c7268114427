import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { addToken, TOKENS } from '../../support/add-token.ts';
import { falSettings } from '../../support/fal-settings.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { FAL_UPSTREAM } from '../../support/task-upstream/services/fal.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { createJobClient } from '../jobs/jobs-rig.ts';

afterAll(cleanUp);

const MODEL = 'fal-ai/flux/dev';

it('calls a provider for a waiting job only if the budget allows the price at the time of the call', async () => {
  const cwd = await freshFolder();
  const fal = await createTaskUpstream({ service: FAL_UPSTREAM });
  onTestFinished(() => fal.close());
  const token = await addToken(cwd, 'alice', '--budget-per-day', '0.50');
  const operator = await addToken(cwd, 'operator', '--permissions', 'admin,read');
  const start = async (amount: string) => {
    const price = `[[price]]\nprovider = "fal"\nmodel = "${MODEL}"\nper = "image"\namount = "${amount}"\n`;
    await writeFile(join(cwd, 'prices.toml'), price);
    const bridge = await startBridge({
      command: 'serve',
      cwd,
      env: { FAL_KEY: fal.key },
      set: [
        TOKENS,
        'runtime.prices_file=prices.toml',
        'server.jobs.max_running=1',
        ...falSettings(fal, MODEL),
      ],
    });
    const jobs = await createJobClient(bridge, token);
    const admin = await createJobClient(bridge, operator);
    const pause = (paused: boolean) => admin.send('PATCH', '/v1/queue', { body: { paused } });
    const spent = async () => (await jobs.get('/v1/usage')).json.caller.budget.used_today;
    return { bridge, jobs, pause, spent };
  };
  const before = await start('0.10');
  await before.pause(true);
  const ids: string[] = [];
  for (const prompt of ['first', 'second', 'third']) {
    ids.push((await before.jobs.post({ prompt })).json.id);
  }
  expect(await before.spent()).toBe('0.3');
  await before.bridge.end('SIGTERM');

  const { jobs, pause, spent } = await start('0.30');
  await pause(false);
  const ends = [];
  for (const id of ids) ends.push(await jobs.ended(id));

  const refused = {
    status: 'failed',
    error: { code: 'rate_limited', details: { reason: 'budget', period: 'day', needed: '0.2' } },
  };
  expect(ends).toMatchObject([{ status: 'succeeded' }, refused, refused]);
  expect(fal.ledger().map(({ prompt }) => prompt)).toEqual(['first']);
  expect(Number(await spent())).toBeLessThanOrEqual(0.5);
});
