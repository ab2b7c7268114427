import * as v from 'valibot';
import {
  type Offer,
  PublishedAmount,
  type PublishedPrice,
} from '../../catalogue/catalogue-page.ts';

// Source: OpenRouter's OpenAPI document and the types of `@openrouter/sdk` 1.3.19, 2026-11.

const Endpoint = v.object({
  provider_slug: v.optional(v.nullable(v.string())),
  provider_tag: v.optional(v.nullable(v.string())),
  supported_parameters: v.record(v.string(), v.unknown()),
  supports_streaming: v.fallback(v.boolean(), false),
  pricing: v.array(v.unknown()),
});

const Line = v.object({
  billable: v.picklist(['output_image', 'input_image', 'input_reference', 'input_text']),
  unit: v.picklist(['image', 'megapixel', 'token', 'request']),
  cost_usd: PublishedAmount,
  variant: v.optional(v.nullable(v.string())),
});
type Line = v.InferOutput<typeof Line>;
const FontLine = v.object({ billable: v.literal('input_font') });

type Selectors = Pick<PublishedPrice, 'quality' | 'resolution'>;

/** Returns the offers of the endpoints of a model. The price of a malformed endpoint is not known. */
export function toOffers(endpoints: readonly unknown[]): readonly Offer[] {
  return endpoints.map((item) => {
    const parsed = v.safeParse(Endpoint, item);
    if (!parsed.success) return { upstreams: [], prices: [] };
    const { provider_tag: tag, provider_slug: slug, pricing, ...facts } = parsed.output;
    return {
      upstreams: [tag, slug].flatMap((name) => name ?? []),
      facts,
      prices: pricesOf(pricing),
    };
  });
}

/**
 * Returns the prices of an endpoint, or an empty list if a line cannot be read. The prices of inputs are repeated for each
 * variant of the output, because only prices with the same selectors add up.
 */
function pricesOf(pricing: readonly unknown[]): PublishedPrice[] {
  // The bridge sends no fonts.
  const parsed = pricing
    .filter((line) => !v.is(FontLine, line))
    .map((line) => v.safeParse(Line, line));
  const lines = parsed.flatMap((line) => (line.success ? [line.output] : []));
  const outputs = lines.filter(({ billable }) => billable === 'output_image');
  if (lines.length < parsed.length || outputs.length === 0) return [];
  const inputs = highestPrices(lines.filter(({ billable }) => billable !== 'output_image'));
  const variants = Map.groupBy(outputs, ({ variant }) => JSON.stringify(selectorsOf(variant)));
  return [...variants.values()].flatMap((group) => {
    const selectors = selectorsOf(group[0]?.variant);
    return [...highestPrices(group), ...inputs].map((price) => ({ ...selectors, ...price }));
  });
}

/** Returns the highest price of each unit, because a call may be charged at any of these prices. */
function highestPrices(lines: readonly Line[]): readonly PublishedPrice[] {
  const byUnit = Map.groupBy(lines, unitOf);
  return [...byUnit].map(([per, group]) => {
    const [first = '0', ...others] = group.map(({ cost_usd: amount }) => amount);
    return {
      per,
      amount: others.reduce((most, one) => (Number(one) > Number(most) ? one : most), first),
    };
  });
}

function unitOf({ billable, unit }: Line): PublishedPrice['per'] {
  if (billable === 'input_text') return unit === 'token' ? 'input_text_tokens' : 'call';
  if (billable === 'output_image') {
    if (unit === 'token') return 'output_image_tokens';
    return unit === 'request' ? 'call' : unit;
  }
  if (unit === 'token') return 'input_image_tokens';
  // A price of a request with images is at most the same price of each image.
  return unit === 'megapixel' ? 'input_megapixel' : 'input_image';
}

/** Returns the quality and the resolution in the name of a variant, such as `1k` or `low_2k`. Other variants are not selected. */
function selectorsOf(variant: string | null | undefined): Selectors {
  const [, quality, resolution] =
    /^(?:(low|medium|high)(?:_|$))?(1k|2k|4k)?$/.exec(variant?.toLowerCase() ?? '') ?? [];
  return { ...(quality ? { quality } : {}), ...(resolution ? { resolution } : {}) };
}
