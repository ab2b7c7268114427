import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as planImageBatch } from '../../handlers/images/plan-image-batch.ts';
import type { PlanBatchResult } from '../../lib/contract/reply/plan-batch-result.ts';
import { openWorld } from '../e2e/images/plan-world.ts';
import { invoke, openHttpSettings } from '../support/invoke.ts';

let world: Awaited<ReturnType<typeof openWorld>>;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const settings = openHttpSettings();
const SANDBOX = { provider: 'sandbox', model: 'sandbox-1' };
const PROMPTS = ['a fox at dusk', 'a fox at noon'];

async function post(body: object) {
  const sent = { method: 'POST', body };
  const { status, json } = await invoke<typeof world.services>(
    planImageBatch,
    sent,
    world.services,
    settings,
  );
  return { status, json };
}

async function planOf(body: object): Promise<PlanBatchResult> {
  const { status, json } = await post({ prompts: PROMPTS, routes: [SANDBOX], ...body });
  expect(status).toBe(200);
  return json as PlanBatchResult;
}

describe('planImageBatch', () => {
  it('sums the plans of each prompt on each route', async () => {
    const { routes, total } = await planOf({
      routes: [SANDBOX, { provider: 'alpha' }],
      parameters: { n: 2 },
    });

    expect(routes).toMatchObject([
      { provider: 'sandbox', ready: true, requests: 2, images: 4, refused: [] },
      { provider: 'alpha', ready: true, requests: 2, images: 4, refused: [] },
    ]);
    expect(total).toMatchObject({ requests: 4, images: 8, unpriced: 2, free: 2 });
    expect(total.calls).toBe(routes.reduce((sum, { calls }) => sum + calls, 0));
    expect(routes[0]?.cost).toMatchObject({ amount: '0', basis: 'free', bound: 'exact' });
  });

  it('counts a request without a known cost apart', async () => {
    const { routes, total } = await planOf({
      routes: [SANDBOX, { provider: 'responses' }],
    });

    expect(routes.map(({ unpriced, free }) => [unpriced, free])).toEqual([
      [0, 2],
      [2, 0],
    ]);
    expect(total).toMatchObject({ unpriced: 2, free: 2, cost: { basis: 'unknown' } });
    expect(total.cost).not.toHaveProperty('amount');
  });

  it('names the prompts that a route rejects', async () => {
    const { routes, total } = await planOf({
      routes: [{ provider: 'responses' }],
      parameters: { size: '1000x700' },
    });

    expect(routes[0]).toMatchObject({
      requests: 0,
      refused: [
        { prompt: 0, error: { code: 'unsupported_capability' } },
        { prompt: 1, error: { code: 'unsupported_capability' } },
      ],
    });
    expect(routes[0]).not.toHaveProperty('cost');
    expect(total.requests).toBe(0);
  });

  it('says why the provider of a route is not ready', async () => {
    const { routes } = await planOf({ routes: [{ provider: 'logged-out' }] });

    expect(routes[0]).toMatchObject({
      ready: false,
      requests: 2,
      error: { details: { reason: 'not_ready' } },
    });
  });

  it.each([
    ['prompts', { prompts: [] }],
    ['prompts', { prompts: Array.from({ length: 25 }, (_, at) => `a fox ${at}`) }],
    ['prompts[1]', { prompts: ['a fox', ' '] }],
    ['prompts[1]', { prompts: ['a fox', 'x'.repeat(12_288)], negative_prompt: 'night' }],
    ['routes', { routes: Array.from({ length: 7 }, () => SANDBOX) }],
    ['prompt', { prompt: 'a fox' }],
    ['images[0]', { operation: 'edit', images: [{ type: 'base64', data: 'AAAA' }] }],
    ['parameters.aspect_ratio', { parameters: { size: '64x64', aspect_ratio: '1:1' } }],
  ])('refuses the field %s', async (field, changes) => {
    const { status, json } = await post({ prompts: PROMPTS, routes: [SANDBOX], ...changes });

    expect(status).toBe(422);
    const { issues } = Object(json).error.bridge_ext.details;
    expect(issues.map((issue: { field: string }) => issue.field)).toContainEqual(
      expect.stringContaining(field),
    );
  });
});
