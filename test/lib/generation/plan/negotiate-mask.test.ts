import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { isSupported } from '../../../../lib/generation/plan/nearest-size.ts';
import { negotiate } from '../../../../lib/generation/plan/negotiate.ts';
import { maskCanvas } from '../../../../lib/generation/plan/negotiate-mask.ts';
import type { Circumstances } from '../../../../lib/generation/plan/negotiation.ts';
import type { InputFacts, InputSet } from '../../../../lib/inputs/input-source.ts';
import { anything, gptImage1, maskEmulated } from '../capability-documents.ts';
import { inlineBytes, requestOf } from '../requests.ts';

const composite = {
  field: 'mask',
  requested: 'native',
  effective: 'composite',
  reason: 'provider_mask_emulated_with_local_composite',
};
const edit = { operation: 'edit', images: [inlineBytes()], mask: inlineBytes() };

describe('negotiate, emulated masks', () => {
  it('accepts a mask under strict, and records the emulation', () => {
    const { mask, effective, normalizations, warnings } = negotiated({});

    expect(normalizations).toEqual([composite]);
    expect(effective.size).toBe('auto');
    expect(mask).toMatchObject({ size: '1008x704', form: 'alpha' });
    expect(mask?.canvas?.area).toEqual({ left: 4, top: 2, width: 1000, height: 700 });
    expect(warnings).toEqual([]);
  });

  it('plans no emulation for a model that honours masks', () => {
    const { mask, normalizations } = negotiated({}, { capabilities: anything });

    expect([mask, normalizations]).toEqual([undefined, []]);
  });

  it('plans the canvas only once the dimensions of the image are known', () => {
    const request = requestOf({ ...edit, parameters: { size: '64x64' } });

    const { mask, effective, normalizations } = negotiate(request, maskEmulated);

    expect(mask?.canvas).toBeUndefined();
    expect(effective.size).toBe('64x64');
    expect(normalizations).toEqual([composite]);
  });

  it('requests the size auto from a model without sizes', () => {
    const sizes = { auto: true, allowed: [], arbitrary: false };

    const { mask } = negotiated({}, { capabilities: { ...maskEmulated, sizes } });

    expect(mask).toMatchObject({ size: 'auto', canvas: { width: 1000, height: 700 } });
  });

  it('accepts the size of the image as the requested size', () => {
    const { effective, normalizations } = negotiated({ parameters: { size: '1000x700' } });

    expect(effective.size).toBe('1000x700');
    expect(normalizations).toEqual([composite]);
  });

  it.each([
    [{ size: '1024x1024' }, 'size', '1000x700', 'normalized_to_provider_size'],
    [{ aspect_ratio: '10:7' }, 'aspect_ratio', null, 'provider_does_not_support_hint'],
    [{ resolution: '2k' }, 'resolution', null, 'provider_does_not_support_hint'],
  ])(
    'refuses %j under strict, and changes it in the other modes',
    (parameters, name, effective, reason) => {
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
    },
  );

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
  ])('checks the edge limit of the output format: an image that %s', (_, parameters, field) => {
    const upright = { width: 16_384, height: 8000 };

    const refused = () => refusalOf({ parameters }, { facts: { upright } }).param;

    if (field) expect(refused()).toBe(field);
    else expect(refused).toThrow('not refused');
  });

  it('refuses a mask that allows no change, only if the mask is emulated', () => {
    const closed = { mask: { alpha: 'opaque' } } as const;

    expect(refusalOf({}, closed)).toMatchObject({
      code: 'input',
      param: 'mask',
      details: { field: 'mask', reason: 'nothing_may_change' },
    });
    expect(negotiated({}, { ...closed, capabilities: anything }).normalizations).toEqual([]);
  });

  it('names the largest size for an image that is larger than a model with masks can draw', () => {
    const sizes = { ...anything.sizes, arbitrary: true, max_edge: 4096 };
    const capabilities = { ...anything, sizes };
    const large = negotiated(
      {},
      { capabilities, facts: { upright: { width: 8000, height: 6000 } } },
    );
    const small = negotiated(
      {},
      { capabilities, facts: { upright: { width: 4000, height: 3000 } } },
    );

    expect(large.normalizations).toEqual([
      {
        field: 'parameters.size',
        requested: 'auto',
        effective: '4096x3072',
        reason: 'normalized_to_provider_size',
      },
    ]);
    expect(small.normalizations).toEqual([]);
  });

  it.each([
    ['png', null, 'alpha', []],
    ['webp', null, 'white', []],
    ['webp', 80, 'alpha', ['mask_exact_before_encoding']],
    ['jpeg', null, 'alpha', ['mask_exact_before_encoding']],
    ['jpeg', 100, undefined, ['mask_not_native', 'mask_exact_before_encoding']],
  ] as const)(
    'requests PNG to deliver %s with compression %s for a mask read as %s: %j',
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

type Sizes = CapabilityDocument['sizes'];

const free = maskEmulated.sizes;
const listed = gptImage1.sizes;
const none: Sizes = { auto: true, allowed: [], arbitrary: false };

describe('maskCanvas', () => {
  it.each<[string, Sizes, string, string, string]>([
    ['a size of the model as it is', free, '1024x1024', '1024x1024', '1024x1024+0+0'],
    ['what is no multiple of its edges', free, '1000x701', '1008x704', '1000x701+4+1'],
    ['what has too few pixels', free, '100x100', '816x816', '100x100+358+358'],
    ['what is too narrow', free, '3000x100', '3008x1008', '3000x100+4+454'],
    ['what is too long, smaller', free, '7680x4320', '3840x2160', '3840x2160+0+0'],
    ['what has too many pixels, smaller', free, '4000x4000', '2880x2880', '2880x2880+0+0'],
    ['one pixel', free, '1x1', '816x816', '1x1+407+407'],
    ['a listed size as it is', listed, '1536x1024', '1536x1024', '1536x1024+0+0'],
    ['an image on the smallest listed size', listed, '1000x600', '1024x1024', '1000x600+12+212'],
    ['a wide image on a wide size', listed, '1500x1000', '1536x1024', '1500x1000+18+12'],
    ['what no listed size holds, smaller', listed, '3072x1024', '1536x1024', '1536x512+0+256'],
    ['anything where a model has no sizes', none, '123x45', '123x45', '123x45+0+0'],
  ])('returns the canvas for %s', (_, sizes, image, canvas, area) => {
    const found = maskCanvas(sizes, edgesOf(image));

    expect(found && `${found.width}x${found.height}`).toBe(canvas);
    const { width, height, left, top } = found?.area ?? {};
    expect(`${width}x${height}+${left}+${top}`).toBe(area);
  });

  it('returns undefined if no size can hold an image', () => {
    const empty: Sizes = { ...free, min_edge: 64, max_edge: 32 };

    expect(maskCanvas(empty, edgesOf('10x10'))).toBeUndefined();
  });

  it('prefers a listed size to an arbitrary size that scales the image', () => {
    const sizes: Sizes = { ...free, allowed: ['6000x100'] };

    expect(maskCanvas(sizes, edgesOf('6000x90'))).toMatchObject({ width: 6000, height: 100 });
  });

  it('fits every image on a size of the model, unscaled if a supported size holds it', () => {
    const edge = fc.integer({ min: 1, max: 16_384 });
    const cases = fc.record({
      width: edge,
      height: edge,
      sizes: fc.oneof(
        fc.constant(free),
        fc.constant(listed),
        fc.record({
          auto: fc.constant(true),
          allowed: fc.constantFrom<string[]>([], ['1024x1024']),
          arbitrary: fc.constant(true),
          edge_multiple: fc.constantFrom(1, 8, 16, 64),
          min_edge: fc.constantFrom(64, 256),
          max_edge: fc.constantFrom(1024, 4096),
        }),
      ),
    });

    fc.assert(
      fc.property(cases, ({ sizes, ...image }) => {
        const canvas = maskCanvas(sizes, image);

        if (!canvas) throw new Error('no canvas');
        const { area } = canvas;
        expect(isSupported(sizes, `${canvas.width}x${canvas.height}`)).toBe(true);
        expect(
          Math.min(area.left, area.top, area.width - 1, area.height - 1),
        ).toBeGreaterThanOrEqual(0);
        expect(area.left + area.width).toBeLessThanOrEqual(canvas.width);
        expect(area.top + area.height).toBeLessThanOrEqual(canvas.height);
        expect(area.width <= image.width && area.height <= image.height).toBe(true);
        const { edge_multiple: step = 1 } = sizes;
        const next = (length: number) => Math.ceil(length / step) * step;
        if (isSupported(sizes, `${next(image.width)}x${next(image.height)}`)) {
          expect(area).toMatchObject(image);
        }
      }),
    );
  });
});

function edgesOf(size: string) {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return { width, height };
}
