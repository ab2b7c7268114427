import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import type { ImagesSettings } from '../../../../lib/providers/openai-images/dialects/dialect.ts';
import { LITELLM } from '../../../../lib/providers/openai-images/dialects/litellm.ts';
import { describeProvider } from '../../../contracts/provider-contract.ts';
import { DIALECTS, type DialectName } from '../../../support/images-upstream/dialects/dialects.ts';
import { inputOf, type RequestParts, someInputs } from '../agent-responses/requests.ts';
import { type EmulatedRig, openEmulated } from './emulated-rig.ts';
import { requestOf } from './images-rig.ts';

// `Object.keys` loses the type of the keys.
const NAMES = Object.keys(DIALECTS) as DialectName[];

/** Text that a server would interpret. */
const REFUSED: { readonly [Name in DialectName]?: RequestParts } = {
  localai: { prompt: 'A boat | a ship' },
  sdcpp: { negativePrompt: 'rain <sd_cpp_extra_args>' },
};

describe.each([...NAMES, 'native counts'] as const)('the images API in the dialect %s', (name) => {
  const isNative = name === 'native counts';
  const dialect = isNative ? 'openai' : name;

  describeProvider(`openai-images, ${name}`, async () => {
    const settings = isNative ? { native_count: 10 } : {};
    const { provider, upstream, close } = await openEmulated({ dialect }, settings);
    const model = upstream.models[0] ?? '';
    const asking = (parts: RequestParts) => requestOf({ model, ...parts });
    return {
      provider,
      request: (indices) => asking({ indices }),
      failing: asking({ prompt: 'Anything [[fail:status=403]]' }),
      endless: asking({ prompt: 'Anything [[fail:silence=before-headers]]' }),
      refused: asking(REFUSED[dialect] ?? { images: someInputs(9), references: someInputs(8) }),
      close,
    };
  });
});

const opened: EmulatedRig[] = [];
afterEach(async () => {
  for (const rig of opened.splice(0)) await rig.close();
});

async function rigOf(dialect: DialectName, settings: Partial<ImagesSettings> = {}) {
  const rig = await openEmulated({ dialect }, settings);
  opened.push(rig);
  return rig;
}

async function sampleImage(format: 'png' | 'jpeg' | 'webp', channels: 3 | 4 = 3) {
  const background = { r: 200, g: 40, b: 90, alpha: 0.5 };
  const image = sharp({ create: { width: 96, height: 64, channels, background } });
  return {
    ...inputOf(await image.toFormat(format).toBuffer(), `image/${format}`),
    width: 96,
    height: 64,
  };
}

/** All parameters that a request can set for a model with every capability. */
const EVERYTHING: RequestParts['parameters'] = {
  size: '1536x1024',
  quality: 'high',
  output_format: 'webp',
  output_compression: 60,
  background: 'transparent',
  moderation: 'low',
};

describe('a strict server', () => {
  it.each([
    ['openai', 'gpt-image-1.5'],
    ['azure', 'gpt-image-1.5'],
  ] as const)('%s accepts every capability of a model', async (dialect, model) => {
    const { call, upstream } = await rigOf(dialect);

    await call({ model, parameters: { ...EVERYTHING, partial_images: 2 } });
    await call({
      model,
      operation: 'edit',
      images: [await sampleImage('png'), await sampleImage('jpeg')],
      references: [await sampleImage('webp')],
      mask: await sampleImage('png', 4),
      parameters: { ...EVERYTHING, input_fidelity: 'high', partial_images: 3, action: 'edit' },
    });

    expect(upstream.counters()).toMatchObject({ replied: 2, refused: 0, drawn: 2 });
    const [generated, edited] = upstream.accepted;
    const understood = { width: 1536, format: 'webp', compression: 60, background: 'transparent' };
    expect(generated).toMatchObject({ ...understood, isStream: true, partialImages: 2 });
    expect(edited).toMatchObject({ ...understood, isStream: true, partialImages: 3 });
    expect(edited?.images.map(({ format }) => format)).toEqual(['png', 'jpeg', 'webp']);
    expect(edited?.mask?.format).toBe('png');
  });

  it('litellm accepts every capability of a model and is never asked for a stream', async () => {
    const { call, provider, upstream } = await rigOf('litellm', { stream: 'always' });

    await call({ model: 'gpt-image-1.5', parameters: { ...EVERYTHING, partial_images: 2 } });
    await call({
      model: 'gpt-image-1.5',
      operation: 'edit',
      images: [await sampleImage('png'), await sampleImage('jpeg')],
      mask: await sampleImage('png', 4),
      parameters: { ...EVERYTHING, input_fidelity: 'high', action: 'edit' },
    });

    expect(provider.capabilities('gpt-image-1.5')?.partial_images).toEqual({ min: 0, max: 0 });
    expect(upstream.counters()).toMatchObject({ replied: 2, refused: 0, drawn: 2 });
    const understood = { width: 1536, format: 'webp', isStream: false, partialImages: 0 };
    expect(upstream.accepted).toMatchObject([understood, understood]);
  });

  it.each(['2025-04-01-preview', undefined])(
    'azure accepts a call with the API version %s',
    async (version) => {
      const { call, upstream } = await rigOf('azure', {
        api_version: version,
        models: ['mine'],
        image_model: 'mine',
        deployments: { mine: 'our-images' },
      });

      await call({ model: 'mine' });

      expect(upstream.accepted).toMatchObject([{ model: 'our-images' }]);
      expect(upstream.calls[0]?.path.includes('/deployments/our-images/')).toBe(
        version !== undefined,
      );
    },
  );

  it('openai accepts a call with an organization and a project', async () => {
    const account = { organization: 'org-1', project: 'proj-1' };
    const rig = await openEmulated(account, account);
    opened.push(rig);

    await rig.call();

    expect(rig.upstream.counters()).toMatchObject({ replied: 1, refused: 0 });
  });
});

