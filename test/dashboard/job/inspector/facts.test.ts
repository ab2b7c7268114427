import { describe, expect, it } from 'vitest';
import { toAsked, toFacts } from '../../../../dashboard/src/job/inspector/facts.ts';
import { detail, result } from '../../support/job-detail.ts';

const NORMAL = result(1);
const row = (facts: ReturnType<typeof toFacts>, name: string) =>
  facts.find((fact) => fact.name === name);

describe('toFacts', () => {
  it('reports a delivered setting as requested', () => {
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

  it('reports the requested size if one of the images has another size', () => {
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

  it('reports a mask that the bridge applied as unchanged', () => {
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

  it('reports the quality that took effect', () => {
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

  it('reports a background that should be transparent and is not', () => {
    const facts = toFacts(
      result(1, {
        requested: { ...NORMAL.requested, background: 'transparent' },
        delivered: [{ index: 0, size: 'honoured', format: 'honoured', alpha: 'changed' }],
      }),
    );

    expect(row(facts, 'Background')).toMatchObject({ asked: 'transparent', got: 'opaque' });
  });

  it('has a row for every other change, except for changes that a model always makes', () => {
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
  it('lists the requested settings of a job without a result', () => {
    expect(toAsked(detail())).toEqual([
      ['Size', '1536 × 1024'],
      ['Images', '1'],
    ]);
  });
});
