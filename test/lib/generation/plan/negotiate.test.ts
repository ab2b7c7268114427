import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { negotiate } from '../../../../lib/generation/plan/negotiate.ts';
import { capabilitiesOf } from '../../../../lib/providers/sandbox/capabilities.ts';
import { anything, appServer, gptImage1, gptImage2, gptImage15 } from '../capability-documents.ts';
import { inlineBytes, requestOf } from '../requests.ts';

type Mode = 'strict' | 'normalize' | 'best_effort';
const ALL_MODES = ['strict', 'normalize', 'best_effort'] as const;
const LENIENT = ['normalize', 'best_effort'] as const;

describe('negotiate', () => {
  it.each([
    ['gpt-image-2', gptImage2],
    ['gpt-image-1.5', gptImage15],
    ['gpt-image-1', gptImage1],
    ['the app server', appServer],
    ['a model that draws anything', anything],
    ['sandbox-basic', sandboxBasic()],
  ])('changes nothing in a plain request to %s', (_, capabilities) => {
    const request = requestOf();

    const negotiated = negotiate(request, capabilities);

    expect(negotiated.effective).toEqual(request.parameters);
    expect(negotiated).toMatchObject({
      providerFormat: 'png',
      prompt: 'a boat',
      negativePrompt: undefined,
      dropsReferences: false,
      transparency: { kind: 'none' },
      normalizations: [],
      warnings: [],
    });
  });

  it.each([
    {
      parameters: {
        size: '2048x1152',
        quality: 'high',
        output_format: 'webp',
        output_compression: 50,
      },
    },
    { parameters: { n: 255, partial_images: 3, moderation: 'low', background: 'opaque' } },
    { parameters: { action: 'generate' } },
    { operation: 'edit', images: [inlineBytes()], parameters: { action: 'edit' } },
    { reference_images: Array.from({ length: 5 }, () => inlineBytes()) },
  ])('accepts under strict what the model supports: %j', (sent) => {
    const request = requestOf(sent);

    const negotiated = negotiate(request, gptImage2);

    expect(negotiated.effective).toEqual(request.parameters);
    expect(negotiated.normalizations).toEqual([]);
  });

  it('records every change of an effective value, for every request and model', () => {
    fc.assert(
      fc.property(anyParameters(), fc.constantFrom(...LENIENT), anyModel(), (sent, mode, model) => {
        const request = requestOf({ parameters: sent, policies: { compatibility: mode } });
        const negotiated = orRefusal(() => negotiate(request, model));
        if (negotiated instanceof BridgeError) return;
        const { effective, normalizations } = negotiated;
        for (const [name, value] of Object.entries(effective)) {
          const rows = normalizations.filter(({ field }) => field === `parameters.${name}`);
          const requested = request.parameters[name as keyof typeof effective];
          if (value !== requested) expect(rows.at(0)?.requested).toBe(requested);
          if (rows.length > 0) expect(rows.at(-1)?.effective).toBe(value);
        }
      }),
    );
  });

  it('never makes a request that the model does not accept', () => {
    fc.assert(
      fc.property(anyParameters(), fc.constantFrom(...LENIENT), anyModel(), (sent, mode, model) => {
        const request = requestOf({ parameters: sent, policies: { compatibility: mode } });
        const first = orRefusal(() => negotiate(request, model));
        if (first instanceof BridgeError) return;
        const { effective, providerFormat } = first;
        const asked = {
          ...request,
          parameters: { ...effective, output_format: providerFormat },
          policies: { ...request.policies, compatibility: 'strict' as const },
        };

        expect(negotiate(asked, model).effective).toEqual(asked.parameters);
      }),
    );
  });
});

