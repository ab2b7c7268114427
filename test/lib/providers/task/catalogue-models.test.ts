import { afterEach, describe, expect, it } from 'vitest';
import { createSealedCursors } from '../../../../lib/cursors/sealed-cursor.ts';
import { interruption } from '../../../../lib/errors/interruption.ts';
import { createProviderInventory } from '../../../../lib/providers/inventory.ts';
import { createProviderRegistry } from '../../../../lib/providers/registry.ts';
import { FAL } from '../../../../lib/providers/task/services/fal.ts';
import { falModel, falPage } from '../../../support/catalogue-replies.ts';
import { openTaskRig } from '../../../support/task-rig.ts';
import { agentRequest, inputOf, type RequestParts } from '../agent-responses/requests.ts';
import { json, openImageServer } from '../openai-images/image-server.ts';

const DEV = 'fal-ai/flux/dev';
const DAY_MS = 86_400_000;
const IMAGE = `data:image/png;base64,${Buffer.from('an image').toString('base64')}`;

/** The model with these inputs instead of `image_size` and `num_images`. */
function changedModel(inputs: object): object {
  const model = falModel(DEV) as {
    openapi: { components: { schemas: { Input: { properties: object } } } };
  };
  const { schemas } = model.openapi.components;
  const { image_size: _, num_images: __, ...kept } = schemas.Input.properties as Inputs;
  const properties = { ...kept, ...inputs };
  const Input = { ...schemas.Input, properties };
  return {
    ...model,
    openapi: { ...model.openapi, components: { schemas: { ...schemas, Input } } },
  };
}

interface Inputs {
  readonly image_size?: object;
  readonly num_images?: object;
}
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Opens an account whose service lists `fal-ai/flux/dev`, its endpoint for edits, and `fal-ai/other`. */
async function openAccount(catalogue: 'listed' | 'all' | 'off') {
  let dev: object = falModel(DEV);
  let passedMs = 0;
  let submission: object | undefined;
  const server = await openImageServer(({ path, method }, response) => {
    const reply =
      method === 'POST'
        ? json(submission ?? { detail: 'no such app' }, submission ? 200 : 404)
        : path === '/result'
          ? json({ images: [{ url: IMAGE }, { url: IMAGE }, { url: IMAGE }] })
          : path === '/state'
            ? json({ status: 'COMPLETED', request_id: 'a-task' })
            : path.startsWith('/v1/models/pricing')
              ? json(falPrice(path))
              : path.includes('category=text-to-image')
                ? json(falPage([dev, falModel('fal-ai/other')]))
                : json(falPage([falModel(`${DEV}/image-to-image`, true)]));
    return reply({ path, method, headers: {}, body: Buffer.alloc(0) }, response);
  });
  const rig = openTaskRig({
    service: FAL,
    nowMs: () => Date.now() + passedMs,
    settings: {
      service: 'fal',
      base_url: server.url,
      models: [DEV, 'fal-ai/unlisted'],
      image_model: DEV,
      catalogue,
    },
  });
  opened.push(rig, server);
  const { provider } = rig;
  const refresh = async () =>
    // The state directory of the rig does not exist, so that saving the file fails.
    provider.catalogue?.refresh.run(new AbortController().signal).catch(() => undefined);
  /** Lets the service describe `fal-ai/flux/dev` in another way, and reads the list again after a day. */
  async function change(model: object): Promise<void> {
    dev = model;
    passedMs += DAY_MS;
    await refresh();
  }
  /** Lets the service accept submissions. The task makes three images. */
  function accept(): void {
    const urls = {
      status_url: `${server.url}/state`,
      response_url: `${server.url}/result`,
      cancel_url: `${server.url}/cancel`,
    };
    submission = { request_id: 'a-task', ...urls };
  }
  return { rig, server, provider, refresh, change, accept };
}

/** An endpoint that edits costs twice as much as another. */
function falPrice(path: string): object {
  const [endpoint_id = ''] = new URL(path, 'http://x').searchParams.getAll('endpoint_id');
  const unit_price = endpoint_id.endsWith('/image-to-image') ? 0.05 : 0.025;
  return { prices: [{ endpoint_id, unit_price, unit: 'images', currency: 'USD' }] };
}