/** The fields in the table of compatible servers, and those of every call. */
const SENT: readonly (readonly [DialectName, readonly string[]])[] = [
  ['localai', ['model', 'prompt', 'response_format', 'seed', 'size']],
  ['sdcpp', ['model', 'output_format', 'prompt', 'size']],
  [
    'vllm-omni',
    ['model', 'negative_prompt', 'output_format', 'prompt', 'response_format', 'seed', 'size'],
  ],
  [
    'sglang',
    ['model', 'negative_prompt', 'output_format', 'prompt', 'response_format', 'seed', 'size'],
  ],
  ['generic', ['model', 'prompt', 'response_format', 'size']],
];

describe('a compatible server', () => {
  it.each(SENT)('%s receives only fields that it reads', async (dialect, fields) => {
    const { call, upstream, provider } = await rigOf(dialect);
    const model = upstream.models[0] ?? '';
    const isNative = provider.capabilities(model)?.negative_prompt === 'native';

    await call({
      model,
      ...(isNative ? { negativePrompt: 'a saucer' } : {}),
      parameters: { ...EVERYTHING, output_format: 'png', partial_images: 2 },
    });

    expect(Object.keys(upstream.accepted[0]?.fields ?? {}).sort()).toEqual(fields);
    expect(upstream.accepted[0]).toMatchObject({ prompt: 'A lighthouse in a storm', width: 1536 });
    if (isNative) expect(upstream.accepted[0]).toMatchObject({ negativePrompt: 'a saucer' });
  });

  it.each(['localai', 'sdcpp', 'vllm-omni', 'sglang'] as const)(
    '%s draws a different image for each call of the same request',
    async (dialect) => {
      const { call, upstream } = await rigOf(dialect);
      const model = upstream.models[0] ?? '';

      const [first, second] = [await call({ model }), await call({ model })];

      expect(first.outputs[0]?.bytes.equals(second.outputs[0]?.bytes ?? Buffer.alloc(0))).toBe(
        false,
      );
      expect(new Set(upstream.accepted.map(({ seed }) => seed)).size).toBe(2);
    },
  );

  it.each(['localai', 'sdcpp', 'vllm-omni', 'sglang'] as const)(
    '%s receives every source and reference of an edit in order',
    async (dialect) => {
      const { call, upstream } = await rigOf(dialect);

      await call({
        model: upstream.models[0] ?? '',
        operation: 'edit',
        images: [await sampleImage('jpeg'), await sampleImage('png')],
        references: [await sampleImage('webp')],
        parameters: { size: '512x512' },
      });

      expect(upstream.accepted).toMatchObject([{ operation: 'edit', width: 512 }]);
      expect(upstream.accepted[0]?.images).toHaveLength(3);
    },
  );

  it('localai receives sources and references of every format as RGB PNG', async () => {
    const { call, upstream } = await rigOf('localai');
    const grey = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#777' } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
    const alpha = { ...(await sampleImage('png', 4)), orientation: 1 };
    const inputs = [
      { ...inputOf(grey, 'image/png'), width: 96, height: 64 },
      alpha,
      await sampleImage('webp'),
      await sampleImage('jpeg'),
    ];
    const model = upstream.models[0] ?? '';

    for (const input of inputs) {
      await call({ model, operation: 'edit', images: [input], references: [input] });
    }

    const received = upstream.accepted.flatMap(({ images }) => images);
    expect(received).toHaveLength(inputs.length * 2);
    for (const { format, channels, width, height } of received) {
      expect({ format, channels, width, height }).toEqual({
        format: 'png',
        channels: 3,
        width: 96,
        height: 64,
      });
    }
  });

  it.each([
    [640, 480, 1, '640x480'],
    [640, 480, 6, '480x640'],
    [451, 300, 1, '448x304'],
    [96, 64, 1, '256x256'],
    [4096, 1024, 1, '2048x512'],
  ])('localai is asked for the size of a source of %dx%d with orientation %d', async (...row) => {
    const [width, height, orientation, size] = row;
    const { call, upstream } = await rigOf('localai');
    const made = sharp({ create: { width, height, channels: 3, background: '#246' } });
    const bytes = await made.withMetadata({ orientation }).jpeg().toBuffer();
    const source = { ...inputOf(bytes, 'image/jpeg'), width, height, orientation };

    await call({ model: upstream.models[0] ?? '', operation: 'edit', images: [source] });

    expect(upstream.accepted[0]?.fields['size']).toBe(size);
  });

  it.each(NAMES)('%s returns an image that its reply identifies by URL', async (dialect) => {
    const { call, upstream } = await rigOf(dialect);
    upstream.script('url=absolute');

    const { outputs } = await call({ model: upstream.models[0] ?? '' });

    expect((await sharp(outputs[0]?.bytes).metadata()).width).toBeGreaterThan(0);
    expect(upstream.fetched).toMatchObject([{ status: 200 }]);
    expect(upstream.counters()).toMatchObject({ calls: 1, drawn: 1 });
  });

  it('sglang reports no echo of the prompt as a revised one', async () => {
    const { call, upstream } = await rigOf('sglang');

    const { outputs } = await call({ model: upstream.models[0] ?? '' });

    expect(outputs[0]).not.toHaveProperty('revisedPrompt');
  });

  it('litellm reports the cost in a header, and a cost of 0 is unknown', async () => {
    const { call } = await rigOf('litellm');

    expect(await call()).toMatchObject({ cost: { amount: 420_000n } });
    const { costHeader } = LITELLM;
    expect(['0.0', 'None', '-1', '1e99'].map((value) => costHeader?.costOf(value))).toEqual(
      Array(4).fill(undefined),
    );
  });

  it('litellm reports no usage of zeros', async () => {
    const { call } = await rigOf('litellm');

    expect(await call()).not.toHaveProperty('usage');
  });
});

