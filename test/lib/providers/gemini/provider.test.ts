import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import {
  GenerateRequest,
  inlineImagesOf,
  textOf,
} from '../../../support/gemini-upstream/generate-request.ts';
import { readPhoto } from '../../images/photos.ts';
import { agentRequest, inputOf, someInputs } from '../agent-responses/requests.ts';
import { openGeminiRig, useGeminiRig } from './gemini-rig.ts';

const MODEL = 'gemini-nano-banana-2.1';

describeProvider('gemini', async () => {
  const { provider, close } = await openGeminiRig();
  return {
    provider,
    request: (indices) => agentRequest({ model: MODEL, indices }),
    failing: agentRequest({ model: MODEL, prompt: 'Anything [[fail:status=403]]' }),
    endless: agentRequest({ model: MODEL, prompt: 'Anything [[fail:silence=before-headers]]' }),
    refused: agentRequest({ model: MODEL, images: someInputs(8), references: someInputs(7) }),
    close,
  };
});

const rig = useGeminiRig();

/** Returns the body of the only call. */
function sent() {
  return v.parse(GenerateRequest, JSON.parse(String(rig().upstream.calls[0]?.body)));
}

async function edgesOf(bytes: Buffer | undefined): Promise<string> {
  const { width, height } = await sharp(bytes).metadata();
  return `${width}x${height}`;
}

