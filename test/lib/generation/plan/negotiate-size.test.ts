import { describe, expect, it } from 'vitest';
import type { CapabilityDocument } from '../../../../lib/contract/resources/provider.ts';
import { negotiateSize } from '../../../../lib/generation/plan/negotiate-size.ts';
import { startNegotiation } from '../../../../lib/generation/plan/negotiation.ts';
import { anything, gptImage1, gptImage2, gptImage15 } from '../capability-documents.ts';
import { requestOf } from '../requests.ts';

const REASON = 'normalized_to_provider_size';

/** A model that draws in ratios and resolutions, and in no exact size. */
const onlyRatios: CapabilityDocument = {
  ...anything,
  sizes: { auto: true, allowed: [], arbitrary: false },
  aspect_ratio: 'native',
  aspect_ratios: ['1:1', '2:3', '3:2', '16:9'],
  resolution: 'native',
  resolutions: ['1k', '2k'],
};

describe('negotiateSize', () => {
  it.each(['1024x1024', '1536x1024', '3840x2160', '2160x3840', 'auto'])(
    'accepts %s for gpt-image-2 unchanged',
    (size) => {
      const { effective, normalizations, refusals } = negotiated({ size }, gptImage2);

      expect(effective.size).toBe(size);
      expect([...normalizations, ...refusals]).toEqual([]);
    },
  );

  it.each([
    ['webp', '16384x8192', '16383x8192'],
    ['webp', '16383x8192', '16383x8192'],
    ['png', '16384x8192', '16384x8192'],
  ] as const)('reduces an edge that is too long for %s: %s', (output_format, size, expected) => {
    const sizes = { ...anything.sizes, max_edge: 16_384 };

    const { effective } = negotiated({ size, output_format }, { ...anything, sizes });

    expect(effective.size).toBe(expected);
  });

  it('refuses under strict an edge that is too long for webp', () => {
    const sizes = { ...anything.sizes, max_edge: 16_384 };
    const asked = { size: '16384x16384', output_format: 'webp' };

    const { refusals } = negotiated(asked, { ...anything, sizes }, 'strict');

    expect(refusals.map(({ field }) => field)).toEqual(['parameters.size']);
  });

  it.each([
    ['1000x1000', '1024x1024'],
    ['1920x1080', '2048x1152'],
    ['3800x2138', '3840x2160'],
    ['1080x1920', '2160x3840'],
    ['2000x2000', '2048x2048'],
    ['1500x1024', '1536x1024'],
    ['16384x1', '2048x1152'],
    ['1x1', '1024x1024'],
  ])(
    'chooses for gpt-image-2 the nearest shape to %s, then the nearest size: %s',
    (size, expected) => {
      const { effective, normalizations } = negotiated({ size }, gptImage2);

      expect(effective.size).toBe(expected);
      expect(normalizations).toEqual([
        { field: 'parameters.size', requested: size, effective: expected, reason: REASON },
      ]);
    },
  );

  it.each([
    ['1536x1024', '3:2', '1k'],
    ['1024x1536', '2:3', '1k'],
    ['1000x1000', '1:1', '1k'],
    ['2048x1152', '16:9', '2k'],
    ['4096x4096', '1:1', '2k'],
  ] as const)(
    'replaces the size %s by the nearest ratio and resolution of a model without sizes',
    (size, aspect_ratio, resolution) => {
      const { effective, normalizations } = negotiated({ size }, onlyRatios);

      expect(effective).toMatchObject({ size: 'auto', aspect_ratio, resolution });
      expect(normalizations).toEqual([
        { field: 'parameters.size', requested: size, effective: 'auto', reason: REASON },
        {
          field: 'parameters.aspect_ratio',
          requested: null,
          effective: aspect_ratio,
          reason: REASON,
        },
        { field: 'parameters.resolution', requested: null, effective: resolution, reason: REASON },
      ]);
    },
  );

  it('refuses a size under strict if the model has only ratios', () => {
    const { refusals } = negotiated({ size: '1536x1024' }, onlyRatios, 'strict');

    expect(refusals.map(({ field }) => field)).toEqual(['parameters.size']);
  });

  it.each<[string, Partial<CapabilityDocument['sizes']>, string | 'refused']>([
    ['8x8', {}, '16x16'],
    ['8x800', {}, '16x1600'],
    ['5000x5000', {}, '4096x4096'],
    ['16384x8192', {}, '4096x2048'],
    ['16384x1', {}, '4096x16'],
    ['1000x1000', { edge_multiple: 64 }, '1024x1024'],
    ['1001x999', { edge_multiple: 16 }, '1008x992'],
    ['64x64', { min_pixels: 10_000, auto: false }, 'refused'],
    ['4000x4000', { max_pixels: 1_000_000, auto: false }, 'refused'],
    ['4000x100', { max_aspect_ratio: 3, auto: false }, 'refused'],
    ['4000x100', { max_aspect_ratio: 3, allowed: ['1536x1024'] }, '1536x1024'],
    ['4000x100', { max_aspect_ratio: 3 }, 'auto'],
  ])(
    'chooses for a model with arbitrary sizes, for %s under %j, the size %s',
    (size, limits, expected) => {
      const capabilities = { ...anything, sizes: { ...anything.sizes, ...limits } };

      const { effective, refusals } = negotiated({ size }, capabilities);

      expect(refusals.length > 0 ? 'refused' : effective.size).toBe(expected);
    },
  );

  it.each(['16x16', '4096x4096', '777x333'])(
    'accepts %s for a model with arbitrary sizes',
    (size) => {
      const { normalizations, refusals } = negotiated({ size }, anything, 'strict');

      expect([...normalizations, ...refusals]).toEqual([]);
    },
  );

  it('changes auto to the usual size of a model without auto, under strict too', () => {
    const capabilities = { ...gptImage1, sizes: { ...gptImage1.sizes, auto: false } };

    const { effective, normalizations, refusals } = negotiated({}, capabilities, 'strict');

    expect(effective.size).toBe('1024x1024');
    expect(normalizations).toEqual([
      {
        field: 'parameters.size',
        requested: 'auto',
        effective: '1024x1024',
        reason: 'normalized_to_provider_default',
      },
    ]);
    expect(refusals).toEqual([]);
  });
});