describe('a failure in the form of a dialect', () => {
  it.each<[DialectName, string, object]>([
    ['azure', 'status=401', { code: 'provider_authentication' }],
    ['azure', 'status=404', { code: 'unsupported_capability', param: 'routing.model' }],
    ['azure', 'status=400,content_filter', { code: 'safety_rejected' }],
    ['azure', 'status=400,contentFilter', { code: 'safety_rejected' }],
    ['azure', 'status=400,inner-code', { code: 'safety_rejected' }],
    ['azure', 'status=429', { code: 'rate_limited', transient: true }],
    ['litellm', 'status=401', { code: 'provider_authentication' }],
    ['litellm', 'status=400', { code: 'refused_by_provider' }],
    ['litellm', 'status=400,moderation_blocked', { code: 'safety_rejected' }],
    ['litellm', 'status=400,content_policy_violation', { code: 'safety_rejected' }],
    ['litellm', 'status=404', { code: 'unsupported_capability', param: 'routing.model' }],
    ['litellm', 'status=429', { code: 'rate_limited', transient: true }],
    ['litellm', 'status=429,quota-type', { code: 'rate_limited', transient: false }],
    ['litellm', 'status=500', { transient: false, details: { outcome: 'unknown' } }],
    ['litellm', 'status=503', { code: 'upstream', transient: true }],
    ['generic', 'status=500', { transient: false, details: { outcome: 'unknown' } }],
    ['localai', 'status=503', { code: 'upstream', transient: true }],
    ['localai', 'status=500', { code: 'upstream', transient: true }],
    ['sdcpp', 'status=400', { code: 'refused_by_provider' }],
    ['sdcpp', 'status=500', { code: 'upstream', transient: true }],
    ['sdcpp', 'status=504', { transient: false, details: { outcome: 'unknown' } }],
    ['vllm-omni', 'status=422', { code: 'refused_by_provider' }],
    ['vllm-omni', 'status=400', { code: 'refused_by_provider' }],
    ['localai', 'status=400', { code: 'refused_by_provider' }],
    ['localai', 'status=404', { code: 'unsupported_capability', param: 'routing.model' }],
    ['openai', 'status=413', { code: 'refused_by_provider' }],
    ['vllm-omni', 'cut=body', { code: 'protocol', details: { outcome: 'unknown' } }],
    ['sglang', 'status=500', { code: 'upstream', transient: true }],
    ['sglang', 'status=404,empty', { code: 'upstream', transient: false }],
    ['openrouter', 'status=400', { code: 'refused_by_provider' }],
    ['openrouter', 'status=400,unrouted', { code: 'unsupported_capability' }],
    ['openrouter', 'status=404,unrouted', { code: 'unsupported_capability' }],
    ['openrouter', 'status=404', { code: 'unsupported_capability', param: 'routing.model' }],
    ['openrouter', 'status=401', { code: 'provider_authentication' }],
    ['openrouter', 'status=402', { code: 'rate_limited', transient: false }],
    ['openrouter', 'status=403', { code: 'permission_denied' }],
    ['openrouter', 'status=403,flagged', { code: 'safety_rejected' }],
    ['openrouter', 'status=413', { code: 'refused_by_provider' }],
    ['openrouter', 'status=429', { code: 'rate_limited', transient: true }],
    ['openrouter', 'status=500', { transient: true, effect: undefined }],
    ['openrouter', 'status=502', { transient: true, effect: undefined }],
    ['openrouter', 'status=503', { transient: true, effect: undefined }],
    ['openrouter', 'status=529', { transient: true, effect: undefined }],
    ['openrouter', 'status=524', { transient: false, effect: 'unknown' }],
    ['openrouter', 'status=500,html', { transient: false, effect: 'unknown' }],
    ['openrouter', 'status=502,html', { transient: false, effect: 'unknown' }],
    ['openrouter', 'status=503,empty', { transient: false, effect: 'unknown' }],
    ['openrouter', 'cut=body', { code: 'protocol', effect: 'unknown' }],
    ['xai', 'status=401', { code: 'provider_authentication' }],
    ['xai', 'status=400', { code: 'refused_by_provider' }],
    ['xai', 'status=404', { code: 'unsupported_capability', param: 'routing.model' }],
    ['xai', 'status=429', { code: 'rate_limited', transient: true }],
    ['xai', 'status=500', { code: 'upstream', transient: true }],
    ['xai', 'status=502', { transient: false, effect: 'unknown' }],
    ['xai', 'body=moderated', { code: 'safety_rejected', effect: 'unknown', transient: false }],
    ['together', 'status=401', { code: 'provider_authentication' }],
    ['together', 'status=404', { code: 'unsupported_capability', param: 'routing.model' }],
    ['together', 'status=422', { code: 'refused_by_provider' }],
    ['together', 'status=429', { code: 'rate_limited', transient: true }],
    ['together', 'status=503', { code: 'upstream', transient: true }],
    ['together', 'status=504', { transient: false, effect: 'unknown' }],
  ])('of %s with %s becomes the error of the contract', async (dialect, behaviour, error) => {
    const { call, upstream } = await rigOf(dialect);
    const prompt = `A cup [[fail:${behaviour}]]`;

    const work = call({ model: upstream.models[0] ?? '', prompt });

    await expect(work).rejects.toMatchObject(error);
    expect(upstream.counters().calls).toBe(1);
  });

  it('names the number of returned images if the number is wrong', async () => {
    const { call, upstream } = await rigOf('openai', { native_count: 10 });
    upstream.script('count=fewer', 'count=more', 'count=none');
    const asking = () => call({ indices: [0, 1, 2] });

    for (const returned_images of [2, 4]) {
      await expect(asking()).rejects.toMatchObject({
        effect: 'made',
        details: { reason: 'wrong_count', returned_images },
      });
    }
    await expect(asking()).rejects.toMatchObject({ code: 'upstream', transient: false });
  });
});
