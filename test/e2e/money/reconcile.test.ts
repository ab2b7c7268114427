import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { amountText } from '../../../lib/contract/reply/cost.ts';
import { addToken, TOKENS } from '../../support/add-token.ts';
import { createImagesUpstream } from '../../support/images-upstream/images-upstream.ts';
import { cleanUp, freshFolder, runProgram, startBridge } from '../../support/start-bridge.ts';
import { FAL_UPSTREAM } from '../../support/task-upstream/services/fal.ts';
import { createTaskUpstream } from '../../support/task-upstream/task-upstream.ts';
import { providerSettings } from '../providers/openai-images-rig.ts';

afterAll(cleanUp);

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

/** Starts the program with an account at fal and one at OpenRouter, and two named tokens. */
async function start() {
  const cwd = await freshFolder();
  const fal = await createTaskUpstream({ service: FAL_UPSTREAM });
  const router = await createImagesUpstream({ dialect: 'openrouter' });
  onTestFinished(async () => {
    await fal.close();
    await router.close();
  });
  const token = await addToken(cwd, 'alice', '--budget-per-day', '100', '--unknown-cost', '0.5');
  const operator = await addToken(cwd, 'operator', '--permissions', 'admin,read');
  const bridge = await startBridge({
    command: 'serve',
    cwd,
    env: { FAL_KEY: fal.key, OWN_KEY: router.key() ?? '' },
    set: [
      TOKENS,
      'providers.task.fal.service=fal',
      `providers.task.fal.base_url=${fal.url}`,
      'providers.task.fal.api_key_env=FAL_KEY',
      'providers.task.fal.image_model=fal-ai/flux/dev',
      'providers.task.fal.models=["fal-ai/flux/dev"]',
      'providers.task.fal.catalogue=off',
      ...providerSettings('router', router, { catalogue: 'off' }),
      'default_provider=fal',
    ],
  });
  async function call(path: string, body?: object, secret = token): Promise<Json> {
    const response = await fetch(bridge.address + path, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json();
  }
  const reconcile = (provider: string, ...words: string[]) =>
    runProgram(['reconcile', provider, '--json', '--url', bridge.address, ...words], cwd, {
      IMAGE_BRIDGE_TOKEN: operator,
    });
  return { fal, router, call, reconcile };
}

describe('image-bridge reconcile', () => {
  it('makes the usage and the budget equal to the ledgers of fal and OpenRouter', async () => {
    const { fal, router, call, reconcile } = await start();
    const draw = (prompt: string, more: object = {}) =>
      call('/v1/images', { prompt, parameters: { output_format: 'png', ...more } });
    await draw('a fox');
    await draw('two foxes', { n: 2 });
    // The service has made the image, but the bridge cannot know this.
    fal.forPrompt('a lost fox', { waits: 2, end: 'lost' });
    const lost = await draw('a lost fox');
    const routed = await call('/v1/images', { prompt: 'a hare', routing: { provider: 'router' } });
    const before = await call('/v1/usage');

    const dry = await reconcile('fal', '--dry-run');
    const ofFal = await reconcile('fal');
    const ofRouter = await reconcile('router');
    const again = await reconcile('fal');

    const after = await call('/v1/usage');
    const billed = (bills: readonly bigint[]) => bills.reduce((sum, amount) => sum + amount, 0n);
    const atFal = billed(fal.ledger().map(({ charge }) => charge));
    const atRouter = billed(router.bills.map(({ amount }) => amount));
    expect(lost.error).toMatchObject({ bridge_ext: { details: { outcome: 'unknown' } } });
    expect(routed.cost).toMatchObject({ amount: amountText(atRouter), basis: 'reported' });
    expect(before.caller.budget.used_today).toBe(amountText(20_000_000_000n + atRouter));
    expect(before.items[0]).toMatchObject({ unknown_images: 4, cost: { basis: 'unknown' } });
    expect(JSON.parse(dry.stdout)).toMatchObject({ settled: 4, days: [{ unknown_images: 4 }] });
    expect(JSON.parse(ofFal.stdout)).toMatchObject({
      ...{ equal: 0, settled: 4, pending: 0 },
      correction: amountText(atFal),
      days: [{ cost: { amount: amountText(atFal) }, unknown_images: 0 }],
    });
    expect(JSON.parse(ofRouter.stdout)).toMatchObject({ equal: 1, settled: 0, pending: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ equal: 4, settled: 0, correction: '0' });
    expect(after.items[0]).toMatchObject({
      cost: { amount: amountText(atFal + atRouter) },
      unknown_images: 0,
    });
    expect(after.caller.budget.used_today).toBe(amountText(atFal + atRouter));
    expect(fal.violations()).toEqual([]);
  });
});