describe('negotiate, single values', () => {
  const rows: readonly (readonly [
    parameters: object,
    capabilities: CapabilityDocument,
    effective: object,
    reason: string,
  ])[] = [
    [
      { n: 255 },
      { ...gptImage2, count: { min: 1, max: 10 } },
      { n: 10 },
      'clamped_to_provider_range',
    ],
    [{ n: 1 }, { ...gptImage2, count: { min: 2, max: 10 } }, { n: 2 }, 'clamped_to_provider_range'],
    [{ partial_images: 3 }, appServer, { partial_images: 0 }, 'clamped_to_provider_range'],
    [{ quality: 'xhigh' }, gptImage2, { quality: 'high' }, 'clamped_to_provider_range'],
    [{ quality: 'max' }, gptImage2, { quality: 'high' }, 'clamped_to_provider_range'],
    [{ quality: 'max' }, appServer, { quality: 'auto' }, 'normalized_to_provider_default'],
    [{ quality: 'low' }, appServer, { quality: 'auto' }, 'normalized_to_provider_default'],
    [{ moderation: 'low' }, appServer, { moderation: 'auto' }, 'normalized_to_provider_default'],
    [{ action: 'generate' }, appServer, { action: 'auto' }, 'provider_uses_automatic_action'],
    [
      { background: 'opaque' },
      { ...gptImage2, backgrounds: ['auto'] },
      { background: 'auto' },
      'normalized_to_provider_default',
    ],
    [{ size: '1000x1000' }, gptImage1, { size: '1024x1024' }, 'normalized_to_provider_size'],
    [{ size: '1024x1024' }, appServer, { size: 'auto' }, 'normalized_to_provider_default'],
    [{ aspect_ratio: '16:9' }, appServer, { aspect_ratio: null }, 'provider_does_not_support_hint'],
    [{ resolution: '2k' }, appServer, { resolution: null }, 'provider_does_not_support_hint'],
  ];

  describe.each(rows)('%j', (parameters, capabilities, effective, reason) => {
    const [[name, requested] = ['', undefined]] = Object.entries(parameters);
    const [after] = Object.values(effective);

    it('is rejected by its field under strict', () => {
      const refusal = refusalOf({ parameters }, capabilities);

      expect(refusal).toMatchObject({
        code: 'unsupported_capability',
        param: `parameters.${name}`,
        provider: capabilities.provider,
        details: { field: `parameters.${name}`, fields: [`parameters.${name}`] },
      });
    });

    it.each(LENIENT)(`becomes ${after} under %s, which is recorded`, (mode) => {
      const negotiated = negotiate(inMode(mode, { parameters }), capabilities);

      expect(negotiated.effective).toMatchObject(effective);
      expect(negotiated.normalizations).toEqual([
        { field: `parameters.${name}`, requested, effective: after, reason },
      ]);
    });
  });

  it.each(ALL_MODES)(
    'accepts every auto under %s, even for a model that lists no values',
    (mode) => {
      const capabilities: CapabilityDocument = {
        ...gptImage2,
        qualities: ['high'],
        moderation: [],
        actions: ['generate'],
        backgrounds: ['opaque'],
      };

      const negotiated = negotiate(inMode(mode), capabilities);

      expect(negotiated.normalizations).toEqual([]);
    },
  );

  it.each([
    ['strict', 'refused'],
    ['normalize', 'refused'],
    ['best_effort', null],
  ] as const)('handles an unsupported fidelity under %s: %s', (mode, expected) => {
    const sent = { reference_images: [inlineBytes()], parameters: { input_fidelity: 'high' } };

    const negotiated = orRefusal(() => negotiate(inMode(mode, sent), gptImage2));

    if (negotiated instanceof BridgeError) {
      expect(expected).toBe('refused');
      expect(negotiated.param).toBe('parameters.input_fidelity');
    } else {
      expect(negotiated.effective.input_fidelity).toBe(expected);
      expect(negotiated.normalizations).toEqual([
        {
          field: 'parameters.input_fidelity',
          requested: 'high',
          effective: null,
          reason: 'provider_unsupported',
        },
      ]);
    }
  });

  it('changes the fidelity to the only fidelity that the model supports', () => {
    const sent = { reference_images: [inlineBytes()], parameters: { input_fidelity: 'high' } };
    const capabilities: CapabilityDocument = { ...gptImage15, input_fidelities: ['low'] };

    const negotiated = negotiate(inMode('normalize', sent), capabilities);

    expect(negotiated.effective.input_fidelity).toBe('low');
    expect(refusalOf(sent, capabilities).param).toBe('parameters.input_fidelity');
  });
});

