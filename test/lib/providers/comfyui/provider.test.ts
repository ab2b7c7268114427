import { execFileSync } from 'node:child_process';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import { readPhoto } from '../../images/photos.ts';
import {
  agentRequest,
  inputOf,
  type RequestParts,
  someInputs,
} from '../agent-responses/requests.ts';
import { openComfyRig, useComfyRig } from './comfy-rig.ts';

const draw = (parts: RequestParts = {}) => agentRequest({ model: 'draw', ...parts });

const photo = (name: Parameters<typeof readPhoto>[0] = 'chelsea.png', sha256 = 'a-hash') => ({
  ...inputOf(readPhoto(name)),
  sha256,
});

describeProvider('comfyui', async () => {
  const { provider, close } = await openComfyRig();
  return {
    provider,
    request: (indices) => draw({ indices }),
    failing: draw({ prompt: 'Anything [[fail:failed]]' }),
    endless: draw({ prompt: 'Anything [[fail:endless]]' }),
    refused: draw({ model: 'inpaint', images: someInputs(1) }),
    close,
  };
});

const rig = useComfyRig();

/** Returns the inputs of a node in the only prompt. */
const inputsOf = (node: string) => rig().upstream.prompts[0]?.workflow[node]?.inputs;

async function edgesOf(bytes: Buffer | undefined): Promise<string> {
  const { width, height } = await sharp(bytes).metadata();
  return `${width}x${height}`;
}

describe('createComfyuiProvider', () => {
  it('offers a capability if its input is bound', () => {
    const { provider } = rig();
    const [drawing, redrawing, inpainting, restyling] = [
      'draw',
      'redraw',
      'inpaint',
      'restyle',
    ].map((model) => provider.capabilities(model));

    expect(provider.describe()).toMatchObject({
      models: ['draw', 'redraw', 'inpaint', 'restyle'],
      defaultModel: 'draw',
    });
    expect(drawing).toMatchObject({
      generation: true,
      edits: false,
      sizes: { arbitrary: true, max_edge: 2048, edge_multiple: 8 },
      aspect_ratio: 'native',
      negative_prompt: 'native',
      batching: { max_parallel_outputs: 1 },
    });
    expect(redrawing).toMatchObject({
      generation: false,
      edits: true,
      sizes: { auto: true, arbitrary: false },
      aspect_ratio: 'unsupported',
      edit_images: { max_count: 1 },
      reference_images: { max_count: 0 },
      masks: { support: 'unsupported' },
    });
    expect(inpainting?.masks).toMatchObject({ support: 'emulated', max_count: 1 });
    expect(provider.maskForm?.('inpaint')).toBe('alpha');
    expect(provider.maskForm?.('redraw')).toBeUndefined();
    expect(restyling).toMatchObject({
      edit_images: { max_count: 2 },
      reference_images: { max_count: 1 },
    });
  });

  it('writes the prompts into their nodes and keeps everything else as exported', async () => {
    await rig().run(draw({ prompt: 'A fox', negativePrompt: 'snow' })).result;

    expect(inputsOf('6')).toEqual({ text: 'A fox', clip: ['4', 1] });
    expect(inputsOf('7')).toEqual({ text: 'snow', clip: ['4', 1] });
    expect(inputsOf('5')).toEqual({ width: 512, height: 512, batch_size: 1 });
    expect(inputsOf('3')).toMatchObject({ steps: 20, cfg: 8, sampler_name: 'euler' });
  });

  it('uses a new seed for each output', async () => {
    const { run, upstream } = rig();

    await run(draw({ indices: [0] })).result;
    await run(draw({ indices: [1] })).result;

    const seeds = upstream.prompts.map(({ workflow }) => workflow['3']?.inputs['seed']);
    expect(new Set([5, ...seeds]).size).toBe(3);
  });

  it.each([
    [{}, '512x512'],
    [{ size: '640x384' }, '640x384'],
    [{ aspect_ratio: '2:1' }, '1448x728'],
    [{ resolution: '2k' }, '2048x2048'],
    [{ aspect_ratio: '16:9', resolution: '4k' }, '2048x1152'],
  ] as const)('requests the size %j as %s', async (parameters, size) => {
    const { outputs } = await rig().run(draw({ parameters })).result;

    expect(await edgesOf(outputs[0]?.bytes)).toBe(size);
  });

  it('uploads an image once as a temporary file named by its content, and does not mention it in the prompt', async () => {
    const { run, upstream } = rig();
    const images = [photo()];

    await run(draw({ model: 'redraw', images })).result;
    const { outputs } = await run(draw({ model: 'redraw', images })).result;

    expect(inputsOf('10')).toEqual({ image: 'image-bridge/a-hash.png [temp]' });
    expect(inputsOf('6')).toMatchObject({ text: 'A lighthouse in a storm' });
    expect(upstream.files().get('image-bridge/a-hash.png [temp]')).toEqual(
      readPhoto('chelsea.png'),
    );
    expect(await edgesOf(outputs[0]?.bytes)).toBe('448x296');
  });

  it('fills the image inputs with the sources and then with the references', async () => {
    const images = [photo('chelsea.png', 'first')];
    const references = [photo('coffee.png', 'second')];

    await rig().run(draw({ model: 'restyle', images, references })).result;

    expect(inputsOf('10')).toEqual({ image: 'image-bridge/first.png [temp]' });
    expect(inputsOf('13')).toEqual({ image: 'image-bridge/second.png [temp]' });
  });

  it('makes the node read the alpha of a mask, regardless of the exported channel', async () => {
    const images = [photo('chelsea.png', 'first')];

    await rig().run(draw({ model: 'inpaint', images, mask: photo('coffee.png', 'mask') })).result;

    expect(inputsOf('11')).toEqual({ image: 'image-bridge/mask.png [temp]', channel: 'alpha' });
  });

  it.each([
    ['restyle', [photo()], 'images'],
    ['inpaint', [photo()], 'mask'],
  ] as const)(
    'rejects a call of %s that would leave a bound input as exported',
    async (model, images, param) => {
      const error = await rig().run(draw({ model, images })).ended;

      expect(error).toMatchObject({ code: 'unsupported_capability', param });
      expect(rig().upstream.requests).toEqual([]);
    },
  );

  it.each([
    ['output=two', 'png'],
    ['output=temp', 'png'],
    ['output=jpeg', 'jpeg'],
    ['late-history', 'png'],
    ['history=fails-twice', 'png'],
    ['queue=fails-twice', 'png'],
    ['view=fails-twice', 'png'],
  ] as const)(
    'returns the first image of the output node despite an obstacle: %s',
    async (behaviour, format) => {
      rig().upstream.script(behaviour);

      const { outputs } = await rig().run(draw()).result;

      expect((await sharp(outputs[0]?.bytes).metadata()).format).toBe(format);
      expect(outputs[0]?.anyFormat).toBe(true);
      expect(rig().upstream.prompts).toHaveLength(1);
    },
  );

  it('reports events in order', async () => {
    const { reported, result } = rig().run(draw({ indices: [4] }));

    await result;

    expect(reported[0]).toEqual({ type: 'progress', stage: 'dispatched' });
    expect(reported.slice(1).every((event) => event.index === 4)).toBe(true);
  });
});

