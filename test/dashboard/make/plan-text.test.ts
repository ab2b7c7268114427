import { describe, expect, it } from 'vitest';
import type {
  Capabilities,
  ImagePlan,
  PresetTemplate,
} from '../../../dashboard/src/api/schemas.ts';
import { toCredentialsText, toPlanText } from '../../../dashboard/src/make/plan-text.ts';

type Route = ImagePlan['routes'][number];

const route = (change: Partial<Route> = {}): Route => ({
  provider: 'agent-responses',
  model: 'gpt-image-1',
  ready: true,
  calls: 1,
  effective: {} as Route['effective'],
  normalizations: [],
  warnings: [],
  ...change,
});
const planOf = (...routes: Route[]): ImagePlan => ({ chosen: 0, routes });
const batching = (most: number) =>
  ({ batching: { max_parallel_outputs: most } }) as unknown as Capabilities;
const refusal = (field: string) => ({
  code: 'unsupported_capability' as const,
  retryable: false,
  details: { field },
  suggestions: [],
  message: 'the model does not support this request',
});

describe('toPlanText', () => {
  it.each([
    [{ width: 1824, height: 1024 }, 1820, 'Drawn at 1824 × 1024, cut to 1820 × 1024.'],
    [{ width: 1820, height: 1024 }, 1820, 'Drawn at 1820 × 1024.'],
    [{ width: 1820, height: 1024 }, 3640, 'Drawn at 1820 × 1024, enlarged to 3640 × 2048.'],
  ])('says what is drawn at %j and cut', (drawn, width, words) => {
    const result = { width, height: width === 3640 ? 2048 : 1024 };
    const edit = { drawn, cut: { x: 0, y: 0, width: 1820, height: 1024 }, result, put_back: true };

    const { detail } = toPlanText({ chosen: 0, routes: [route({ edit })] }, undefined);

    expect(detail).toContain(words);
  });

  it.each([
    [1, 4, '1 call to gpt-image-1.'],
    [4, 4, '4 calls to gpt-image-1, all at once.'],
    [8, 2, '8 calls to gpt-image-1, 2 at a time.'],
  ])('describes how %i calls run if %i may run at once', (calls, most, title) => {
    expect(toPlanText(planOf(route({ calls })), batching(most))).toMatchObject({
      kind: 'calls',
      title,
    });
  });

  it('describes the changes to the request', () => {
    const change = {
      field: 'parameters.size',
      requested: '2048x1152',
      effective: '1536x1024',
      reason: 'normalized_to_provider_size' as const,
    };

    expect(toPlanText(planOf(route({ normalizations: [change] })), undefined)).toMatchObject({
      kind: 'changes',
      detail: 'Size becomes 1536 × 1024, the nearest supported size.',
    });
  });

  it('reports that the bridge cuts out the background instead of a normalization', () => {
    const planned = route({
      transparency: { mode: 'chroma_key', key_color: '#00FF00' },
      normalizations: [
        {
          field: 'parameters.background',
          requested: 'transparent',
          effective: 'opaque',
          reason: 'provider_alpha_emulated_with_local_chroma_key',
        },
      ],
    });

    expect(toPlanText(planOf(planned), undefined)).toMatchObject({
      kind: 'calls',
      detail: 'The bridge cuts out the background afterwards.',
    });
  });

  it.each([
    [[], 'Every pixel outside the mask stays exactly the same.'],
    [
      ['mask_exact_before_encoding'],
      'Pixels outside the mask stay exact until the file is compressed. PNG keeps them exact.',
    ],
  ] as const)(
    'reports with the warnings %j that the bridge applies the mask',
    (warnings, sentence) => {
      const mask = {
        field: 'mask',
        requested: 'native',
        effective: 'composite',
        reason: 'provider_mask_emulated_with_local_composite' as const,
      };
      const size = {
        field: 'parameters.size',
        requested: '1024x1024',
        effective: '1000x700',
        reason: 'normalized_to_provider_size' as const,
      };
      const planned = route({ normalizations: [mask, size], warnings: [...warnings] });

      expect(toPlanText(planOf(planned), undefined)).toMatchObject({
        kind: 'changes',
        detail: `Size becomes 1000 × 700, the size of the source image. ${sentence}`,
      });
    },
  );

  it.each([
    [
      'parameters.size',
      'mask_keeps_size',
      'An edit with a mask keeps the size of the source image.',
      ['autoSize', 'nearest'],
    ],
    [
      'parameters.background',
      'mask_excludes_chroma_key',
      'gpt-image-1 does not support a mask when the background is cut out.',
      ['removeMask'],
    ],
  ])('explains why a mask makes %s invalid (%s)', (field, reason, title, fixes) => {
    const error = refusal(field);
    const details = { ...error.details, reason };

    const plan = planOf(route({ calls: 0, error: { ...error, details } }));

    expect(toPlanText(plan, undefined)).toMatchObject({ kind: 'refused', title, fixes });
  });

  it.each([
    ['mask', 'gpt-image-1 does not support masks.', ['removeMask']],
    ['images[2]', 'gpt-image-1 does not support these images.', ['removeImages']],
    ['parameters.size', 'gpt-image-1 does not support this size.', ['autoSize', 'nearest']],
    ['parameters.quality', 'gpt-image-1 does not support this quality.', ['nearest']],
  ])('offers a fix for a rejected %s', (field, title, fixes) => {
    const refused = planOf(route({ calls: 0, error: refusal(field) }));

    expect(toPlanText(refused, undefined)).toMatchObject({ kind: 'refused', title, fixes });
  });

  it('names the model that cannot be used if a fallback handles the request', () => {
    const plan: ImagePlan = {
      chosen: 1,
      routes: [route({ error: refusal('mask') }), route({ model: 'sandbox-image' })],
    };

    expect(toPlanText(plan, undefined)).toMatchObject({
      title: '1 call to sandbox-image.',
      detail: 'gpt-image-1 cannot be used for this request.',
    });
  });
});

describe('toCredentialsText', () => {
  const mask = {
    field: 'mask',
    requested: 'supplied',
    effective: 'emulated',
    reason: 'provider_mask_emulated_with_local_composite' as const,
  };

  it.each<[Partial<Route>, PresetTemplate, RegExp]>([
    [{ credentials: 'would_keep' }, {}, /they keep their Content Credentials\.$/],
    [
      { credentials: 'would_keep' },
      { output: { metadata: 'sidecar_and_embedded' } },
      /the record is only beside them\.$/,
    ],
    [
      { credentials: 'would_keep' },
      { output: { metadata: 'embedded' } },
      /the record is left out\.$/,
    ],
    [{ credentials: 'would_resign' }, {}, /the bridge signs them again/],
    [
      { credentials: 'would_drop' },
      { parameters: { output_format: 'webp' } },
      /the conversion to WebP removes/,
    ],
    [
      { credentials: 'would_drop', transparency: { mode: 'chroma_key', key_color: '#00FF00' } },
      {},
      /the cut-out removes/,
    ],
    [{ credentials: 'would_drop', normalizations: [mask] }, {}, /outside the mask removes/],
  ])('says what a plan %j with the settings %j means', (fields, settings, said) => {
    expect(toCredentialsText(planOf(route(fields)), settings)).toMatch(said);
  });

  it('says nothing if the route refuses the request', () => {
    expect(toCredentialsText(planOf(route({})), {})).toBeUndefined();
  });
});