describe('negotiate, complexity', () => {
  const sent = { parameters: { complexity: 'high' } };

  it('keeps a complexity that the model accepts', () => {
    const capabilities: CapabilityDocument = { ...gptImage2, complexities: ['low', 'high'] };

    const negotiated = negotiate(inMode('strict', sent), capabilities);

    expect(negotiated.effective.complexity).toBe('high');
    expect(negotiated.normalizations).toEqual([]);
  });

  it.each(LENIENT)('ignores under %s a complexity that the model does not accept', (mode) => {
    const negotiated = negotiate(inMode(mode, sent), gptImage2);

    expect(negotiated.effective).not.toHaveProperty('complexity');
    expect(negotiated.normalizations).toEqual([
      {
        field: 'parameters.complexity',
        requested: 'high',
        effective: null,
        reason: 'provider_unsupported',
      },
    ]);
  });

  it('rejects under strict a complexity that the model does not accept', () => {
    expect(refusalOf(sent, gptImage2).param).toBe('parameters.complexity');
  });
});

describe('negotiate, formats', () => {
  it.each(LENIENT)('requests under %s a format of the model, and converts', (mode) => {
    const sent = { parameters: { output_format: 'webp', output_compression: 60 } };

    const negotiated = negotiate(inMode(mode, sent), appServer);

    expect(negotiated.providerFormat).toBe('png');
    expect(negotiated.effective).toMatchObject({ output_format: 'webp', output_compression: 60 });
    expect(negotiated.normalizations).toEqual([]);
  });

  it('refuses under strict a named format that the model lacks', () => {
    const refusal = refusalOf({ parameters: { output_format: 'webp' } }, appServer);

    expect(refusal.param).toBe('parameters.output_format');
  });

  it.each(ALL_MODES)(
    'changes a format that the request did not name to a format of the model under %s',
    (mode) => {
      const capabilities: CapabilityDocument = { ...gptImage2, output_formats: ['jpeg', 'webp'] };

      const negotiated = negotiate(inMode(mode), capabilities);

      expect(negotiated.providerFormat).toBe('webp');
      expect(negotiated.normalizations).toEqual([
        {
          field: 'parameters.output_format',
          requested: 'png',
          effective: 'webp',
          reason: 'normalized_to_provider_default',
        },
      ]);
    },
  );

  it('never changes a transparent image to JPEG, even if the request named no format', () => {
    const capabilities: CapabilityDocument = { ...gptImage2, output_formats: ['jpeg'] };
    const sent = { parameters: { background: 'transparent' } };

    const negotiated = negotiate(inMode('normalize', sent), capabilities);

    expect(negotiated.providerFormat).toBe('jpeg');
    expect(negotiated.effective.output_format).toBe('png');
  });
});

