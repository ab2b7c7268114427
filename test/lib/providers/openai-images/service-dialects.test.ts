import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createXai } from '@ai-sdk/xai';
import { OpenRouter } from '@openrouter/sdk';
import { generateImage } from 'ai';
import sharp from 'sharp';
import Together from 'together-ai';
import { afterEach, describe, expect, it } from 'vitest';
import type { Parameters } from '../../../../lib/contract/request/parameters.ts';
import type { ImagesSettings } from '../../../../lib/providers/openai-images/dialects/dialect.ts';
import type { ProviderInput } from '../../../../lib/providers/provider-port.ts';
import {
  createImagesUpstream,
  type ImagesUpstreamOptions,
} from '../../../support/images-upstream/images-upstream.ts';
import { agentRequest, inputOf } from '../agent-responses/requests.ts';
import { makeFolder, namedSettings, openProgramProvider } from '../program-rig.ts';
import { type EmulatedRig, openEmulated } from './emulated-rig.ts';

const opened: EmulatedRig[] = [];
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close();
});

async function rigOf(
  dialect: ImagesUpstreamOptions['dialect'] & ImagesSettings['dialect'],
  settings: Partial<ImagesSettings> = {},
) {
  const rig = await openEmulated({ dialect }, settings);
  opened.push(rig);
  return rig;
}

async function sampleImage(format: 'png' | 'jpeg' = 'png'): Promise<ProviderInput> {
  const made = sharp({ create: { width: 96, height: 64, channels: 3, background: '#357' } });
  return inputOf(await made.toFormat(format).toBuffer(), `image/${format}`);
}

function dataUrl({ mediaType, bytes }: ProviderInput): string {
  return `data:${mediaType};base64,${bytes.toString('base64')}`;
}

/** Returns the JSON bodies that the server received. */
function bodiesOf({ upstream }: EmulatedRig): readonly Record<string, unknown>[] {
  expect(upstream.counters()).toMatchObject({ refused: 0, broken: 0 });
  return upstream.calls.map(({ body }) => JSON.parse(body?.toString() ?? ''));
}

/** The provider `router` as the program builds it, with its catalogue. */
async function openRouterProgram(set: Readonly<Record<string, string>>) {
  const folder = await makeFolder('router');
  const upstream = await createImagesUpstream({ dialect: 'openrouter', imageBytes: 2000 });
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, upstream.key() ?? '', { mode: 0o600 });
  const settings = {
    dialect: 'openrouter',
    base_url: upstream.baseUrl,
    api_key_file: keyFile,
    ...set,
  };
  const program = await openProgramProvider(
    folder,
    namedSettings('openai_images', 'router', settings),
  );
  return {
    ...program,
    upstream,
    async close() {
      await program.close();
      await upstream.close();
    },
  };
}

const PROMPT = 'A lighthouse in a storm';
const GPT = 'openai/gpt-image-2';
const SEEDREAM = 'bytedance-seed/seedream-4.5';

/** A profile with the choices of `GPT`. */
const GPT_PROFILE: ImagesSettings['model_profiles'] = {
  [GPT]: {
    sizes: { auto: true, allowed: ['1024x1024', '1536x1024', '1024x1536'], arbitrary: false },
    qualities: ['auto', 'low', 'medium', 'high'],
    output_formats: ['png', 'jpeg', 'webp'],
    partial_images: { min: 0, max: 3 },
  },
};