describe('negotiateSize, hints', () => {
  const rows: readonly (readonly [CapabilityDocument, object, string])[] = [
    [gptImage2, { aspect_ratio: '1:1' }, '1024x1024'],
    [gptImage2, { aspect_ratio: '7:7' }, '1024x1024'],
    [gptImage2, { aspect_ratio: '16:9' }, '2048x1152'],
    [gptImage2, { aspect_ratio: '9:16' }, '2160x3840'],
    [gptImage2, { aspect_ratio: '3:2' }, '1536x1024'],
    [gptImage2, { aspect_ratio: '2:3' }, '1024x1536'],
    [gptImage2, { resolution: '1k' }, '1024x1024'],
    [gptImage2, { resolution: '2k' }, '2048x2048'],
    [gptImage2, { resolution: '4k' }, '3840x2160'],
    [gptImage15, { aspect_ratio: '1:1', resolution: '2k' }, '2048x2048'],
    [gptImage15, { aspect_ratio: '1:1', resolution: '4k' }, '2048x2048'],
    [gptImage15, { aspect_ratio: '16:9', resolution: '1k' }, '2048x1152'],
    [gptImage15, { aspect_ratio: '16:9', resolution: '4k' }, '3840x2160'],
    [gptImage15, { aspect_ratio: '3:2', resolution: '4k' }, '1536x1024'],
    [gptImage1, { resolution: '4k' }, '1536x1024'],
  ];

  it.each(rows)('chooses for $model and %j the listed size %s, under strict too', (...row) => {
    const [capabilities, hints, size] = row;

    const { effective, normalizations, refusals } = negotiated(hints, capabilities, 'strict');

    expect(refusals).toEqual([]);
    expect(effective).toMatchObject({ size, aspect_ratio: null, resolution: null });
    expect(normalizations).toEqual([
      { field: 'parameters.size', requested: 'auto', effective: size, reason: REASON },
      ...Object.entries(hints).map(([name, requested]) => ({
        field: `parameters.${name}`,
        requested,
        effective: null,
        reason: REASON,
      })),
    ]);
  });

  it.each([
    [gptImage1, { aspect_ratio: '16:9' }, '1536x1024'],
    [gptImage2, { aspect_ratio: '21:9' }, '2048x1152'],
    [gptImage2, { aspect_ratio: '21:9', resolution: '4k' }, '3840x2160'],
    [gptImage2, { aspect_ratio: '9:21', resolution: '1k' }, '2160x3840'],
    [gptImage2, { aspect_ratio: '4:3', resolution: '4k' }, '1536x1024'],
    [gptImage2, { aspect_ratio: '4:5' }, '1024x1536'],
  ] as const)(
    'refuses under strict a ratio that no size of $model has, and chooses the nearest ratio otherwise: %j',
    (capabilities, hints, size) => {
      const strict = negotiated(hints, capabilities, 'strict');
      const lenient = negotiated(hints, capabilities, 'normalize');

      expect(strict.refusals.map(({ field }) => field)).toEqual(['parameters.aspect_ratio']);
      expect(lenient.effective.size).toBe(size);
    },
  );

  it('chooses the size nearest in pixels if two ratios are equally near', () => {
    const allowed = ['1536x1024', '1000x1500', '960x1440'];
    const capabilities = { ...gptImage2, sizes: { ...gptImage2.sizes, allowed } };

    const { effective } = negotiated({ aspect_ratio: '1:1' }, capabilities);

    expect(effective.size).toBe('960x1440');
  });

  it('chooses the smaller of two equally near sizes', () => {
    const allowed = ['1448x1448', '1024x1025', '1024x1023'];
    const capabilities = { ...gptImage2, sizes: { ...gptImage2.sizes, allowed } };

    const { effective } = negotiated({ resolution: '1k' }, capabilities);

    expect(effective.size).toBe('1024x1023');
  });

  it('passes hints on to a model that supports them', () => {
    const hints = { aspect_ratio: '21:9', resolution: '4k' };

    const { effective, normalizations } = negotiated(hints, anything, 'strict');

    expect(effective).toMatchObject({ size: 'auto', ...hints });
    expect(normalizations).toEqual([]);
  });

  it.each([
    ['aspect_ratio', '16:9', '16:9', undefined],
    ['aspect_ratio', '32:18', '32:18', undefined],
    ['aspect_ratio', '7:4', '16:9', REASON],
    ['aspect_ratio', '1:100', '1:1', REASON],
    ['resolution', '1k', '1k', undefined],
    ['resolution', '4k', '2k', 'clamped_to_provider_range'],
  ] as const)('chooses for a model with some %ss, for %s, %s', (hint, asked, taken, reason) => {
    const capabilities: CapabilityDocument = {
      ...anything,
      aspect_ratios: ['1:1', '16:9'],
      resolutions: ['1k', '2k'],
    };

    const lenient = negotiated({ [hint]: asked }, capabilities);
    const strict = negotiated({ [hint]: asked }, capabilities, 'strict');

    const field = `parameters.${hint}`;
    expect(lenient.effective).toMatchObject({ size: 'auto', [hint]: taken });
    expect(lenient.normalizations).toEqual(
      reason ? [{ field, requested: asked, effective: taken, reason }] : [],
    );
    expect(strict.refusals.map((refusal) => refusal.field)).toEqual(reason ? [field] : []);
  });

  it('chooses the lowest resolution of a model if the requested resolution is lower', () => {
    const capabilities: CapabilityDocument = { ...anything, resolutions: ['2k', '4k'] };

    const { effective } = negotiated({ resolution: '1k' }, capabilities);

    expect(effective.resolution).toBe('2k');
  });

  it('drops the hint that the model does not support, and uses the other', () => {
    const capabilities: CapabilityDocument = { ...gptImage2, resolution: 'unsupported' };

    const { effective, normalizations } = negotiated(
      { aspect_ratio: '16:9', resolution: '4k' },
      capabilities,
    );

    expect(effective).toMatchObject({ size: '2048x1152', aspect_ratio: null, resolution: null });
    expect(normalizations[0]).toEqual({
      field: 'parameters.resolution',
      requested: '4k',
      effective: null,
      reason: 'provider_does_not_support_hint',
    });
  });

  it('emulates no hint for a model without listed sizes', () => {
    const sizes = { ...gptImage2.sizes, allowed: [] };

    const { effective, normalizations } = negotiated(
      { aspect_ratio: '1:1' },
      { ...gptImage2, sizes },
    );

    expect(effective).toMatchObject({ size: 'auto', aspect_ratio: null });
    expect(normalizations.map(({ reason }) => reason)).toEqual(['provider_does_not_support_hint']);
  });
});

function negotiated(
  parameters: object,
  capabilities: CapabilityDocument,
  compatibility: 'strict' | 'normalize' = 'normalize',
) {
  const request = requestOf({ parameters, policies: { compatibility } });
  const negotiation = startNegotiation(request, capabilities, {});
  negotiateSize(negotiation);
  return negotiation;
}