describe('negotiate, transparency', () => {
  const transparent = { background: 'transparent' };
  const chroma = { transparency: { mode: 'chroma_key', key_color: '#00ff00' } };
  const native = { transparency: { mode: 'native' } };

  it.each(ALL_MODES)('uses the alpha of a model that supports alpha, under %s', (mode) => {
    const negotiated = negotiate(inMode(mode, { parameters: transparent }), gptImage15);

    expect(negotiated.transparency).toEqual({ kind: 'native' });
    expect(negotiated.normalizations).toEqual([]);
  });

  it.each(ALL_MODES)(
    'emulates transparency for other models, under %s too, and records the emulation',
    (mode) => {
      const negotiated = negotiate(inMode(mode, { parameters: transparent }), gptImage2);

      expect(negotiated.transparency).toEqual({ kind: 'chroma_key', keyColor: '#00FF00' });
      expect(negotiated.normalizations).toEqual([
        {
          field: 'parameters.background',
          requested: 'transparent',
          effective: 'transparent',
          reason: 'provider_alpha_emulated_with_local_chroma_key',
        },
      ]);
    },
  );

  it('removes the background on request, even for a model with alpha', () => {
    const negotiated = negotiate(
      requestOf({ parameters: transparent, output: chroma }),
      gptImage15,
    );

    expect(negotiated.transparency).toEqual({ kind: 'chroma_key', keyColor: '#00ff00' });
  });

  it('chooses a key colour that the prompt does not name', () => {
    const sent = { prompt: 'a green frog', parameters: transparent };

    const negotiated = negotiate(requestOf(sent), gptImage2);

    expect(negotiated.transparency).toEqual({ kind: 'chroma_key', keyColor: '#FF00FF' });
  });

  it.each(ALL_MODES)('requests a lossless image for background removal under %s', (mode) => {
    const parameters = { ...transparent, output_format: 'webp', output_compression: 50 };

    const negotiated = negotiate(inMode(mode, { parameters }), gptImage2);

    expect(negotiated.providerFormat).toBe('png');
    expect(negotiated.effective).toMatchObject({ output_format: 'webp', output_compression: 50 });
  });

  it('requests the delivered format from a model with alpha', () => {
    const parameters = { ...transparent, output_format: 'webp' };

    const negotiated = negotiate(requestOf({ parameters }), gptImage15);

    expect(negotiated.providerFormat).toBe('webp');
  });

  it.each(ALL_MODES)('refuses native alpha under %s if the model lacks it', (mode) => {
    const refusal = refusalOf({ parameters: transparent, output: native }, gptImage2, mode);

    expect(refusal.param).toBe('parameters.background');
  });

  it('drops an unsupported background under best_effort only', () => {
    const capabilities: CapabilityDocument = {
      ...gptImage2,
      transparent_background: 'unsupported',
    };
    const sent = { parameters: transparent };

    const negotiated = negotiate(inMode('best_effort', sent), capabilities);

    expect(negotiated.transparency).toEqual({ kind: 'none' });
    expect(negotiated.effective.background).toBe('auto');
    expect(negotiated.normalizations).toEqual([
      {
        field: 'parameters.background',
        requested: 'transparent',
        effective: 'auto',
        reason: 'provider_unsupported',
      },
    ]);
    expect(refusalOf(sent, capabilities, 'strict').param).toBe('parameters.background');
    expect(refusalOf(sent, capabilities, 'normalize').param).toBe('parameters.background');
  });

  it('rejects a transparent JPEG under strict, and names the format', () => {
    const parameters = { ...transparent, output_format: 'jpeg' };

    const refusal = refusalOf({ parameters }, gptImage15);

    expect(refusal.details).toMatchObject({ fields: ['parameters.output_format'] });
  });

  it.each(LENIENT)('delivers a transparent JPEG as PNG under %s', (mode) => {
    const parameters = { ...transparent, output_format: 'jpeg', output_compression: 80 };
    const reason = 'transparent_output_requires_alpha_capable_format';

    const negotiated = negotiate(inMode(mode, { parameters }), gptImage15);

    expect(negotiated.providerFormat).toBe('png');
    expect(negotiated.normalizations).toEqual([
      { field: 'parameters.output_format', requested: 'jpeg', effective: 'png', reason },
      { field: 'parameters.output_compression', requested: 80, effective: null, reason },
    ]);
  });
});

describe('negotiate, images', () => {
  const edit = { operation: 'edit', images: [inlineBytes()] };

  it.each<[string, object, CapabilityDocument, string]>([
    ['an edit that the model does not do', edit, { ...gptImage2, edits: false }, 'operation'],
    [
      'an edit of a model that takes no sources',
      edit,
      { ...gptImage2, edit_images: gptImage2.masks },
      'operation',
    ],
    ['a generation that it does not do', {}, { ...gptImage2, generation: false }, 'operation'],
    ['more sources than it takes', { operation: 'edit', images: six() }, gptImage2, 'images'],
    ['more references than it takes', { reference_images: six() }, gptImage2, 'images'],
    ['a source too large for it', { ...edit, images: [inlineBytes(9)] }, upTo(8, 100), 'images'],
    [
      'sources too large together',
      { ...edit, images: [inlineBytes(8), inlineBytes(8)] },
      upTo(8, 15),
      'images',
    ],
  ])('refuses %s in every mode', (_, sent, capabilities, field) => {
    const params = ALL_MODES.map((mode) => refusalOf(sent, capabilities, mode).param);

    expect(params).toEqual([field, field, field]);
  });

  it('refuses in every mode a mask that the model does not support, and reports it first', () => {
    const sent = { ...edit, mask: inlineBytes(), parameters: { quality: 'max', size: '7x7' } };

    const refusals = ALL_MODES.map((mode) => refusalOf(sent, gptImage2, mode));

    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        code: 'unsupported_capability',
        param: 'mask',
        details: { field: 'mask', codex_code: 'AGENT_RASTER_MASK_UNSUPPORTED' },
      });
    }
    expect(refusals[0]?.details['fields']).toEqual([
      'mask',
      'parameters.size',
      'parameters.quality',
    ]);
  });

  it('refuses a mask that is too large without the code of an unsupported mask', () => {
    const capabilities: CapabilityDocument = {
      ...anything,
      masks: { ...anything.masks, max_bytes_each: 8 },
    };

    const refusal = refusalOf({ ...edit, mask: inlineBytes(9) }, capabilities);

    expect(refusal.details).toEqual({ field: 'mask', fields: ['mask'] });
  });

  it.each([
    ['strict', 'refused'],
    ['normalize', 'refused'],
    ['best_effort', 'dropped'],
  ] as const)(
    'handles references that the model does not support under %s: %s',
    (mode, expected) => {
      const sent = { ...edit, reference_images: [inlineBytes(), inlineBytes()] };

      const negotiated = orRefusal(() => negotiate(inMode(mode, sent), sandboxBasic()));

      if (negotiated instanceof BridgeError) {
        expect(expected).toBe('refused');
        expect(negotiated.param).toBe('reference_images');
      } else {
        expect(negotiated.dropsReferences).toBe(true);
        expect(negotiated.normalizations).toEqual([
          { field: 'reference_images', requested: 2, effective: 0, reason: 'provider_unsupported' },
        ]);
      }
    },
  );
});