describe('the dialect openrouter', () => {
  it('sends the same body as the SDK of the service', async () => {
    const rig = await rigOf('openrouter', { upstreams: ['openai'], model_profiles: GPT_PROFILE });
    const [source, reference] = [await sampleImage(), await sampleImage('jpeg')];
    const { upstream } = rig;
    const client = new OpenRouter({ apiKey: upstream.key() ?? '', serverURL: upstream.baseUrl });

    await rig.call({
      model: GPT,
      prompt: PROMPT,
      operation: 'edit',
      images: [source, reference],
      parameters: {
        size: '1536x1024',
        quality: 'high',
        output_format: 'webp',
        output_compression: 60,
      },
    });
    const reply = await client.images.generate({
      imageGenerationRequest: {
        model: GPT,
        prompt: PROMPT,
        size: '1536x1024',
        quality: 'high',
        outputFormat: 'webp',
        outputCompression: 60,
        inputReferences: [source, reference].map((input) => ({
          type: 'image_url',
          imageUrl: { url: dataUrl(input) },
        })),
        provider: { only: ['openai'], allowFallbacks: false },
      },
    });

    const [ours, theirs] = bodiesOf(rig);
    expect(ours).toEqual(theirs);
    expect(reply).toMatchObject({ data: [{ mediaType: 'image/webp' }], usage: { cost: 0.04 } });
  });

  it('sends a ratio and a resolution under the names of the service, and no format', async () => {
    const rig = await rigOf('openrouter');

    const { outputs } = await rig.call({
      model: SEEDREAM,
      parameters: { aspect_ratio: '32:18', resolution: '2k' },
    });

    expect(bodiesOf(rig)).toEqual([
      { model: SEEDREAM, prompt: PROMPT, aspect_ratio: '16:9', resolution: '2K' },
    ]);
    // The model has chosen JPEG.
    expect(outputs).toMatchObject([{ anyFormat: true }]);
    expect((await sharp(outputs[0]?.bytes).metadata()).format).toBe('jpeg');
  });

  it('reads a stream with empty comments, partial images and a final [DONE]', async () => {
    const rig = await rigOf('openrouter', { model_profiles: GPT_PROFILE });
    const { outputs, cost } = await rig.call({ model: GPT, parameters: { partial_images: 2 } });

    expect(outputs).toHaveLength(1);
    expect(rig.reported.map(({ type }) => type)).toContain('partial_image');
    expect(cost).toEqual({ amount: 400_000_000n });
    expect(bodiesOf(rig)).toMatchObject([{ stream: true }]);
  });

  it('reports the cost, the id in the invoice and the usage of a call', async () => {
    const rig = await rigOf('openrouter', { native_count: 3, model_profiles: GPT_PROFILE });

    const result = await rig.call({ model: GPT, indices: [0, 1, 2] });

    expect(result).toMatchObject({
      cost: { amount: 1_200_000_000n },
      usage: { input_tokens: 12, output_tokens: 3000, total_tokens: 3012 },
    });
    expect(rig.upstream.bills).toEqual([
      { id: rig.billedIds[0], images: 3, amount: 1_200_000_000n },
    ]);
  });

  it('does not repeat a call that returned fewer images than requested', async () => {
    const rig = await rigOf('openrouter', { native_count: 2, model_profiles: GPT_PROFILE });
    rig.upstream.script('count=fewer');

    await expect(rig.call({ model: GPT, indices: [0, 1] })).rejects.toMatchObject({
      effect: 'made',
      transient: false,
      details: { reason: 'wrong_count', returned_images: 1 },
    });
  });

  it('keeps a model whose upstreams the settings exclude, and drops a model that is gone', async () => {
    const { upstream, provider, run, close } = await openRouterProgram({
      upstreams: '["elsewhere"]',
      models: `["${SEEDREAM}", "maker/gone"]`,
    });
    await provider.catalogue?.refresh.run(new AbortController().signal);

    const unrouted = await run(agentRequest({ model: SEEDREAM })).ended;
    const gone = await run(agentRequest({ model: 'maker/gone' })).ended;

    expect(unrouted).toMatchObject({ code: 'unsupported_capability', param: null });
    expect(provider.capabilities(SEEDREAM)).toMatchObject({ resolutions: ['1k', '2k', '4k'] });
    expect(gone).toMatchObject({ code: 'unsupported_capability', param: 'routing.model' });
    expect(upstream.counters()).toMatchObject({ calls: 2, refused: 2 });
    await close();
  });

  it('reads the prices of each upstream, which the SDK of the service reads in the same way', async () => {
    const { upstream, provider, close } = await openRouterProgram({
      models: `["${GPT}"]`,
      catalogue: 'all',
    });
    const client = new OpenRouter({ apiKey: upstream.key() ?? '', serverURL: upstream.baseUrl });
    await provider.catalogue?.refresh.run(new AbortController().signal);

    const [author = '', slug = ''] = SEEDREAM.split('/');
    const { endpoints } = await client.images.listModelEndpoints({ author, slug });

    const [bytedance, maker] = provider.catalogue?.tariffs(SEEDREAM) ?? [];
    const inputs = { per: 'input_image', amount: 30_000_000n };
    expect(bytedance).toEqual([
      { per: 'image', amount: 400_000_000n, resolution: '1k' },
      { ...inputs, resolution: '1k' },
      { per: 'image', amount: 400_000_000n, resolution: '2k' },
      { ...inputs, resolution: '2k' },
      { per: 'image', amount: 800_000_000n, resolution: '4k' },
      { ...inputs, resolution: '4k' },
    ]);
    expect(maker).toEqual([{ per: 'image', amount: 500_000_000n }]);
    expect(endpoints.map(({ pricing }) => pricing.length)).toEqual([4, 1]);
    expect(provider.catalogue?.tariffs('maker/sketch')).toEqual([
      [{ per: 'megapixel', amount: 140_000_000n }],
    ]);
    // A unit that the bridge does not know makes the price unknown.
    expect(provider.catalogue?.tariffs('maker/upscale')).toEqual([[]]);
    await close();
  });

  it('describes and prices a model as the only upstream that the settings allow', async () => {
    const { upstream, provider, run, close } = await openRouterProgram({
      models: `["${SEEDREAM}"]`,
      upstreams: '["maker"]',
    });
    await provider.catalogue?.refresh.run(new AbortController().signal);
    upstream.setDefaultBehaviour('status=403');

    const document = provider.capabilities(SEEDREAM);
    for (const aspect_ratio of document?.aspect_ratios ?? []) {
      await run(agentRequest({ model: SEEDREAM, parameters: { aspect_ratio } })).ended;
    }

    expect(document).toMatchObject({ resolutions: ['1k'], edits: false });
    expect(provider.catalogue?.tariffs(SEEDREAM)).toEqual([
      [{ per: 'image', amount: 500_000_000n }],
    ]);
    expect(upstream.counters()).toMatchObject({ refused: 0, calls: upstream.accepted.length });
    await close();
  });

  it('offers for each model of the catalogue exactly what the service accepts', async () => {
    const { upstream, provider, run, close } = await openRouterProgram({
      models: `["${GPT}"]`,
      catalogue: 'all',
    });
    await provider.catalogue?.refresh.run(new AbortController().signal);
    const image = await sampleImage();
    // The service checks a call before this behaviour, which draws nothing.
    upstream.setDefaultBehaviour('status=403');

    for (const model of provider.describe().models) {
      const document = provider.capabilities(model);
      const images = document?.edits ? [image] : [];
      const operation = document?.edits ? 'edit' : 'generate';
      const choices: Partial<Parameters>[] = [
        {},
        ...(document?.sizes.allowed ?? []).map((size) => ({ size })),
        ...(document?.aspect_ratios ?? []).map((aspect_ratio) => ({ aspect_ratio })),
        ...(document?.resolutions ?? []).map((resolution) => ({ resolution })),
        ...(document?.qualities ?? []).map((quality) => ({ quality })),
        ...(document?.output_formats ?? []).map((output_format) => ({ output_format })),
        ...(document?.backgrounds ?? []).map((background) => ({ background })),
      ];
      const calls = choices.map((parameters) =>
        run(agentRequest({ model, operation, images, parameters })),
      );
      await Promise.all(calls.map(({ ended }) => ended));
    }

    const markup = upstream.models.filter((name) => name.includes('vector'));
    expect(markup).toHaveLength(7);
    expect(provider.describe().models).toEqual(
      upstream.models.filter((name) => !markup.includes(name)),
    );
    expect(markup.map((name) => provider.capabilities(name))).toEqual(markup.map(() => undefined));
    expect(provider.capabilities('maker/upscale')).toMatchObject({
      generation: false,
      edits: true,
    });
    expect(upstream.accepted.length).toBeGreaterThan(700);
    expect(upstream.counters()).toMatchObject({ refused: 0, calls: upstream.accepted.length });
    await close();
  });
});

