import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { addToken, TOKENS } from '../../support/add-token.ts';
import { falSettings } from '../../support/fal-settings.ts';
import { cleanUp, freshFolder, startBridge } from '../../support/start-bridge.ts';
import { FAL_UPSTREAM } from '../../support/task-upstream/services/fal.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { createJobClient } from './jobs-rig.ts';

afterAll(cleanUp);

const MODEL = 'fal-ai/flux/dev';
const GONE = {
  status: 'failed',
  error: { code: 'unsupported_capability', details: { reason: 'model_gone' } },
};

/** The bound of an image of 2048 x 2048 pixels, which is the largest of the model, by the price that fal publishes. */
const BOUND = 0.125;
/** The price of the image that fal draws without a size. */
const PRICE = 0.025;

/** Starts the program with an account at fal, the sandbox, and a token with an allowance and a budget. */
async function start() {
  const cwd = await freshFolder();
  const fal = await createTaskUpstream({ service: FAL_UPSTREAM });
  onTestFinished(() => fal.close());
  const limits = ['--images-per-day', '100', '--budget-per-day', '100'];
  const token = await addToken(cwd, 'alice', ...limits);
  const operator = await addToken(cwd, 'operator', '--permissions', 'admin,read');
  const bridge = await startBridge({
    command: 'serve',
    cwd,
    env: { FAL_KEY: fal.key },
    set: [
      TOKENS,
      'server.jobs.max_running=2',
      ...falSettings(fal, MODEL),
      'providers.sandbox.enabled=true',
    ],
  });
  const jobs = await createJobClient(bridge, token);
  const admin = await createJobClient(bridge, operator);
  const pause = (paused: boolean) => admin.send('PATCH', '/v1/queue', { body: { paused } });
  return { fal, jobs, pause };
}

describe('a model that leaves its service', () => {
  it('ends its running call with an image and its waiting jobs on the next route or without a charge', async () => {
    const { fal, jobs, pause } = await start();
    const capabilities = async () => (await jobs.get('/v1/providers/fal/capabilities')).json;
    await expect.poll(capabilities).toMatchObject({ edits: true });
    fal.forPrompt('a running fox', { waits: 3 });
    fal.forPrompt('a refused fox', { submission: 'unknown_model' });
    const accepted = async (prompt: string, routing: object = {}) =>
      (await jobs.post({ prompt, routing })).json.id as string;
    const running = await accepted('a running fox');
    await expect.poll(() => fal.ledger().length).toBe(1);
    await pause(true);
    const refused = await accepted('a refused fox');
    const waiting = await accepted('a waiting fox');
    const routed = await accepted('a routed fox', { fallbacks: [{ provider: 'sandbox' }] });
    const reserved = (await jobs.get('/v1/usage')).json.caller;

    await pause(false);

    expect(reserved).toMatchObject({
      allowance: { used: 4 },
      budget: { used_today: String(4 * BOUND) },
    });
    expect(await jobs.ended(refused)).toMatchObject(GONE);
    expect(await jobs.ended(waiting)).toMatchObject(GONE);
    expect(await jobs.ended(routed)).toMatchObject({ status: 'succeeded' });
    expect(await jobs.ended(running)).toMatchObject({ status: 'succeeded' });
    const later = await jobs.post({ prompt: 'a late fox', routing: { model: MODEL } });
    expect(later).toMatchObject({ status: 400, json: { error: { bridge_ext: GONE.error } } });
    const { caller } = (await jobs.get('/v1/usage')).json;
    expect(caller).toMatchObject({ allowance: { used: 2 }, budget: { used_today: String(PRICE) } });
    expect(fal.ledger().map(({ prompt }) => prompt)).toEqual(['a running fox']);
    expect(fal.violations()).toEqual([]);
  });
});