describe('createGeminiProvider', () => {
  it('creates a provider that describes itself by its settings', async () => {
    const { provider, close } = await openGeminiRig({
      set: {
        models: '["gemini-3-pro-image", "mine"]',
        image_model: 'mine',
        max_outputs: '20',
        max_parallel_outputs: '4',
        max_transient_attempts: '1',
        transient_backoff_ms: '7',
      },
    });

    expect(provider.name).toBe('gem');
    expect(provider.describe()).toMatchObject({
      models: ['gemini-3-pro-image', 'mine'],
      defaultModel: 'mine',
    });
    expect(provider.retry).toEqual({ attempts: 1, backoffMs: 7 });
    expect(provider.capabilities('mine')).toMatchObject({
      model: 'mine',
      count: { min: 1, max: 20 },
      batching: { max_parallel_outputs: 4 },
    });
    expect(provider.capabilities(MODEL)).toBeUndefined();
    await close();
  });

  it('applies the model profiles in the settings to the capabilities', async () => {
    const { provider, close } = await openGeminiRig({
      set: {
        models: '["lite-as-well", "small"]',
        image_model: 'small',
        model_profiles:
          '{ lite-as-well = "gemini-3.1-flash-lite-image", small = { edits = false, resolutions = ["1k"] } }',
      },
    });

    expect(provider.capabilities('lite-as-well')?.sizes.allowed).toHaveLength(10);
    expect(provider.capabilities('small')).toMatchObject({ edits: false, resolutions: ['1k'] });
    await close();
  });

  it('omits parameters that the request leaves to the model', async () => {
    await rig().run(agentRequest({ model: MODEL })).result;

    expect(sent().generationConfig).toEqual({ responseModalities: ['IMAGE'] });
  });

  it.each([
    [{ aspect_ratio: '21:9' }, { aspectRatio: '21:9' }, '1584x672'],
    [{ aspect_ratio: '32:18' }, { aspectRatio: '16:9' }, '1376x768'],
    [{ resolution: '2k' }, { imageSize: '2K' }, '2048x2048'],
    [
      { aspect_ratio: '9:16', resolution: '4k' },
      { aspectRatio: '9:16', imageSize: '4K' },
      '3072x5504',
    ],
    [{ size: '1024x1024' }, { aspectRatio: '1:1', imageSize: '1K' }, '1024x1024'],
    [{ size: '1696x2528' }, { aspectRatio: '2:3', imageSize: '2K' }, '1696x2528'],
    [{ size: '384x3072' }, { aspectRatio: '1:8', imageSize: '1K' }, '384x3072'],
  ] as const)('sends the parameters %j as %j', async (parameters, imageConfig, size) => {
    const { outputs } = await rig().run(agentRequest({ model: MODEL, parameters })).result;

    expect(sent().generationConfig.imageConfig).toEqual(imageConfig);
    expect(await edgesOf(outputs[0]?.bytes)).toBe(size);
  });

  it('sends photographs unchanged, the sources before the references', async () => {
    const photos = ['chelsea.png', 'rocket.jpg', 'coffee.png'] as const;
    const [first, second, third] = photos.map(readPhoto);

    await rig().run(
      agentRequest({
        model: MODEL,
        images: [inputOf(first!), inputOf(second!, 'image/jpeg')],
        references: [inputOf(third!)],
      }),
    ).result;

    const request = sent();
    expect(inlineImagesOf(request).map(({ mimeType }) => mimeType)).toEqual([
      'image/png',
      'image/jpeg',
      'image/png',
    ]);
    expect(inlineImagesOf(request).map(({ data }) => Buffer.from(data, 'base64'))).toEqual([
      first,
      second,
      third,
    ]);
    expect(textOf(request)).toContain('Images 1 to 2 are to be edited. Image 3 is for reference');
  });

  it('rejects images that together exceed the limits of the backend', async () => {
    const inputs = Array.from({ length: 15 }, () => inputOf(Buffer.from('x')));
    const [image, ...references] = inputs;

    const { ended } = rig().run(agentRequest({ model: MODEL, images: [image!], references }));

    expect(await ended).toMatchObject({
      code: 'unsupported_capability',
      param: 'images',
      details: { max_count: 14 },
    });
    expect(rig().upstream.calls).toEqual([]);
  });

  it.each(['text-first', 'thoughts', 'mime=none', 'two-images', 'second-candidate'] as const)(
    'returns the first image and ignores text and drafts: %s',
    async (behaviour) => {
      const same = await openGeminiRig({ imageVariants: 1 });
      same.upstream.script('succeed', behaviour);
      const plain = await same.run(agentRequest({ model: MODEL })).result;

      const result = await same.run(agentRequest({ model: MODEL })).result;

      expect(result.outputs).toEqual(plain.outputs);
      await same.close();
    },
  );

  it.each(['format=jpeg', 'mime=png'] as const)(
    'returns an image in the format that the backend sent: %s',
    async (behaviour) => {
      rig().upstream.script(behaviour);

      const { outputs } = await rig().run(agentRequest({ model: MODEL })).result;

      expect((await sharp(outputs[0]?.bytes).metadata()).format).toBe('jpeg');
      expect(outputs[0]?.anyFormat).toBe(true);
    },
  );

  it.each([
    [
      'succeed',
      {
        input_tokens: 9,
        output_tokens: 1120,
        total_tokens: 1129,
        input_text_tokens: 9,
        output_image_tokens: 1120,
      },
    ],
    ['usage=none', undefined],
    ['usage=zero', undefined],
    ['usage=odd', { output_text_tokens: 40, provider: { thoughtsTokenCount: 40 } }],
  ] as const)('reports the usage of a call: %s', async (behaviour, usage) => {
    rig().upstream.script(behaviour);

    expect((await rig().run(agentRequest({ model: MODEL })).result).usage).toEqual(usage);
  });

  it('reports the tokens of input images', async () => {
    const images = [inputOf(readPhoto('chelsea.png'))];

    const { usage } = await rig().run(agentRequest({ model: MODEL, images })).result;

    expect(usage).toMatchObject({ input_tokens: 267, input_image_tokens: 258 });
  });

  it('reads a reply at any chunk boundaries', async () => {
    const { upstream, run } = rig();
    upstream.script({ behaviour: 'thoughts', chunks: { seed: 7, maxBytes: 5000 } });

    const { outputs } = await run(agentRequest({ model: MODEL })).result;

    expect(await edgesOf(outputs[0]?.bytes)).toBe('1024x1024');
  });

  it('closes the connection as soon as the signal of the call aborts', async () => {
    const { upstream, run } = rig();
    const controller = new AbortController();
    const reason = new Error('given up');
    upstream.script('silence=body');
    const { ended } = run(agentRequest({ model: MODEL }), controller.signal);
    await upstream.until(() => upstream.calls[0]?.isSilent === true);

    controller.abort(reason);

    expect(await ended).toBe(reason);
    await upstream.until(() => upstream.calls[0]?.outcome === 'client_disconnected');
  });

  it('reports a model that is unknown to the backend', async () => {
    const other = await openGeminiRig({ set: { models: '["unknown"]', image_model: 'unknown' } });

    const error = await other.run(agentRequest({ model: 'unknown' })).ended;

    expect(error).toMatchObject({ code: 'unsupported_capability', param: 'routing.model' });
    expect(other.upstream.calls).toMatchObject([{ refusal: { status: 404 } }]);
    await other.close();
  });
});

describe('the key of a gemini provider', () => {
  it('is sent once if the file still contains the rejected key', async () => {
    const { upstream, run } = rig();
    upstream.setKeys('another-key');

    const error = await run(agentRequest({ model: MODEL })).ended;

    expect(error).toMatchObject({ code: 'provider_authentication', transient: false });
    expect(upstream.calls).toHaveLength(1);
  });

  it('stops a call before it is sent if the key file is unreadable', async () => {
    const { upstream, run, keyFile, provider } = rig();
    await writeFile(keyFile, '');

    const error = await run(agentRequest({ model: MODEL })).ended;

    expect(error).toMatchObject({ code: 'provider_authentication' });
    expect(upstream.calls).toEqual([]);
    expect(await provider.probe(new AbortController().signal)).toEqual({
      ready: false,
      errorCode: 'authentication',
    });
  });
});
