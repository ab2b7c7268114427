import { describe, expect, it } from 'vitest';
import { toOffers } from '../../../../lib/providers/openai-images/dialects/openrouter-offers.ts';

const line = (billable: string, unit: string, cost_usd: unknown, variant?: string) => ({
  billable,
  unit,
  cost_usd,
  variant,
});

function pricesOf(...pricing: readonly object[]) {
  const [offer] = toOffers([{ supported_parameters: {}, supports_streaming: false, pricing }]);
  return offer?.prices;
}

describe('toOffers', () => {
  it('names an upstream by its tag and by its slug', () => {
    const endpoint = { supported_parameters: {}, supports_streaming: true, pricing: [] };

    const [offer] = toOffers([{ ...endpoint, provider_tag: 'maker/fast', provider_slug: 'maker' }]);
    const [nameless] = toOffers([{ ...endpoint, provider_tag: null }]);

    expect(offer?.upstreams).toEqual(['maker/fast', 'maker']);
    expect(offer?.facts).toEqual({ supported_parameters: {}, supports_streaming: true });
    expect(nameless?.upstreams).toEqual([]);
  });

  it('selects prices by the quality and the resolution in the name of a variant', () => {
    const prices = pricesOf(
      line('output_image', 'image', 0.04, 'low_1k'),
      line('output_image', 'image', 0.06, '2K'),
      line('output_image', 'image', 0.08, 'high'),
    );

    expect(prices).toEqual([
      { per: 'image', amount: '0.04', quality: 'low', resolution: '1k' },
      { per: 'image', amount: '0.06', resolution: '2k' },
      { per: 'image', amount: '0.08', quality: 'high' },
    ]);
  });

  it('takes the most expensive of the prices that no choice of a request distinguishes', () => {
    const prices = pricesOf(
      line('output_image', 'image', 0.045),
      line('output_image', 'image', 0.09, 'high_resolution'),
      line('input_image', 'image', 0.001),
      line('input_reference', 'request', 0.002),
    );

    expect(prices).toEqual([
      { per: 'image', amount: '0.09' },
      { per: 'input_image', amount: '0.002' },
    ]);
  });

  it.each([
    ['an unknown unit', [line('output_image', 'furlong', 0.1)]],
    ['an unknown part of the bill', [line('output_image', 'image', 0.1), line('x', 'image', 1)]],
    ['a price that is no number', [line('output_image', 'image', 'free')]],
    ['a negative price', [line('output_image', 'image', -1)]],
    ['a price for inputs only', [line('input_image', 'image', 0.1)]],
    ['no prices', []],
  ])('does not know a price with %s', (_, pricing) => {
    expect(pricesOf(...pricing)).toEqual([]);
  });

  it('does not know the price of a malformed endpoint', () => {
    expect(toOffers([null, { pricing: {} }])).toEqual([
      { upstreams: [], prices: [] },
      { upstreams: [], prices: [] },
    ]);
  });
});
