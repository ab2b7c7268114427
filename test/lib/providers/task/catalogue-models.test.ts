import { afterEach, describe, expect, it } from 'vitest';
import { createSealedCursors } from '../../../../lib/cursors/sealed-cursor.ts';
import { createProviderInventory } from '../../../../lib/providers/inventory.ts';
import { createProviderRegistry } from '../../../../lib/providers/registry.ts';
import { FAL } from '../../../../lib/providers/task/services/fal.ts';
import { falModel, falPage } from '../../../support/catalogue-replies.ts';
import { openTaskRig } from '../../../support/task-rig.ts';
import { agentRequest, inputOf } from '../agent-responses/requests.ts';
import { json, openImageServer } from '../openai-images/image-server.ts';

const DEV = 'fal-ai/flux/dev';
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Opens an account whose service lists `fal-ai/flux/dev`, its endpoint for edits, and `fal-ai/other`. */
async function openAccount(catalogue: 'listed' | 'all' | 'off') {
  const server = await openImageServer(({ path, method }, response) => {
    const reply =
      method === 'POST'
        ? json({ detail: 'no such app' }, 404)
        : path.startsWith('/v1/models/pricing')
          ? json(falPrice(path))
          : path.includes('category=text-to-image')
            ? json(falPage([falModel(DEV), falModel('fal-ai/other')]))
            : json(falPage([falModel(`${DEV}/image-to-image`, true)]));
    return reply({ path, method, headers: {}, body: Buffer.alloc(0) }, response);
  });
  const rig = openTaskRig({
    service: FAL,
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
  return { rig, server, provider, refresh };
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
