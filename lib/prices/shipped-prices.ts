import { parseAmount } from '../contract/reply/cost.ts';
import type { PriceUnit } from '../providers/model-prices-port.ts';
import type { PriceRow } from './price-rows.ts';

type Selector = Pick<PriceRow, 'kind' | 'dialect' | 'service'>;
type Prices = Readonly<Partial<Record<PriceUnit, string>>>;

interface PriceGroup extends Selector {
  /** The page of the vendor that states the prices, and the day on which the page was read. */
  readonly source: string;
  readonly date: string;
  readonly models: Readonly<Record<string, Prices>>;
  /** The upper bounds of tokens that the vendor states, by model. */
  readonly limits?: Readonly<Record<string, TokenLimits>>;
}

/** The most tokens that a call of a model reads and writes, with the page of the vendor and the day on which the page was read. */
interface TokenLimits {
  readonly input: number;
  readonly output: number;
  readonly source: string;
  readonly date: string;
}

/** Converts prices of a million tokens to prices of one token. */
const perMillion = (prices: Prices): Prices =>
  Object.fromEntries(
    Object.entries(prices).map(([unit, amount]) => [unit, shiftedBySix(amount ?? '0')]),
  );

const GPT_IMAGE = perMillion({
  input_text_tokens: '5',
  input_image_tokens: '8',
  cached_text_tokens: '1.25',
  cached_image_tokens: '2',
  output_image_tokens: '30',
});

/**
 * The prices that the bridge ships, in US dollars. For a model with token prices and without `limits`, the cost of a plan is
 * unknown until the operator sets `at_most_units` in the prices file.
 */
const GROUPS: readonly PriceGroup[] = [
  {
    kind: 'openai_images',
    dialect: 'openai',
    source: 'https://developers.openai.com/api/docs/pricing',
    date: '2026-11-23',
    models: {
      'gpt-image-2': GPT_IMAGE,
      'gpt-image-2.5-sunburst': GPT_IMAGE,
      'gpt-image-2.5-flare': GPT_IMAGE,
      'gpt-image-1.5': {
        ...GPT_IMAGE,
        ...perMillion({ output_text_tokens: '10', output_image_tokens: '32' }),
      },
      'gpt-image-1-mini': perMillion({
        input_text_tokens: '2',
        input_image_tokens: '2.5',
        cached_text_tokens: '0.2',
        cached_image_tokens: '0.25',
        output_image_tokens: '8',
      }),
    },
  },
  {
    kind: 'openai_images',
    dialect: 'azure',
    source: 'https://azure.microsoft.com/en-us/pricing/details/azure-openai/',
    date: '2026-11-23',
    models: {
      'gpt-image-2': GPT_IMAGE,
      'gpt-image-2.5-sunburst': GPT_IMAGE,
      'gpt-image-2.5-flare': GPT_IMAGE,
    },
  },
  {
    kind: 'gemini',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    date: '2026-11-23',
    models: {
      'gemini-nano-banana-2.1': perMillion({
        input_text_tokens: '1.5',
        output_text_tokens: '7.5',
        output_image_tokens: '30',
      }),
      'gemini-3-pro-image': perMillion({
        input_text_tokens: '2',
        output_text_tokens: '12',
        output_image_tokens: '120',
      }),
      'gemini-3.1-flash-lite-image': perMillion({
        input_text_tokens: '0.25',
        output_text_tokens: '1.5',
        output_image_tokens: '30',
      }),
    },
    limits: {
      'gemini-3-pro-image': {
        input: 65_536,
        output: 32_768,
        source:
          'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-pro-image',
        date: '2026-11-28',
      },
      'gemini-3.1-flash-lite-image': {
        input: 65_536,
        // The page states 4,096 and 32,768. The greater number is the upper bound.
        output: 32_768,
        source:
          'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/gemini/3-1-flash-lite-image',
        date: '2026-11-28',
      },
    },
  },
  {
    kind: 'task',
    service: 'bfl',
    source: 'https://bfl.ai/pricing',
    date: '2026-11-23',
    models: {
      'flux-2-klein-4b': { first_megapixel: '0.014', megapixel: '0.001' },
      'flux-2-pro': { first_megapixel: '0.03', megapixel: '0.015' },
      'flux-2-max': { first_megapixel: '0.07', megapixel: '0.03' },
      'flux-kontext-pro': { image: '0.04' },
      'flux-kontext-max': { image: '0.08' },
      'flux-pro-1.1': { image: '0.04' },
      'flux-pro-1.1-ultra': { image: '0.06' },
      'flux-dev': { image: '0.025' },
      'flux-pro-1.0-fill': { image: '0.05' },
    },
  },
];

export const SHIPPED_PRICES: readonly PriceRow[] = GROUPS.flatMap(
  ({ models, limits, source: _, date: __, ...selector }) =>
    Object.entries(models).flatMap(([model, prices]) =>
      toRows({ ...selector, model }, prices, limits?.[model]),
    ),
);

function toRows(
  selector: Selector & Pick<PriceRow, 'model'>,
  prices: Prices,
  limits: TokenLimits | undefined,
): readonly PriceRow[] {
  // The cast restores the keys of `Prices`, which `Object.entries` widens to `string`.
  const entries = Object.entries(prices) as [PriceUnit, string][];
  return entries.map(([per, text]) => {
    const amount = parseAmount(text);
    if (amount === undefined) throw new Error(`the price of ${selector.model} is not an amount`);
    const atMostUnits = per.startsWith('input_') ? limits?.input : limits?.output;
    return { ...selector, per, amount, atMostUnits };
  });
}

/** Returns the price of one token for a price of a million tokens. */
function shiftedBySix(amount: string): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  return `0.${whole.padStart(6, '0')}${decimals}`;
}