describe('the dialect xai', () => {
  it.each([1, 2])('sends the same body as the AI SDK for an edit of %d images', async (count) => {
    const rig = await rigOf('xai');
    const { upstream } = rig;
    const images = await Promise.all(Array.from({ length: count }, () => sampleImage()));
    const client = createXai({ apiKey: upstream.key() ?? '', baseURL: upstream.baseUrl });

    await rig.call({
      model: 'grok-imagine-image',
      operation: 'edit',
      images: images.slice(0, 1),
      references: images.slice(1),
      prompt: PROMPT,
      parameters: { aspect_ratio: '3:2', resolution: '2k' },
    });
    await generateImage({
      model: client.image('grok-imagine-image'),
      prompt: { text: PROMPT, images: images.map(({ bytes }) => bytes) },
      aspectRatio: '3:2',
      providerOptions: { xai: { resolution: '2k' } },
      maxRetries: 0,
    });

    const [ours, theirs] = bodiesOf(rig);
    // The AI SDK always sends the number of images. Our prompt names the images of a mixed call.
    expect({ ...ours, n: 1, prompt: PROMPT }).toEqual(theirs);
    expect(upstream.calls.map(({ path }) => path)).toEqual([
      '/v1/images/edits',
      '/v1/images/edits',
    ]);
  });

  it('sends a quality only to a model with qualities, and never a size', async () => {
    const rig = await rigOf('xai');

    await rig.call({ model: 'grok-imagine-image-2.0', parameters: { quality: 'low' } });

    expect(bodiesOf(rig)).toEqual([
      {
        model: 'grok-imagine-image-2.0',
        prompt: PROMPT,
        quality: 'low',
        response_format: 'b64_json',
      },
    ]);
    expect(rig.provider.capabilities('grok-imagine-image')).toMatchObject({
      qualities: ['auto'],
      sizes: { allowed: [], arbitrary: false },
      resolutions: ['1k', '2k'],
      edit_images: { max_count: 3 },
      masks: { support: 'unsupported' },
    });
  });

  it('reports the cost of a call, of which a tick is 10^-10 dollars', async () => {
    const rig = await rigOf('xai', { native_count: 2 });

    const { cost } = await rig.call({ model: 'grok-imagine-image', indices: [0, 1] });

    expect(cost).toEqual({ amount: 400_000_000n });
  });

  it('reports a rejected key, which the service reports as an invalid argument', async () => {
    const rig = await rigOf('xai');
    rig.upstream.renewKey();

    await expect(rig.call({ model: 'grok-imagine-image' })).rejects.toMatchObject({
      code: 'provider_authentication',
    });
  });
});

