import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as createImage } from '../../handlers/images/create-image.ts';
import { handler as planImage } from '../../handlers/images/plan-image.ts';
import type { ImagePlan } from '../../lib/contract/reply/image-plan.ts';
import { openWorld, PROVIDERS } from '../e2e/images/plan-world.ts';
import { invoke, openHttpSettings } from '../support/invoke.ts';

let world: Awaited<ReturnType<typeof openWorld>>;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const settings = openHttpSettings();

async function post(body: object, handler: typeof planImage | typeof createImage = planImage) {
  const sent = { method: 'POST', body };
  const { status, json } = await invoke<typeof world.services>(
    handler,
    sent,
    world.services,
    settings,
  );
  return { status, json };
}

async function planOf(body: object): Promise<ImagePlan> {
  const { status, json } = await post({ prompt: 'a fox', ...body });
  expect(status).toBe(200);
  return json as ImagePlan;
}

function described(changes: object = {}) {
  return { type: 'described', format: 'png', width: 32, height: 24, bytes: 200, ...changes };
}

async function makeArtifact() {
  const body = { prompt: 'a fox', output: { response_format: 'artifact' } };
  const { json } = await post(body, createImage);
  const [made] = (json as { data: { id: string; bytes: number }[] }).data;
  if (!made) throw new Error('no image was made');
  return made;
}

const fields = (json: unknown) =>
  (
    json as { error: { bridge_ext: { details: { issues: { field: string }[] } } } }
  ).error.bridge_ext.details.issues.map(({ field }) => field);

describe('planImage', () => {
  it('counts the calls of the provider', async () => {
    const parameters = { n: 6 };
    const routing = { provider: 'sandbox', fallbacks: [{ provider: 'responses' }] };

    const { routes } = await planOf({ parameters, routing });

    expect(routes.map(({ calls }) => calls)).toEqual([2, 6]);
  });

  it('names the key colour of the background that will be removed', async () => {
    const parameters = { background: 'transparent' };

    const { routes } = await planOf({
      prompt: 'a green frog',
      parameters,
      routing: { provider: 'responses', fallbacks: [{ provider: 'alpha' }] },
    });

    expect(routes.map(({ transparency }) => transparency)).toEqual([
      { mode: 'chroma_key', key_color: '#FF00FF' },
      { mode: 'native' },
    ]);
  });

  it('chooses the first ready route that accepts the request', async () => {
    const { chosen, routes } = await planOf({
      parameters: { size: '1000x700' },
      routing: {
        provider: 'responses',
        fallbacks: [{ provider: 'logged-out' }, { provider: 'sandbox' }],
      },
    });

    expect(chosen).toBe(2);
    expect(routes[0]).toMatchObject({ ready: true, error: { code: 'unsupported_capability' } });
    expect(routes[1]).toMatchObject({
      ready: false,
      calls: 1,
      error: { code: 'authentication', details: { reason: 'not_ready' } },
    });
    expect(routes[2]).not.toHaveProperty('error');
  });

  it('chooses no route after an error that no route can avoid', async () => {
    const { chosen, routes } = await planOf({
      operation: 'edit',
      images: [described({ width: 65 })],
      routing: { provider: 'sandbox', fallbacks: [{ provider: 'alpha' }] },
    });

    expect(chosen).toBeNull();
    const error = { code: 'input', details: { field: 'images[0]', reason: 'edge_too_long' } };
    expect(routes).toMatchObject([{ error }, { error }]);
  });

  it('calls no provider and keeps no file', async () => {
    const before = PROVIDERS.map((name) => world.callsOf(name).length);

    await planOf({ operation: 'edit', images: [described()], parameters: { n: 3 } });

    expect(PROVIDERS.map((name) => world.callsOf(name).length)).toEqual(before);
  });

  it('reads the length of an artifact from its record', async () => {
    const { id, bytes } = await makeArtifact();
    const images = [{ type: 'artifact', artifact_id: id }];
    const routing = { provider: 'narrow', fallbacks: [{ provider: 'sandbox' }] };
    const policies = { compatibility: 'best_effort' };

    const { chosen, routes } = await planOf({
      operation: 'edit',
      images: [...images, described({ bytes: 300 - bytes + 1 })],
      routing,
      policies,
    });

    expect(chosen).toBe(1);
    expect(routes[0]?.error).toMatchObject({ details: { field: 'images' } });
  });

  it('rejects an artifact of another caller on every route', async () => {
    const images = [{ type: 'artifact', artifact_id: '0'.repeat(32) }];

    const { routes } = await planOf({ operation: 'edit', images });

    const details = { field: 'images[0]', reason: 'unknown_artifact' };
    expect(routes).toMatchObject([{ calls: 0, error: { code: 'input', details } }]);
  });

  it('reads only the length of an inline image', async () => {
    const whole = { type: 'base64', data: '****' };
    const cut = { type: 'base64', data: '***' };

    const plans = [
      await planOf({ operation: 'edit', images: [whole] }),
      await planOf({ operation: 'edit', images: [cut] }),
    ];

    expect(plans.map(({ chosen }) => chosen)).toEqual([0, null]);
    expect(plans[1]?.routes[0]?.error?.details).toEqual({
      field: 'images[0].data',
      reason: 'not_base64',
    });
  });

  it('rejects a thread of another scope', async () => {
    const { chosen, routes } = await planOf({
      session: { mode: 'thread', thread_id: 'never made' },
      routing: { provider: 'agent' },
    });

    expect(chosen).toBeNull();
    expect(routes).toMatchObject([{ error: { code: 'not_found' } }]);
  });

  it.each([
    ['a native request', { prompt: ' ', n: 1 }, ['n', 'prompt']],
    [
      'a described image without its facts',
      { prompt: 'a fox', operation: 'edit', images: [{ type: 'described', format: 'gif' }] },
      ['images[0].bytes', 'images[0].format', 'images[0].height', 'images[0].width'],
    ],
    ['an unknown provider', { prompt: 'a fox', routing: { provider: 'x' } }, ['routing.provider']],
    ['a wrapped request without an operation', { openai: { prompt: 'x' } }, ['openai.operation']],
    [
      'a wrapped request beside a native one',
      { prompt: 'a fox', openai: { operation: 'generate', prompt: 'a fox' } },
      ['prompt'],
    ],
    [
      'a wrapped edit',
      { openai: { operation: 'edit', n: 0, prompt: 'x', images: [{ type: 'described' }] } },
      [
        'openai.images[0].bytes',
        'openai.images[0].format',
        'openai.images[0].height',
        'openai.images[0].width',
        'openai.n',
      ],
    ],
    [
      'a wrapped request that breaks a rule between fields',
      { openai: { operation: 'generate', prompt: 'x', output_compression: 50 } },
      ['openai.output_compression'],
    ],
    [
      'a wrapped request for an unknown provider',
      { openai: { operation: 'generate', prompt: 'x', bridge_ext: { provider: 'x' } } },
      ['openai.bridge_ext.provider'],
    ],
  ])('names every invalid field of %s', async (_, body, wrong) => {
    const { status, json } = await post(body);

    expect(status).toBe(422);
    expect(fields(json)).toEqual(wrong);
  });

  it('is the only operation that accepts a described image', async () => {
    const body = { prompt: 'a fox', operation: 'edit', images: [described()] };

    const { status, json } = await post(body, createImage);

    expect(status).toBe(422);
    expect(fields(json)).toEqual(['images[0].type']);
  });
});
