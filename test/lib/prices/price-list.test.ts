import { describe, expect, test } from 'vitest';
import { amountText, parseAmount, toWireCost } from '../../../lib/contract/reply/cost.ts';
import { createPriceList, type PricedWork } from '../../../lib/prices/price-list.ts';
import { parsePrices } from '../../../lib/prices/price-rows.ts';
import { SHIPPED_PRICES } from '../../../lib/prices/shipped-prices.ts';
import type { Tariff } from '../../../lib/providers/model-prices-port.ts';

const PROVIDERS = new Map([
  ['openai', { kind: 'openai_images', dialect: 'openai', isFree: false }],
  ['flux', { kind: 'task', service: 'bfl', isFree: false }],
  ['local', { kind: 'comfyui', isFree: true }],
  ['google', { kind: 'gemini', isFree: false }],
]);

function listOf(toml = '', tariffs: readonly Tariff[] = []) {
  return createPriceList({
    operator: parsePrices(toml),
    published: () => tariffs,
    shipped: SHIPPED_PRICES,
    providers: PROVIDERS,
  });
}

function work(more: Partial<PricedWork> = {}): PricedWork {
  return {
    provider: 'flux',
    model: 'model',
    operation: 'generate',
    quality: 'auto',
    resolution: undefined,
    pixels: undefined,
    maxPixels: undefined,
    images: 1,
    calls: 1,
    inputs: 0,
    inputPixels: [],
    ...more,
  };
}

const row = (per: string, amount: string, more = '') =>
  `[[price]]\nprovider = "flux"\nmodel = "model"\nper = "${per}"\namount = "${amount}"\n${more}\n`;

const planOf = (toml: string, more: Partial<PricedWork> = {}) => {
  const { amount, isExact } = listOf(toml).plan(work(more));
  return amount === undefined ? 'unknown' : `${isExact ? '' : '<= '}${amountText(amount)}`;
};

describe('createPriceList, plans', () => {
  test.each([
    ['an image', row('image', '0.04'), { images: 3 }, '0.12'],
    ['a call', row('call', '0.5'), { images: 4, calls: 2 }, '1'],
    [
      'a megapixel, rounded up',
      row('megapixel', '0.01'),
      { pixels: 1025 * 1024, images: 2 },
      '0.04',
    ],
    ['an image of 1024 x 1024', row('megapixel', '0.01'), { pixels: 1024 * 1024 }, '0.01'],
    ['the largest image', row('megapixel', '0.01'), { maxPixels: 4_194_304 }, '<= 0.04'],
    [
      'a first and further megapixels',
      row('first_megapixel', '0.03') + row('megapixel', '0.015'),
      { pixels: 4 * 1024 * 1024 },
      '0.075',
    ],
    ['input images of each call', row('input_image', '0.01'), { inputs: 2, calls: 3 }, '0.06'],
    [
      'megapixels of input images',
      row('input_megapixel', '0.01'),
      { inputs: 2, inputPixels: [1_048_577, 5] },
      '0.03',
    ],
    [
      'an input image of unknown size',
      row('input_megapixel', '0.01'),
      { inputs: 1, inputPixels: [undefined] },
      'unknown',
    ],
    ['seconds without a bound', row('second', '0.01'), {}, 'unknown'],
    ['seconds with a bound', row('second', '0.01', 'at_most_units = 30'), { images: 2 }, '<= 0.6'],
    [
      'tokens with a bound',
      row('output_image_tokens', '0.00003', 'at_most_units = 1000') +
        row('input_text_tokens', '0.000005', 'at_most_units = 1000') +
        row('input_image_tokens', '0.000008') +
        row('cached_text_tokens', '0.00000125'),
      { images: 2, calls: 2 },
      '<= 0.07',
    ],
    [
      'the most expensive quality that the model may choose',
      row('image', '0.01', 'quality = "low"') + row('image', '0.04', 'quality = "high"'),
      {},
      '<= 0.04',
    ],
    [
      'the named quality',
      row('image', '0.01', 'quality = "low"') + row('image', '0.04', 'quality = "high"'),
      { quality: 'low' },
      '0.01',
    ],
    [
      'the smallest size that fits',
      row('image', '0.01', 'max_pixels = 100') +
        row('image', '0.02', 'max_pixels = 200') +
        row('image', '0.03'),
      { pixels: 150 },
      '0.02',
    ],
    [
      'a size above every row',
      row('image', '0.01', 'max_pixels = 100'),
      { pixels: 101 },
      'unknown',
    ],
    [
      'the operation',
      row('image', '0.01') + row('image', '0.02', 'operation = "edit"'),
      { operation: 'edit' as const },
      '0.02',
    ],
    ['another model', row('image', '0.01'), { model: 'other' }, 'unknown'],
  ])('the cost is planned by %s', (_, toml, more, expected) => {
    expect(planOf(toml, more)).toBe(expected);
  });

  test('a price of a provider replaces the prices of its kind, and a row with another service is ignored', () => {
    const toml =
      '[[price]]\nkind = "task"\nservice = "bfl"\nmodel = "model"\nper = "image"\namount = "2"\n' +
      '[[price]]\nkind = "task"\nservice = "fal"\nmodel = "model"\nper = "image"\namount = "3"\n';
    expect(planOf(toml)).toBe('2');
    expect(planOf(toml + row('image', '1'))).toBe('1');
  });

  test("the sandbox and servers of one's own are free unless the operator sets a price", () => {
    const free = { provider: 'local', model: 'any' };
    expect(listOf().plan(work(free))).toEqual({ amount: 0n, isFree: true, isExact: true });
    expect(listOf().costOf(work(free), { images: 1 }).basis).toBe('free');
    const toml = '[[price]]\nprovider = "local"\nmodel = "any"\nper = "image"\namount = "0.001"\n';
    expect(listOf(toml).plan(work(free))).toMatchObject({ isFree: false });
  });

  test('shipped prices are used for a model that the prices file does not have', () => {
    const list = listOf(row('image', '1'));

    const amounts = ['model', 'flux-kontext-pro'].map((model) =>
      amountText(list.plan(work({ model })).amount ?? 0n),
    );

    expect(amounts).toEqual(['1', '0.04']);
  });
});