describe('the dialect together', () => {
  it.each([
    ['black-forest-labs/FLUX.2-pro', 'reference_images'],
    ['black-forest-labs/FLUX.1-kontext-pro', 'image_url'],
  ] as const)('sends the same body as the SDK of the service for %s', async (model, member) => {
    const rig = await rigOf('together');
    const { upstream } = rig;
    const source = await sampleImage();
    const client = new Together({ apiKey: upstream.key() ?? '', baseURL: upstream.baseUrl });

    await rig.call({
      model,
      operation: 'edit',
      images: [source],
      prompt: PROMPT,
      negativePrompt: 'rain',
      parameters: { size: '1152x768', output_format: 'jpeg' },
    });
    const [ours] = bodiesOf(rig);
    await client.images.generate({
      model,
      prompt: PROMPT,
      width: 1152,
      height: 768,
      seed: Number(ours?.['seed']),
      negative_prompt: 'rain',
      output_format: 'jpeg',
      response_format: 'base64',
      ...(member === 'image_url'
        ? { image_url: dataUrl(source) }
        : { reference_images: [dataUrl(source)] }),
    });

    expect(ours).toEqual(bodiesOf(rig)[1]);
  });

  it('reports no cost', async () => {
    const rig = await rigOf('together');

    expect(await rig.call({ model: 'black-forest-labs/FLUX.2-pro' })).not.toHaveProperty('cost');
  });

  it('offers images only for models that read images', async () => {
    const { provider } = await rigOf('together');

    const limits = ['FLUX.1-schnell', 'FLUX.1-kontext-pro', 'FLUX.2-pro'].map(
      (name) => provider.capabilities(`black-forest-labs/${name}`)?.edit_images.max_count,
    );

    expect(limits).toEqual([0, 1, 8]);
  });
});
