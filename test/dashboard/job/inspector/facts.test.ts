import { describe, expect, it } from 'vitest';
import { toAsked, toFacts } from '../../../../dashboard/src/job/inspector/facts.ts';
import { detail, result } from '../../support/job-detail.ts';

const NORMAL = result(1);
const row = (facts: ReturnType<typeof toFacts>, name: string) =>
  facts.find((fact) => fact.name === name);

describe('toFacts', () => {
  it('says what was delivered, and that it is as asked', () => {
    const facts = toFacts(result(4));

    expect(facts).toEqual([
      { name: 'Size', asked: undefined, got: '1536 × 1024', verdict: 'honoured', why: undefined },
      {
        name: 'Format',
        asked: undefined,
        got: 'PNG, 2.5 MB each',
        verdict: 'unspecified',
        why: undefined,
      },
    ]);
  });

  it('says what was asked for where one of the images has another size', () => {
    const [first, second] = result(2).data;
    const [verdict] = NORMAL.delivered;
    if (!first || !second || !verdict) throw new Error('the result has no images');

    const facts = toFacts(
      result(2, {
        data: [first, { ...second, width: 1024 }],
        delivered: [verdict, { ...verdict, index: 1, size: 'changed' }],
        normalizations: [
          {
            field: 'parameters.size',
            requested: '1536x1024',
            effective: '1024x1024',
            reason: 'normalized_to_provider_size',
          },
        ],
      }),
    );

    expect(row(facts, 'Size')).toEqual({
      name: 'Size',
      asked: '1536 × 1024',
      got: '1536 × 1024, 1024 × 1024',
      verdict: 'changed',
      why: 'The nearest size that the model supports.',
    });
  });

  it('says that a mask was made exact here, as nothing that changed', () => {
    const facts = toFacts(
      result(1, {
        normalizations: [
          {
            field: 'mask',
            requested: 'native',
            effective: 'composite',
            reason: 'provider_mask_emulated_with_local_composite',
          },
        ],
      }),
    );

    expect(facts.at(-1)).toEqual({
      name: 'The mask',
      asked: undefined,
      got: 'Exact',
      verdict: 'honoured',
      why: 'The bridge restored the rest of the image, pixel for pixel.',
    });
    expect(facts).toHaveLength(toFacts(NORMAL).length + 1);
  });

  it('says which quality took effect', () => {
    const facts = toFacts(
      result(1, {
        requested: { ...NORMAL.requested, quality: 'max' },
        effective: { ...NORMAL.effective, quality: 'high' },
        normalizations: [
          {
            field: 'parameters.quality',
            requested: 'max',
            effective: 'high',
            reason: 'clamped_to_provider_range',
          },
        ],
      }),
    );

    expect(row(facts, 'Quality')).toEqual({
      name: 'Quality',
      asked: 'max',
      got: 'high',
      verdict: 'changed',
      why: 'Limited to the range of the model.',
    });
  });

  it('says that a background is not transparent which should be', () => {
    const facts = toFacts(
      result(1, {
        requested: { ...NORMAL.requested, background: 'transparent' },
        delivered: [{ index: 0, size: 'honoured', format: 'honoured', alpha: 'changed' }],
      }),
    );

    expect(row(facts, 'Background')).toMatchObject({ asked: 'transparent', got: 'opaque' });
  });

  it('gives everything else that was changed a row, but not what a model does every time', () => {
    const facts = toFacts(
      result(1, {
        normalizations: [
          {
            field: 'reference_images',
            requested: 2,
            effective: 0,
            reason: 'provider_unsupported',
          },
          {
            field: 'parameters.action',
            requested: 'edit',
            effective: 'auto',
            reason: 'provider_uses_automatic_action',
          },
        ],
      }),
    );

    expect(facts.slice(2)).toEqual([
      {
        name: 'References',
        asked: '2',
        got: 'left out',
        verdict: 'changed',
        why: 'The model does not support this.',
      },
    ]);
  });
});

describe('toAsked', () => {
  it('says what a job was asked for that has no result', () => {
    expect(toAsked(detail())).toEqual([
      ['Size', '1536 × 1024'],
      ['Images', '1'],
    ]);
  });
});
