import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { createFinish, toDelivered } from '../../../../lib/generation/finish/finish.ts';
import { NO_CREDENTIALS } from '../../../support/provenance/no-credentials.ts';
import { joined } from '../../images/joined.ts';
import { anything, appServer, gptImage2, gptImage15 } from '../capability-documents.ts';
import { image, keyed, openEngine } from '../images.ts';
import { planOf } from '../plans.ts';
import { requestOf } from '../requests.ts';

const engine = openEngine();
const finish = createFinish({ engine, credentials: NO_CREDENTIALS, inputs: [] });
const signal = new AbortController().signal;

afterAll(() => engine.close());

describe('createFinish', () => {
  it('returns a valid image unchanged', async () => {
    const bytes = await image();

    const finished = await finishing(bytes);

    expect(finished).toMatchObject({
      index: 2,
      generationMs: 40,
      image: { format: 'png', width: 32, height: 24, alpha: 'none' },
      verdict: { index: 2, size: 'unspecified', format: 'unspecified', alpha: 'unspecified' },
      warnings: [],
    });
    expect(finished.image.bytes.toBuffer()).toBe(bytes);
  });

  it.each<[string, (bytes: Buffer) => Buffer, string]>([
    ['is cut', (bytes) => bytes.subarray(0, -1), 'truncated'],
    [
      'has bytes after its end',
      (bytes) => Buffer.concat([bytes, Buffer.alloc(3)]),
      'trailing_bytes',
    ],
    ['is no image', () => Buffer.from('<html>Bad gateway</html>'), 'unsupported_format'],
    ['is empty', () => Buffer.alloc(0), 'unsupported_format'],
    ['is too large', () => Buffer.alloc(1024 * 1024 + 1), 'too_many_bytes'],
  ])('rejects an image that %s', async (_, corrupt, reason) => {
    const corrupted = corrupt(await image());

    await expect(finishing(corrupted)).rejects.toMatchObject({
      code: 'protocol',
      retryable: false,
      details: { reason },
    });
  });

  it('warns of a size that differs from the requested size', async () => {
    const finished = await finishing(await image(), { parameters: { size: '64x64' } });

    expect(finished.verdict.size).toBe('changed');
    expect(finished.warnings).toEqual(['output_size_differs']);
  });

  it('rejects with the reason of the abort', async () => {
    const reason = new BridgeError('cancelled', 'the client has disconnected');
    const { finish: plan } = planOf(requestOf());
    const unfinished = { index: 0, output: { bytes: await image() }, generationMs: 0 };

    await expect(finish(unfinished, plan, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('createFinish, formats', () => {
  const webp = { output_format: 'webp' };

  it('rejects a format that differs from the requested format, under strict', async () => {
    const bytes = await image({ format: 'jpeg' });

    await expect(finishing(bytes, { parameters: webp })).rejects.toMatchObject({
      code: 'protocol',
      details: { reason: 'format_mismatch' },
    });
  });

  it('converts an image whose format the provider could not choose, under strict', async () => {
    const plan = planOf(requestOf({ parameters: webp }));
    const output = { bytes: await image({ format: 'jpeg' }), anyFormat: true } as const;

    const finished = await finish({ index: 0, output, generationMs: 1 }, plan.finish, signal);

    expect(finished.image.format).toBe('webp');
    expect(finished.warnings).toEqual(['output_format_converted']);
  });

  it.each(['normalize', 'best_effort'])(
    'converts a wrong format under %s',
    async (compatibility) => {
      const bytes = await image({ format: 'jpeg' });

      const finished = await finishing(bytes, { parameters: webp, policies: { compatibility } });

      expect(finished.image).toMatchObject({ format: 'webp', width: 32, height: 24 });
      expect(finished.verdict.format).toBe('honoured');
      expect(finished.warnings).toEqual(['output_format_converted']);
    },
  );

  it('converts an image if the model lacks the requested format', async () => {
    const sent = { parameters: webp, policies: { compatibility: 'normalize' } };

    const finished = await finishing(await image(), sent, appServer);

    expect(finished.image.format).toBe('webp');
    expect(finished.warnings).toEqual(['output_format_converted']);
  });

  it('converts an image if the request named no format, under strict', async () => {
    const capabilities: CapabilityDocument = { ...gptImage2, output_formats: ['jpeg'] };
    const request = requestOf({ parameters: { background: 'transparent' } });
    const { finish: plan } = planOf(request, capabilities);
    const parameters = { ...request.parameters, background: 'auto' as const };
    const opaque = { ...plan, requested: { ...plan.requested, parameters } };
    const output = { bytes: await image({ format: 'jpeg' }) };

    const finished = await finish({ index: 0, output, generationMs: 0 }, opaque, signal);

    expect(plan.providerFormat).toBe('jpeg');
    expect(finished.image.format).toBe('png');
  });

  it('converts with the requested compression', async () => {
    const noise = await image({ width: 300, height: 300 });
    const sent = (output_compression: number) => ({
      parameters: { output_format: 'jpeg', output_compression },
      policies: { compatibility: 'normalize' },
    });

    const small = await finishing(noise, sent(1), appServer);
    const large = await finishing(noise, sent(100), appServer);

    expect(small.image.bytes.length).toBeLessThan(large.image.bytes.length);
  });

  it('blends transparent pixels with white in a JPEG', async () => {
    const sent = {
      parameters: { output_format: 'jpeg' },
      policies: { compatibility: 'normalize' },
    };

    const finished = await finishing(await image({ alpha: 0.5 }), sent, appServer);

    expect(finished.image).toMatchObject({ format: 'jpeg', alpha: 'none' });
  });
});

describe('createFinish, transparency', () => {
  const transparent = { background: 'transparent' };

  it('accepts a transparent image', async () => {
    const bytes = await image({ alpha: 0.5 });

    const finished = await finishing(bytes, { parameters: transparent }, gptImage15);

    expect(finished.verdict.alpha).toBe('honoured');
    expect(finished.warnings).toEqual([]);
  });

  it.each([
    ['without alpha', undefined, 'strict', 'opaque'],
    ['without alpha', undefined, 'normalize', 'opaque'],
    ['with alpha that hides nothing', 1, 'strict', 'opaque'],
    ['in which nothing can be seen', 0, 'strict', 'empty'],
    ['in which nothing can be seen', 0, 'normalize', 'empty'],
    ['in which nothing can be seen', 0, 'best_effort', 'empty'],
  ] as const)('rejects an image %s (%s) under %s', async (_, alpha, compatibility, expected) => {
    const bytes = await image(alpha === undefined ? {} : { alpha });
    const sent = { parameters: transparent, policies: { compatibility } };

    await expect(finishing(bytes, sent, gptImage15)).rejects.toMatchObject({
      code: 'protocol',
      details: { alpha: expected },
    });
  });

  it.each([undefined, 1])('delivers an opaque image under best_effort, alpha %s', async (alpha) => {
    const bytes = await image(alpha === undefined ? {} : { alpha });
    const sent = { parameters: transparent, policies: { compatibility: 'best_effort' } };

    const finished = await finishing(bytes, sent, gptImage15);

    expect(finished.verdict.alpha).toBe('changed');
    expect(finished.warnings).toEqual(['transparency_failed']);
  });
});

describe('createFinish, background removal', () => {
  const transparent = { background: 'transparent' };

  it('removes the background of a subject', async () => {
    const finished = await finishing(await keyed(), { parameters: transparent }, gptImage2);

    expect(finished.image).toMatchObject({ format: 'png', width: 32, height: 24, alpha: 'some' });
    expect(finished.verdict.alpha).toBe('honoured');
    expect(finished.warnings).toEqual([]);
  });

  it('removes the background by the colour and the thresholds of the request', async () => {
    const transparency = {
      key_color: '#ff0000',
      transparent_threshold: 0,
      opaque_threshold: 255,
      despill: false,
    };
    const sent = { parameters: transparent, output: { transparency } };

    const { image } = await finishing(await keyed('#ff0000', '#ff6633'), sent, gptImage2);

    const { data } = await engine.decode(joined(image), { channels: 4 }, signal);
    const middle = (12 * 32 + 16) * 4;
    expect([...data.subarray(middle, middle + 4)]).toEqual([255, 102, 51, 102]);
  });

  it('delivers an image without background in the requested format', async () => {
    const parameters = { ...transparent, output_format: 'webp', output_compression: 70 };

    const finished = await finishing(await keyed(), { parameters }, gptImage2);

    expect(finished.image).toMatchObject({ format: 'webp', alpha: 'some' });
    expect(finished.verdict).toMatchObject({ format: 'honoured', alpha: 'honoured' });
    expect(finished.warnings).toEqual(['output_format_converted']);
  });

  it.each([
    ['has another background', '#ffffff', '#803020', 'strict', 'opaque'],
    ['has another background', '#ffffff', '#803020', 'normalize', 'opaque'],
    ['is nothing but background', '#00ff00', '#00ff00', 'strict', 'empty'],
    ['is nothing but background', '#00ff00', '#00ff00', 'best_effort', 'empty'],
  ] as const)(
    'rejects an image that %s (%s, %s) under %s',
    async (_, ground, thing, compatibility, alpha) => {
      const bytes = await keyed(ground, thing);
      const sent = { parameters: transparent, policies: { compatibility } };

      await expect(finishing(bytes, sent, gptImage2)).rejects.toMatchObject({
        code: 'protocol',
        retryable: false,
        details: { alpha },
      });
    },
  );

  it('delivers the unchanged image under best_effort if its background could not be removed', async () => {
    const bytes = await keyed('#ffffff', '#803020');
    const sent = { parameters: transparent, policies: { compatibility: 'best_effort' } };

    const finished = await finishing(bytes, sent, gptImage2);

    expect(finished.image.bytes.toBuffer()).toBe(bytes);
    expect(finished.verdict.alpha).toBe('changed');
    expect(finished.warnings).toEqual(['transparency_failed']);
  });

  it('checks the transparency of the whole image, not only of its corners', async () => {
    const corner = await image({ width: 6, height: 6 });
    const bytes = await sharp(await keyed())
      .composite([{ input: corner, left: 0, top: 0 }])
      .png()
      .toBuffer();

    const finished = await finishing(bytes, { parameters: transparent }, gptImage2);

    expect(finished.verdict.alpha).toBe('honoured');
  });
});

describe('createFinish, edges', () => {
  it.each([
    ['converted', { output_format: 'webp' }],
    ['cut out', { output_format: 'webp', background: 'transparent' }],
  ])('rejects an image whose edge is too long for %s', async (_, parameters) => {
    const wide = openEngine({ max_edge: 20_000 });
    const bytes = await image({ width: 16_384, height: 1 });
    const request = requestOf({ parameters, policies: { compatibility: 'normalize' } });
    const unfinished = { index: 0, output: { bytes }, generationMs: 0 };
    const work = createFinish({ engine: wide, credentials: NO_CREDENTIALS, inputs: [] });

    const finished = work(unfinished, planOf(request, appServer).finish, signal);

    await expect(finished).rejects.toMatchObject({
      code: 'protocol',
      details: { reason: 'edge_too_long' },
    });
    await wide.close();
  });
});

describe('createFinish, revised prompts', () => {
  it.each([
    ['include', 'a red boat', 'a red boat'],
    ['include', undefined, undefined],
    ['omit', 'a red boat', undefined],
    ['require', 'a red boat', 'a red boat'],
  ])(
    'applies the policy %s to the revised prompt "%s": %s',
    async (revised_prompt, given, expected) => {
      const finished = await finishing(
        await image(),
        { policies: { revised_prompt } },
        anything,
        given,
      );

      expect(finished.revisedPrompt).toBe(expected);
    },
  );

  it('fails without retry if a required revised prompt is missing', async () => {
    const sent = { policies: { revised_prompt: 'require' } };

    await expect(finishing(await image(), sent)).rejects.toMatchObject({
      code: 'upstream',
      retryable: false,
    });
  });
});

function finishing(
  bytes: Buffer,
  sent: object = {},
  capabilities: CapabilityDocument = anything,
  revisedPrompt?: string,
) {
  const plan = planOf(requestOf(sent), capabilities);
  const output = revisedPrompt === undefined ? { bytes } : { bytes, revisedPrompt };
  const unfinished = { index: 2, output, generationMs: 40 };
  return finish(unfinished, plan.finish, signal);
}

const actual = { format: 'png', width: 1024, height: 768, alpha: 'none' } as const;

describe('toDelivered', () => {
  it('reports `unspecified` for everything that the request left open', () => {
    expect(toDelivered(3, actual, requestOf())).toEqual({
      index: 3,
      size: 'unspecified',
      format: 'unspecified',
      alpha: 'unspecified',
    });
  });

  it.each([
    ['1024x768', 'honoured'],
    ['768x1024', 'changed'],
    ['1024x769', 'changed'],
    ['auto', 'unspecified'],
  ])('reports the size %s as %s', (size, expected) => {
    expect(toDelivered(0, actual, requestOf({ parameters: { size } })).size).toBe(expected);
  });

  it.each([
    ['png', 'honoured'],
    ['webp', 'changed'],
  ])('reports the format %s as %s', (output_format, expected) => {
    expect(toDelivered(0, actual, requestOf({ parameters: { output_format } })).format).toBe(
      expected,
    );
  });

  it.each([
    ['auto', 'none', 'unspecified'],
    ['auto', 'some', 'unspecified'],
    ['opaque', 'none', 'honoured'],
    ['opaque', 'opaque', 'honoured'],
    ['opaque', 'some', 'changed'],
    ['opaque', 'empty', 'changed'],
    ['transparent', 'none', 'changed'],
    ['transparent', 'opaque', 'changed'],
    ['transparent', 'some', 'honoured'],
    ['transparent', 'empty', 'honoured'],
  ] as const)('reports the background %s with an alpha of %s as %s', (...row) => {
    const [background, alpha, expected] = row;

    const verdict = toDelivered(0, { ...actual, alpha }, requestOf({ parameters: { background } }));

    expect(verdict.alpha).toBe(expected);
  });
});