describe('a prompt of comfyui', () => {
  it.each(['lost-but-queued', 'status=502-but-queued'] as const)(
    'that was accepted is found by its id and never submitted again: %s',
    async (behaviour) => {
      rig().upstream.script(behaviour);

      const { outputs } = await rig().run(draw()).result;

      expect(outputs).toHaveLength(1);
      expect(submissions()).toBe(1);
    },
  );

  it.each([
    ['lost', 'protocol', 'unknown'],
    ['page', 'upstream', 'unknown'],
    ['status=500', 'upstream', 'unknown'],
    ['status=502', 'upstream', 'unknown'],
    ['forgotten', 'protocol', 'unknown'],
    ['history=fails', 'protocol', 'unknown'],
    ['view=fails', 'protocol', undefined],
    ['view=404', 'protocol', undefined],
    ['failed', 'upstream', undefined],
    ['interrupted', 'upstream', undefined],
    ['output=nothing', 'upstream', undefined],
    ['output=empty', 'protocol', undefined],
    ['output=huge', 'protocol', undefined],
  ] as const)(
    'that ends as %s is reported as %s with the outcome %s and not repeated',
    async (behaviour, code, outcome) => {
      rig().upstream.script(behaviour);

      const error = await rig().run(draw()).ended;

      expect(error).toBeInstanceOf(BridgeError);
      expect(error).toMatchObject({ code, transient: false, retryable: false });
      expect((error as BridgeError).details['outcome']).toBe(outcome);
      expect(submissions()).toBe(1);
    },
  );

  it.each([
    ['status=403', 'permission_denied', false],
    ['status=429', 'rate_limited', true],
    ['status=503', 'upstream', true],
  ] as const)(
    'that is rejected with %s is retryable as the status says',
    async (behaviour, code, transient) => {
      rig().upstream.script(behaviour);

      expect(await rig().run(draw()).ended).toMatchObject({ code, transient });
    },
  );

  it('that is invalid is reported as a failure of the workflow', async () => {
    const { folder, run } = rig();
    const file = join(folder, 'draw.json');
    const workflow = JSON.parse(await readFile(file, 'utf8'));
    workflow['4'].inputs.ckpt_name = 'another-model';
    await writeFile(file, JSON.stringify(workflow));

    expect(await run(draw()).ended).toMatchObject({
      code: 'refused_by_provider',
      retryable: false,
      details: {
        reason: 'refused_by_provider',
        upstream_code: 'prompt_outputs_failed_validation',
        node_id: '4',
        node_type: 'CheckpointLoaderSimple',
      },
    });
  });

  it('that fails is reported with its node', async () => {
    rig().upstream.script('failed');

    expect(await rig().run(draw()).ended).toMatchObject({
      details: { node_id: '3', node_type: 'KSampler' },
    });
  });

  it('whose image is missing fails at once with the effect made', async () => {
    rig().upstream.script('view=404');

    const error = await rig().run(draw()).ended;

    expect(error).toMatchObject({ effect: 'made', details: { reason: 'image_missing' } });
    expect(rig().upstream.requests.filter((path) => path.startsWith('/view'))).toHaveLength(1);
  });

  it('is awaited while the queue is too large to be read', async () => {
    const { run, upstream } = rig();
    upstream.hold(true);
    const { result } = run(draw());
    await upstream.until(() => upstream.prompts.length === 1);
    const text = 'long '.repeat(500_000);
    upstream.addForeign('succeed', { '1': { class_type: 'CLIPTextEncode', inputs: { text } } });
    const looks = () => upstream.requests.filter((path) => path === '/queue').length;
    const before = looks();
    await upstream.until(() => looks() > before + 1);

    upstream.hold(false);

    expect((await result).outputs).toHaveLength(1);
  });

  it('of a workflow with the maximum size is found in the history', async () => {
    const { folder, run } = rig();
    const file = join(folder, 'draw.json');
    const workflow = JSON.parse(await readFile(file, 'utf8'));
    const text = { class_type: 'CLIPTextEncode', inputs: { text: '', clip: ['4', 1] } };
    const most = 1_048_576 - JSON.stringify({ ...workflow, '99': text }).length;
    text.inputs.text = 'x'.repeat(most);
    await writeFile(file, JSON.stringify({ ...workflow, '99': text }));

    expect((await run(draw()).result).outputs).toHaveLength(1);
  });

  it('of an older server is found under the id that the server chose', async () => {
    const old = await openComfyRig({ isOld: true });

    const { outputs } = await old.run(draw()).result;

    expect(outputs).toHaveLength(1);
    await old.close();
  });
});