describe('createPriceList, prices that a service publishes', () => {
  const priceOf = (amount: bigint, more: object = {}) => ({
    per: 'image' as const,
    amount,
    ...more,
  });
  const cheap: Tariff = [priceOf(100n)];
  const dear: Tariff = [priceOf(300n), { per: 'input_image', amount: 5n }];
  const amountOf = (toml: string, tariffs: readonly Tariff[], more: Partial<PricedWork> = {}) =>
    listOf(toml, tariffs).plan(work(more)).amount;

  test('are used before the prices of the bridge and after those of the operator', () => {
    const shipped = { model: 'flux-pro-1.1' };

    expect(amountOf('', [], shipped)).toBe(400_000_000n);
    expect(amountOf('', [cheap], shipped)).toBe(100n);
    expect(amountOf(row('image', '0.02'), [cheap])).toBe(200_000_000n);
  });

  test('are planned at the most expensive upstream that may serve the model', () => {
    const { amount, isExact } = listOf('', [cheap, dear]).plan(work({ inputs: 1 }));

    expect([amount, isExact]).toEqual([305n, false]);
  });

  test('are unknown if the price of one upstream is unknown', () => {
    expect(amountOf('', [cheap, []])).toBeUndefined();
    expect(listOf('', [cheap, []]).costOf(work(), { images: 1 }).basis).toBe('unknown');
  });

  test('do not price a call if its upstreams have different prices', () => {
    const one = listOf('', [cheap, cheap]).costOf(work(), { images: 2 });
    const several = listOf('', [cheap, dear]).costOf(work(), { images: 2 });

    expect(one).toEqual({ amount: 200n, basis: 'priced' });
    expect(several.basis).toBe('unknown');
  });

  test('distinguish calls with images, which may be references, from other calls', () => {
    const tariff = [priceOf(100n, { operation: 'generate' }), priceOf(250n, { operation: 'edit' })];

    expect(amountOf('', [tariff])).toBe(100n);
    expect(amountOf('', [tariff], { inputs: 1 })).toBe(250n);
  });

  test('per megapixel of 1,000,000 pixels are planned at most, and priced by the reported units', () => {
    const tariff: Tariff = [{ per: 'megapixel', hasDecimalMegapixels: true, amount: 10n }];
    const list = listOf('', [tariff]);
    const square = work({ pixels: 1024 * 1024 });

    expect(list.plan(square)).toEqual({ amount: 20n, isFree: false, isExact: false });
    expect(list.costOf(square, { images: 1, billed: { units: 1.5 } }).amount).toBe(15n);
    expect(list.costOf(square, { images: 1 }).basis).toBe('unknown');
  });

  test('are rounded up to the smallest amount if a service reports a part of a unit', () => {
    const list = listOf('', [[{ per: 'unit', amount: 3n }]]);

    expect(list.costOf(work(), { images: 1, billed: { units: 1.5 } }).amount).toBe(5n);
  });

  test('apply to the units that the service reports, whose number has no plan without a bound', () => {
    const units: Tariff = [{ per: 'unit', amount: 40n }];
    const list = listOf('', [units]);

    expect(list.plan(work()).amount).toBeUndefined();
    expect(list.costOf(work(), { images: 1, billed: { units: 2.5 } })).toEqual({
      amount: 100n,
      basis: 'priced',
    });
    expect(list.costOf(work(), { images: 1 }).basis).toBe('unknown');
    expect(planOf(row('unit', '0.01', 'at_most_units = 3'), { images: 2 })).toBe('<= 0.06');
  });
});

describe('createPriceList, shipped token limits', () => {
  const planned = (model: string, more: Partial<PricedWork> = {}) => {
    const plan = listOf().plan(work({ provider: 'google', model, ...more }));
    return plan.amount === undefined ? 'unknown' : amountText(plan.amount);
  };

  test.each([
    // 65,536 tokens of input and 32,768 of output, of which each is priced as text and as image.
    ['gemini-3.1-flash-lite-image', {}, '1.048576'],
    ['gemini-3.1-flash-lite-image', { images: 2, calls: 2 }, '2.097152'],
    ['gemini-3-pro-image', {}, '4.456448'],
    // Google states no limits for this model.
    ['gemini-nano-banana-2.1', {}, 'unknown'],
  ])('a plan of %s for %o costs at most %s', (model, more, expected) => {
    expect(planned(model, more)).toBe(expected);
  });
});