describe('the models of an account with a catalogue', () => {
  it('accept only a prompt until the catalogue is read', async () => {
    const { provider, refresh } = await openAccount('listed');
    const before = provider.capabilities(DEV);

    await refresh();

    expect(before).toMatchObject({ edits: false, batching: { native_count: { max: 1 } } });
    expect(before?.sizes.arbitrary).toBe(false);
    expect(provider.capabilities(DEV)).toMatchObject({
      edits: true,
      sizes: { arbitrary: true },
      batching: { native_count: { max: 4 } },
      output_formats: ['jpeg', 'png'],
    });
    expect(provider.capabilities('fal-ai/unlisted')).toMatchObject({ edits: false });
    expect(provider.describe().models).toEqual([DEV, 'fal-ai/unlisted']);
  });

  it('include the other models of the catalogue, without endpoints for edits, if `catalogue` is "all"', async () => {
    const { provider, refresh } = await openAccount('all');
    await refresh();
    const registry = createProviderRegistry([provider], provider.name);
    const cursors = createSealedCursors(Buffer.alloc(32));
    const inventory = createProviderInventory({ registry, cursors });

    expect(provider.describe().models).toEqual([DEV, 'fal-ai/unlisted', 'fal-ai/other']);
    expect(inventory.list(10, undefined).items[0]?.models).toContain('fal-ai/other');
  });

  it('do not come from the service if `catalogue` is "off"', async () => {
    const { provider, server } = await openAccount('off');

    expect(provider.catalogue).toBeUndefined();
    expect(provider.capabilities(DEV)).toMatchObject({ edits: false });
    expect(server.received).toEqual([]);
  });

  it('are edited with an endpoint of their own', async () => {
    const { rig, server, refresh } = await openAccount('listed');
    await refresh();

    const images = [inputOf(Buffer.from('source'))];
    await rig.run(agentRequest({ model: DEV, images })).ended;

    const post = server.received.find(({ method }) => method === 'POST');
    expect(post?.path).toBe(`/${DEV}/image-to-image`);
    expect(JSON.parse(String(post?.body))).toMatchObject({
      image_url: `data:image/png;base64,${Buffer.from('source').toString('base64')}`,
      num_images: 1,
    });
  });

  it('cost what the service publishes for the endpoints that they use', async () => {
    const { provider, refresh } = await openAccount('listed');
    await refresh();

    expect(provider.catalogue?.tariffs(DEV)).toEqual([
      [
        { per: 'image', amount: 250_000_000n, operation: 'generate' },
        { per: 'image', amount: 500_000_000n, operation: 'edit' },
      ],
    ]);
    expect(provider.catalogue?.tariffs('fal-ai/unlisted')).toEqual([]);
  });

  it('change with the inputs that the service lists, and a call that was planned before is sent with the new inputs', async () => {
    const { rig, server, provider, refresh, change } = await openAccount('listed');
    await refresh();
    const planned = agentRequest({ model: DEV, parameters: { output_format: 'jpeg' } });

    await change(changedModel({ aspect_ratio: { type: 'string', enum: ['1:1', '16:9'] } }));

    expect(provider.capabilities(DEV)).toMatchObject({
      sizes: { arbitrary: false },
      aspect_ratio: 'native',
      aspect_ratios: ['1:1', '16:9'],
      batching: { native_count: { max: 1 } },
    });
    await rig.run(planned).ended;
    const post = server.received.find(({ method }) => method === 'POST');
    expect(Object.keys(JSON.parse(String(post?.body))).toSorted()).toEqual([
      'output_format',
      'prompt',
      'seed',
    ]);
  });

  it.each<readonly [string, RequestParts, string]>([
    ['several images', { indices: [0, 1, 2] }, 'n'],
    ['a size', { parameters: { size: '1024x1024' } }, 'size'],
  ])('do not submit a call for %s that a model no longer makes', async (_, parts, field) => {
    const { rig, server, refresh, change } = await openAccount('listed');
    await refresh();

    await change(changedModel({}));
    const { ended, reported } = rig.run(agentRequest({ model: DEV, ...parts }));

    expect(await ended).toMatchObject({ code: 'unsupported_capability', details: { field } });
    expect(reported).toEqual([]);
    expect(server.received.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('return the images of a task that was submitted before the model changed', async () => {
    const { rig, server, refresh, change, accept } = await openAccount('listed');
    await refresh();
    accept();
    const parts = { indices: [0, 1, 2], parameters: { size: '1024x1024' } };
    const request = agentRequest({ model: DEV, ...parts });
    const stop = new AbortController();
    const first = rig.run(request, {
      signal: stop.signal,
      async accepted(ticket) {
        first.tickets.push(ticket);
        stop.abort(interruption());
        return true;
      },
    });
    await first.ended;
    const [ticket = ''] = first.tickets;

    await change(changedModel({}));
    const { ended } = rig.run({ ...request, ticket });

    expect(await ended).toMatchObject({ outputs: [{}, {}, {}] });
    expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('lose a model whose call is rejected, and name the reason', async () => {
    const { rig, provider, refresh } = await openAccount('listed');
    await refresh();
    const registry = createProviderRegistry([provider], provider.name);
    const request = agentRequest({ model: DEV });

    const { ended } = rig.run(request);

    const gone = { code: 'unsupported_capability', details: { reason: 'model_gone' } };
    expect(await ended).toMatchObject(gone);
    expect(provider.capabilities(DEV)).toBeUndefined();
    let refusal: unknown;
    try {
      registry.capabilities(provider, DEV, 'routing.model');
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject(gone);
    // A call that was planned before is still made.
    expect(await rig.run(request).ended).toMatchObject({ code: 'unsupported_capability' });
  });
});