describe('negotiate, sessions and prompts', () => {
  it.each([
    [{ mode: 'persistent', key: 'a' }, gptImage2, true],
    [{ mode: 'thread', thread_id: 't' }, gptImage2, true],
    [{ mode: 'persistent', key: 'a' }, appServer, false],
    [{ mode: 'thread', thread_id: 't' }, appServer, false],
  ])(
    'refuses a session %j in every mode if the model has no sessions',
    (session, capabilities, isRefused) => {
      const outcomes = ALL_MODES.map((mode) =>
        orRefusal(() => negotiate(inMode(mode, { session }), capabilities)),
      );

      const params = outcomes.map((it) => (it instanceof BridgeError ? it.param : 'taken'));
      expect(new Set(params)).toEqual(new Set([isRefused ? 'session.mode' : 'taken']));
    },
  );

  it.each(ALL_MODES)(
    'refuses under %s a required revised prompt that the model cannot return',
    (mode) => {
      const sent = { policies: { revised_prompt: 'require' } };
      const capabilities: CapabilityDocument = { ...gptImage2, revised_prompt: 'unsupported' };

      expect(refusalOf(sent, capabilities, mode).param).toBe('policies.revised_prompt');
    },
  );

  const rows: readonly (readonly [
    policy: string,
    support: CapabilityDocument['negative_prompt'],
    mode: Mode,
    way: 'native' | 'merged' | 'dropped' | 'refused',
  ])[] = [
    ['auto', 'native', 'strict', 'native'],
    ['auto', 'emulated', 'strict', 'merged'],
    ['auto', 'unsupported', 'strict', 'refused'],
    ['auto', 'unsupported', 'normalize', 'refused'],
    ['auto', 'unsupported', 'best_effort', 'dropped'],
    ['native', 'native', 'strict', 'native'],
    ['native', 'emulated', 'strict', 'refused'],
    ['native', 'emulated', 'normalize', 'merged'],
    ['native', 'unsupported', 'best_effort', 'merged'],
    ['merge', 'native', 'strict', 'merged'],
    ['merge', 'emulated', 'strict', 'merged'],
    ['merge', 'unsupported', 'strict', 'merged'],
    ['reject', 'native', 'strict', 'refused'],
    ['reject', 'emulated', 'normalize', 'refused'],
    ['reject', 'unsupported', 'best_effort', 'refused'],
  ];

  it.each(rows)(
    'applies the policy %s to a model whose negative prompt is %s, under %s: %s',
    (policy, support, mode, way) => {
      const request = requestOf({
        negative_prompt: 'text, hands',
        policies: { negative_prompt: policy, compatibility: mode },
      });

      const negotiated = orRefusal(() =>
        negotiate(request, { ...gptImage2, negative_prompt: support }),
      );

      expect(wayOf(negotiated)).toBe(way);
    },
  );

  it('merges a negative prompt into the prompt, and adds a warning', () => {
    const request = requestOf({ negative_prompt: 'text, hands' });

    const negotiated = negotiate(request, gptImage2);

    expect(negotiated.prompt).toMatch(/^a boat\n.*text, hands$/s);
    expect(negotiated.warnings).toEqual(['negative_prompt_merged']);
  });

  it('records that a negative prompt was dropped, without its text', () => {
    const request = inMode('best_effort', { negative_prompt: 'my neighbour' });

    const { normalizations } = negotiate(request, { ...gptImage2, negative_prompt: 'unsupported' });

    expect(normalizations).toEqual([
      {
        field: 'negative_prompt',
        requested: true,
        effective: false,
        reason: 'provider_unsupported',
      },
    ]);
  });

  function wayOf(negotiated: ReturnType<typeof negotiate> | BridgeError): string {
    if (negotiated instanceof BridgeError) {
      return negotiated.param === 'negative_prompt' ? 'refused' : 'refused elsewhere';
    }
    if (negotiated.negativePrompt !== undefined) return 'native';
    return negotiated.prompt === 'a boat' ? 'dropped' : 'merged';
  }
});