describe('createPriceList, costs', () => {
  const openai = work({ provider: 'openai', model: 'gpt-image-2' });

  test('a reported cost is used before any price', () => {
    const cost = listOf().costOf(openai, { images: 1, cost: { amount: 7n } });
    expect(cost).toEqual({ amount: 7n, basis: 'reported' });
  });

  test('a cost above 10,000 dollars is unknown, because the service or the price is mistaken', () => {
    const list = listOf(row('second', '1'));
    const costs = [
      list.costOf(work(), { images: 1, billed: { seconds: 10_000 } }),
      list.costOf(work(), { images: 1, billed: { seconds: 10_001 } }),
      list.costOf(work(), { images: 1, cost: { amount: 10n ** 15n } }),
    ];
    expect(costs.map(toWireCost)).toEqual([
      { amount: '10000', currency: 'USD', basis: 'priced' },
      { basis: 'unknown' },
      { basis: 'unknown' },
    ]);
  });

  test('tokens are priced by kind, and cached tokens at their own price', () => {
    const usage = {
      input_tokens: 300,
      input_text_tokens: 100,
      input_image_tokens: 200,
      cached_text_tokens: 40,
      output_tokens: 1000,
      output_image_tokens: 1000,
    };
    const cost = listOf().costOf({ ...openai, inputs: 1 }, { images: 1, usage });
    // 60 x 5 + 40 x 1.25 + 200 x 8 + 1000 x 30 dollars per million
    expect(toWireCost(cost)).toEqual({ amount: '0.03195', currency: 'USD', basis: 'priced' });
  });

  test('tokens that are reported only as sums are image tokens of the output and text tokens of the input', () => {
    const usage = { input_tokens: 100, output_tokens: 1000 };
    expect(toWireCost(listOf().costOf(openai, { images: 1, usage })).amount).toBe('0.0305');
  });

  test.each([
    ['without a usage', openai, {}],
    [
      'with image tokens that have no price',
      work({ provider: 'flux', model: 'model', inputs: 1 }),
      { usage: { input_image_tokens: 5, input_text_tokens: 1, output_image_tokens: 1 } },
    ],
    ['with a quality that the model chose', work({ model: 'q' }), {}],
    ['without the seconds that the service charges for', work({ model: 's' }), {}],
  ])('the cost of a call is unknown, never 0: %s', (_, priced, measured) => {
    const toml =
      row('input_text_tokens', '0.1') +
      row('output_image_tokens', '0.1') +
      row('image', '1', 'quality = "low"').replace('"model"', '"q"') +
      row('image', '2', 'quality = "high"').replace('"model"', '"q"') +
      row('second', '1').replace('"model"', '"s"');
    const cost = listOf(toml).costOf(priced, { images: 1, ...measured });
    expect(toWireCost(cost)).toEqual({ basis: 'unknown' });
  });

  test('units and seconds that a service reports are priced as fractions, rounded up', () => {
    const list = listOf(
      row('megapixel', '0.01') + row('second', '0.001').replace('"model"', '"s"'),
    );
    const units = list.costOf(work(), { images: 1, billed: { units: 1.5 } });
    const seconds = list.costOf(work({ model: 's' }), { images: 1, billed: { seconds: 2.25 } });
    expect([units, seconds].map(({ amount }) => amountText(amount))).toEqual(['0.015', '0.00225']);
  });
});

describe('parsePrices', () => {
  test.each([
    [row('image', '0.04', 'modle = "x"'), 'price[0].modle is not a known field'],
    [row('image', '0.04') + row('pixel', '1'), 'price[1].per must be one of image'],
    [row('image', '1').replace('amount', 'amuont'), 'price[0].amuont is not a known field'],
    [
      row('image', '1').replace('provider = "flux"', 'kind = "tsak"'),
      'price[0].kind must be one of ',
    ],
    [row('image', '0,04'), 'price[0].amount must be a decimal number as text'],
    [row('image', '-1'), 'price[0].amount must be a decimal number as text'],
    [
      row('image', '1', 'currency = "EUR"'),
      'price[0].currency is EUR, which [rates] does not list',
    ],
    [row('image', '1').replace('provider = "flux"', ''), 'price[0] must have a provider or a kind'],
    ['[[price]\n', 'line 1 is not valid TOML'],
  ])('rejects a file with an error and names the row and the field: %#', (toml, message) => {
    expect(() => parsePrices(toml)).toThrow(message);
  });

  test('converts other currencies with the rates of the file', () => {
    const toml = `[rates]\nEUR = "1.1"\n${row('image', '2', 'currency = "EUR"')}`;
    expect(parsePrices(toml)[0]?.amount).toBe(parseAmount('2.2'));
  });
});
