import { afterAll, describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { toProviderRequest } from '../../../../lib/generation/plan/plan.ts';
import { createInputVerifier } from '../../../../lib/inputs/verify-inputs.ts';
import type { CallOutline } from '../../../../lib/providers/provider-port.ts';
import { capabilitiesOf } from '../../../../lib/providers/sandbox/capabilities.ts';
import { openInputLoader } from '../../../support/input-loader.ts';
import { createScriptedProvider } from '../../../support/scripted-provider.ts';
import {
  anything,
  appServer,
  gptImage2,
  gptImage15,
  maskEmulated,
} from '../capability-documents.ts';
import { image, openEngine } from '../images.ts';
import { planOf } from '../plans.ts';
import { inlineBytes, inlineImage, requestOf } from '../requests.ts';

const engine = openEngine();
afterAll(() => engine.close());

describe('toProviderRequest', () => {
  it('requests the outputs of one call, with the effective values', async () => {
    const sent = { parameters: { n: 5, quality: 'max' }, policies: { compatibility: 'normalize' } };

    const request = await providerRequestOf(sent, gptImage2, [3, 4]);

    expect(request).toMatchObject({
      model: 'the-model',
      operation: 'generate',
      prompt: 'a boat',
      indices: [3, 4],
      images: [],
      references: [],
    });
    expect(request.parameters).toMatchObject({ n: 2, quality: 'high', output_format: 'png' });
  });

  it('requests a format of the provider, without the compression that the bridge applies', async () => {
    const sent = {
      parameters: { output_format: 'webp', output_compression: 40 },
      policies: { compatibility: 'normalize' },
    };

    const own = await providerRequestOf(sent, anything);
    const converted = await providerRequestOf(sent, appServer);

    expect(own.parameters).toMatchObject({ output_format: 'webp', output_compression: 40 });
    expect(converted.parameters).toMatchObject({ output_format: 'png', output_compression: null });
  });

  it('sends verified images with their actual media types', async () => {
    const sent = {
      operation: 'edit',
      images: [inlineImage(await image({ format: 'jpeg' }))],
      mask: inlineImage(await image({ alpha: 0.5 })),
      reference_images: [inlineImage(await image({ format: 'webp' }))],
    };

    const request = await providerRequestOf(sent, anything);

    expect(request.images).toEqual([
      expect.objectContaining({ mediaType: 'image/jpeg', width: 32, height: 24, orientation: 1 }),
    ]);
    expect(request.mask).toMatchObject({ mediaType: 'image/png' });
    expect(request.references).toEqual([expect.objectContaining({ mediaType: 'image/webp' })]);
  });

  it.each([
    ['alpha', { mask: expect.objectContaining({ mediaType: 'image/png' }) }],
    [undefined, { maskImage: expect.objectContaining({ mediaType: 'image/png' }) }],
  ] as const)(
    'sends a mask that is read as %s in the field where it is read',
    async (maskForm, expected) => {
      const sent = {
        operation: 'edit',
        images: [inlineImage(await image())],
        mask: inlineImage(await image({ alpha: 0.5 })),
      };
      const provider = createScriptedProvider({
        capabilities: maskEmulated,
        ...(maskForm ? { maskForm } : {}),
      });

      const { mask, maskImage } = await providerRequestOf(sent, maskEmulated, [0], provider);

      expect({ ...(mask ? { mask } : {}), ...(maskImage ? { maskImage } : {}) }).toEqual(expected);
    },
  );

  it('omits dropped references', async () => {
    const sent = {
      reference_images: [inlineImage(await image())],
      policies: { compatibility: 'best_effort' },
    };

    const request = await providerRequestOf(
      sent,
      capabilitiesOf('sandbox', 'sandbox-basic') ?? gptImage2,
    );

    expect(request.references).toEqual([]);
  });

  it('sends a negative prompt only if the provider supports it', async () => {
    const sent = { negative_prompt: 'text' };

    const native = await providerRequestOf(sent, anything);
    const merged = await providerRequestOf(sent, gptImage2);

    expect(native).toMatchObject({ prompt: 'a boat', negativePrompt: 'text' });
    expect(merged.prompt).toContain('text');
    expect(merged).not.toHaveProperty('negativePrompt');
  });

  it('names the key colour of the background', async () => {
    const sent = {
      parameters: { background: 'transparent' },
      output: { transparency: { key_color: '#00ff00' } },
    };

    const keyed = await providerRequestOf(sent, gptImage2);

    expect(keyed).toMatchObject({ keyColor: '#00ff00', parameters: { background: 'opaque' } });
    expect(await providerRequestOf(sent, anything)).not.toHaveProperty('keyColor');
  });
});

describe('toProviderRequest, backgrounds', () => {
  const sent = {
    parameters: { background: 'transparent' },
    output: { transparency: { mode: 'chroma_key' } },
  };

  it('never requests a transparent background together with a key colour', async () => {
    const request = await providerRequestOf(sent, gptImage15);

    expect(request.parameters.background).toBe('opaque');
  });

  it('omits the background if the model lists no opaque background', async () => {
    const capabilities: CapabilityDocument = { ...gptImage2, backgrounds: ['auto'] };

    const request = await providerRequestOf(sent, capabilities);

    expect(request.parameters.background).toBe('auto');
  });
});

describe('refuseCall', () => {
  const edit = {
    operation: 'edit',
    images: [inlineBytes(10), inlineBytes(20)],
    reference_images: [inlineBytes(30)],
  };

  it('passes the provider a call with the known lengths', () => {
    const { refuse, seen } = recordedCalls();
    const sent = { ...edit, negative_prompt: 'text', mask: inlineBytes(40) };

    planOf(requestOf(sent), anything, {
      provider: createScriptedProvider({ capabilities: anything, refuse }),
    });

    expect(seen).toEqual([
      expect.objectContaining({
        model: 'scripted-image',
        prompt: 'a boat',
        negativePrompt: 'text',
        images: [lengthOf(10), lengthOf(20)],
        mask: lengthOf(40),
        references: [lengthOf(30)],
      }),
    ]);
  });

  it.each([
    ['alpha', { mask: lengthOf(0) }],
    [undefined, { maskImage: lengthOf(0) }],
  ] as const)(
    'passes no length for images that are drawn for a mask read as %s',
    (maskForm, expected) => {
      const { refuse, seen } = recordedCalls();
      const provider = createScriptedProvider({
        capabilities: maskEmulated,
        refuse,
        ...(maskForm ? { maskForm } : {}),
      });

      planOf(requestOf({ ...edit, mask: inlineBytes(40) }), maskEmulated, { provider });

      const [{ mask, maskImage, images } = { images: [] }] = seen;
      expect(images).toEqual([lengthOf(0), lengthOf(20)]);
      expect({ ...(mask ? { mask } : {}), ...(maskImage ? { maskImage } : {}) }).toEqual(expected);
    },
  );

  it('adds the name of the provider to the error', () => {
    const provider = createScriptedProvider({
      name: 'picky',
      capabilities: anything,
      refuse() {
        throw new BridgeError('unsupported_capability', 'no boats', { param: 'prompt' });
      },
    });

    expect(() => planOf(requestOf(), anything, { provider })).toThrow(
      expect.objectContaining({
        code: 'unsupported_capability',
        provider: 'picky',
        param: 'prompt',
      }),
    );
  });
});

function recordedCalls() {
  const seen: CallOutline[] = [];
  return { seen, refuse: (call: CallOutline) => void seen.push(call) };
}

function lengthOf(length: number) {
  return { bytes: { length } };
}

async function providerRequestOf(
  sent: object,
  capabilities: CapabilityDocument,
  indices: readonly number[] = [0],
  provider = createScriptedProvider({ capabilities }),
) {
  const request = requestOf(sent);
  const limits = {
    max_bytes_each: 1_000_000,
    max_bytes_total: 1_000_000,
    max_pixels: 1e8,
    max_edge: 16_384,
    max_request_pixels: 1e9,
  };
  const verifier = createInputVerifier({ engine, loader: openInputLoader(), limits });
  const inputs = await verifier.verify(request.inputs, {
    scope: 'anonymous',
    signal: new AbortController().signal,
  });
  const { ask } = planOf(request, capabilities, { provider, model: 'the-model' });
  return toProviderRequest(ask, inputs, indices, undefined);
}
