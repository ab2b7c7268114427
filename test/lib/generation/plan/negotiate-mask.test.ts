import { describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { negotiate } from '../../../../lib/generation/plan/negotiate.ts';
import type { Circumstances } from '../../../../lib/generation/plan/negotiation.ts';
import type { InputFacts, InputSet } from '../../../../lib/inputs/input-source.ts';
import { anything, maskEmulated } from '../capability-documents.ts';
import { inlineBytes, requestOf } from '../requests.ts';

const composite = {
  field: 'mask',
  requested: 'native',
  effective: 'composite',
  reason: 'provider_mask_emulated_with_local_composite',
};
const edit = { operation: 'edit', images: [inlineBytes()], mask: inlineBytes() };

describe('negotiate, emulated masks', () => {
  it('accepts a mask under strict, and says how it is made exact', () => {
    const { mask, effective, normalizations, warnings } = negotiated({});

    expect(normalizations).toEqual([composite]);
    expect(effective.size).toBe('auto');
    expect(mask).toMatchObject({ size: '1008x704', form: 'alpha' });
    expect(mask?.canvas?.area).toEqual({ left: 4, top: 2, width: 1000, height: 700 });
    expect(warnings).toEqual([]);
  });

  it('plans nothing of the kind for a model that honours masks', () => {
    const { mask, normalizations } = negotiated({}, { capabilities: anything });

    expect([mask, normalizations]).toEqual([undefined, []]);
  });

  it('plans the canvas only once the edges of the image are known', () => {
    const request = requestOf({ ...edit, parameters: { size: '64x64' } });

    const { mask, effective, normalizations } = negotiate(request, maskEmulated);

    expect(mask?.canvas).toBeUndefined();
    expect(effective.size).toBe('64x64');
    expect(normalizations).toEqual([composite]);
  });

  it('leaves the size to a model without sizes', () => {
    const sizes = { auto: true, allowed: [], arbitrary: false };

    const { mask } = negotiated({}, { capabilities: { ...maskEmulated, sizes } });

    expect(mask).toMatchObject({ size: 'auto', canvas: { width: 1000, height: 700 } });
  });

  it('takes the size of the image by its name', () => {
    const { effective, normalizations } = negotiated({ parameters: { size: '1000x700' } });

    expect(effective.size).toBe('1000x700');
    expect(normalizations).toEqual([composite]);
  });

  it.each([
    [{ size: '1024x1024' }, 'size', '1000x700', 'normalized_to_provider_size'],
    [{ aspect_ratio: '10:7' }, 'aspect_ratio', null, 'provider_does_not_support_hint'],
    [{ resolution: '2k' }, 'resolution', null, 'provider_does_not_support_hint'],
  ])('refuses %j under strict, and changes it otherwise', (parameters, name, effective, reason) => {
    const field = `parameters.${name}`;

    expect(refusalOf({ parameters })).toMatchObject({
      param: field,
      details: { reason: 'mask_keeps_size' },
    });
    for (const compatibility of ['normalize', 'best_effort']) {
      const { normalizations } = negotiated({ parameters, policies: { compatibility } });
      const [requested] = Object.values(parameters);
      expect(normalizations).toEqual([composite, { field, requested, effective, reason }]);
    }
  });

  it.each(['strict', 'normalize', 'best_effort'])(
    'refuses a key colour under %s',
    (compatibility) => {
      const sent = { parameters: { background: 'transparent' }, policies: { compatibility } };

      expect(refusalOf(sent)).toMatchObject({
        code: 'unsupported_capability',
        param: 'parameters.background',
        details: { reason: 'mask_excludes_chroma_key' },
      });
    },
  );

  it.each([
    ['is longer than its format holds', { output_format: 'webp' }, 'parameters.output_format'],
    ['fits its format', { output_format: 'png' }, undefined],
  ])('refuses an image that %s, if it must', (_, parameters, field) => {
    const upright = { width: 16_384, height: 8000 };

    const refused = () => refusalOf({ parameters }, { facts: { upright } }).param;

    if (field) expect(refused()).toBe(field);
    else expect(refused).toThrow('not refused');
  });

  it('refuses a mask that closes everything, where it is emulated only', () => {
    const closed = { mask: { alpha: 'opaque' } } as const;

    expect(refusalOf({}, closed)).toMatchObject({
      code: 'input',
      param: 'mask',
      details: { field: 'mask', reason: 'nothing_may_change' },
    });
    expect(negotiated({}, { ...closed, capabilities: anything }).normalizations).toEqual([]);
  });

  it.each([
    ['png', null, 'alpha', []],
    ['webp', null, 'white', []],
    ['webp', 80, 'alpha', ['mask_exact_before_encoding']],
    ['jpeg', null, 'alpha', ['mask_exact_before_encoding']],
    ['jpeg', 100, undefined, ['mask_not_native', 'mask_exact_before_encoding']],
  ] as const)(
    'asks for PNG to deliver %s with compression %s of a mask read as %s: %j',
    (output_format, output_compression, form, expected) => {
      const sent = { parameters: { output_format, output_compression } };

      const { providerFormat, warnings } = negotiated(sent, { form });

      expect(providerFormat).toBe('png');
      expect(warnings).toEqual(expected);
    },
  );

  it('counts a mask that is sent as one more image', () => {
    const edit_images = { ...maskEmulated.edit_images, max_count: 1 };
    const capabilities: CapabilityDocument = { ...maskEmulated, edit_images };

    expect(negotiated({}, { capabilities }).mask?.form).toBe('alpha');
    expect(refusalOf({}, { capabilities, form: undefined }).param).toBe('images');
  });
});

interface Given {
  readonly capabilities?: CapabilityDocument;
  readonly form?: Circumstances['maskForm'];
  readonly facts?: Partial<InputFacts>;
  readonly mask?: Partial<InputFacts>;
}

function negotiated(sent: object, given: Given = {}) {
  const { capabilities = maskEmulated, facts, mask } = given;
  const known: InputFacts = { byteLength: 3, upright: { width: 1000, height: 700 } };
  const inputs: InputSet<InputFacts> = {
    images: [{ ...known, ...facts }],
    mask: { ...known, ...mask },
    references: [],
  };
  const maskForm = 'form' in given ? given.form : 'alpha';
  return negotiate(requestOf({ ...edit, ...sent }), capabilities, { inputs, maskForm });
}

function refusalOf(sent: object, given: Given = {}): BridgeError {
  try {
    negotiated(sent, given);
  } catch (thrown) {
    if (thrown instanceof BridgeError) return thrown;
    throw thrown;
  }
  throw new Error('not refused');
}