describe('cancelling a prompt of comfyui', () => {
  const reason = new Error('given up');

  it('interrupts a running prompt and waits until it has ended', async () => {
    const { run, upstream } = rig();
    const controller = new AbortController();
    const { ended } = run(draw({ prompt: '[[fail:endless]]' }), controller.signal);
    await upstream.until(() => upstream.prompts[0]?.state === 'running');

    controller.abort(reason);

    expect(await ended).toBe(reason);
    expect(upstream.prompts[0]?.state).toBe('interrupted');
  });

  it.each([false, true])(
    'removes a pending prompt from the queue and does not affect the running prompt (older server: %s)',
    async (isOld) => {
      const shared = await openComfyRig({ isOld });
      const { run, upstream } = shared;
      upstream.addForeign('endless', {});
      const controller = new AbortController();
      const { ended } = run(draw(), controller.signal);
      await upstream.until(() => upstream.requests.includes('/queue'));

      controller.abort(reason);

      expect(await ended).toBe(reason);
      expect(upstream.prompts.map(({ state }) => state)).toEqual(['running', 'removed']);
      expect(upstream.requests).not.toContain('/interrupt');
      await shared.close();
    },
  );

  it('sends no request for a call that was not submitted', async () => {
    const { ended } = rig().run(draw(), AbortSignal.abort(reason));

    expect(await ended).toBe(reason);
    expect(rig().upstream.requests).toEqual([]);
  });
});

describe('the probe of comfyui', () => {
  const probe = () => rig().provider.probe(new AbortController().signal);

  it('reports ready if the workflows are readable and makes no request', async () => {
    expect(await probe()).toEqual({ ready: true });
    expect(rig().upstream.requests).toEqual([]);
  });

  it.each([
    ['is missing', (file: string) => rm(file)],
    ['is a pipe', (file: string) => rm(file).then(() => void execFileSync('mkfifo', [file]))],
    ['is a device without end', (file: string) => rm(file).then(() => symlink('/dev/zero', file))],
    ['is larger than 1 MiB', (file: string) => writeFile(file, ' '.repeat(1_048_577))],
    ['is not JSON', (file: string) => writeFile(file, '{')],
    ['is not in the API format', (file: string) => writeFile(file, '{"nodes": []}')],
    ['lacks a bound node', (file: string) => writeFile(file, '{}')],
  ])('reports not ready while a workflow %s', async (_what, spoil) => {
    await spoil(join(rig().folder, 'draw.json'));

    expect(await probe()).toEqual({ ready: false, errorCode: 'configuration' });
    expect(await rig().run(draw()).ended).toMatchObject({ code: 'configuration' });
  });
});

describe('the key of comfyui', () => {
  it('is sent as a bearer token to a proxy in front of the server', async () => {
    const guarded = await openComfyRig({ token: 'a-token' });

    const { outputs } = await guarded.run(draw()).result;
    await writeFile(guarded.keyFile, 'another');
    const refused = await guarded.run(draw()).ended;

    expect(outputs).toHaveLength(1);
    expect(refused).toMatchObject({ code: 'provider_authentication', transient: false });
    expect(guarded.upstream.prompts).toHaveLength(1);
    await guarded.close();
  });
});

/** Returns how often a prompt was submitted. */
function submissions(): number {
  return rig().upstream.requests.filter((path) => path === '/prompt').length;
}