describe('negotiate, refusals', () => {
  it('reports all unsupported fields, the first one as `param`', () => {
    const sent = {
      session: { mode: 'persistent', key: 'a' },
      parameters: { size: '1000x1000', quality: 'max', output_format: 'webp' },
      policies: { revised_prompt: 'require' },
    };

    const refusal = refusalOf(sent, sandboxBasic());

    expect(refusal.param).toBe('session.mode');
    expect(refusal.details['fields']).toEqual([
      'session.mode',
      'parameters.size',
      'parameters.quality',
      'parameters.output_format',
      'policies.revised_prompt',
    ]);
  });
});

function inMode(mode: Mode, sent: object = {}) {
  return requestOf({ ...sent, policies: { compatibility: mode } });
}

function refusalOf(sent: object, capabilities: CapabilityDocument, mode: Mode = 'strict') {
  const policies = {
    ...('policies' in sent ? (sent.policies as object) : {}),
    compatibility: mode,
  };
  const outcome = orRefusal(() => negotiate(requestOf({ ...sent, policies }), capabilities));
  if (outcome instanceof BridgeError) return outcome;
  throw new Error('the negotiation did not refuse anything');
}

function orRefusal<T>(work: () => T): T | BridgeError {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof BridgeError) return thrown;
    throw thrown;
  }
}

function six(): object[] {
  return Array.from({ length: 6 }, () => inlineBytes());
}

function upTo(max_bytes_each: number, max_bytes_total: number): CapabilityDocument {
  return {
    ...gptImage2,
    edit_images: { ...gptImage2.edit_images, max_bytes_each, max_bytes_total },
  };
}

function sandboxBasic(): CapabilityDocument {
  return capabilitiesOf('sandbox', 'sandbox-basic') ?? gptImage1;
}

function anyModel(): fc.Arbitrary<CapabilityDocument> {
  return fc.constantFrom(gptImage2, gptImage15, gptImage1, appServer, anything, sandboxBasic());
}

function anyParameters(): fc.Arbitrary<object> {
  const sized = fc.record({
    size: fc.constantFrom('auto', '1024x1024', '900x1700', '5000x3', '64x64'),
  });
  const hinted = fc.record(
    {
      aspect_ratio: fc.constantFrom('16:9', '1:1', '21:9', '2:3'),
      resolution: fc.constantFrom('1k', '2k', '4k'),
    },
    { requiredKeys: [] },
  );
  const options = fc.record(
    {
      n: fc.integer({ min: 1, max: 300 }),
      quality: fc.constantFrom('auto', 'low', 'high', 'xhigh', 'max'),
      output_format: fc.constantFrom('png', 'jpeg', 'webp'),
      background: fc.constantFrom('auto', 'opaque', 'transparent'),
      moderation: fc.constantFrom('auto', 'low'),
      partial_images: fc.nat(3),
      action: fc.constantFrom('auto', 'generate'),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(fc.oneof(sized, hinted), options)
    .map(([size, others]) => ({ ...size, ...others }));
}
