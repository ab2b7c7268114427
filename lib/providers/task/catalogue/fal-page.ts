import * as v from 'valibot';
import {
  type CataloguePage,
  type PageRequest,
  type ParsePage,
  PublishedAmount,
  type PublishedPrice,
} from '../../catalogue/catalogue-page.ts';
import { toItems } from './endpoint-facts.ts';
import { editNames } from './endpoint-models.ts';

// Source: fal's reference of the API of the platform, 2026-11.

const CATEGORIES = ['text-to-image', 'image-to-image'] as const;
const LIST = '/v1/models?status=active&expand=openapi-3.0';

/** The first replies of an answer: the lists of the models that make images. */
export const FAL_LISTS: readonly string[] = CATEGORIES.map(
  (category) => `${LIST}&category=${category}`,
);

const Page = v.object({
  models: v.array(v.unknown()),
  next_cursor: v.optional(v.nullable(v.string())),
  has_more: v.optional(v.boolean()),
});
const Model = v.object({
  endpoint_id: v.pipe(v.string(), v.regex(/^\w[\w.-]*(\/\w[\w.-]*)+$/), v.maxLength(128)),
  metadata: v.object({ category: v.picklist(CATEGORIES) }),
  openapi: v.unknown(),
});
const Paths = v.object({ paths: v.record(v.string(), v.unknown()) });
const Path = v.object({
  post: v.object({
    requestBody: v.object({
      content: v.object({ 'application/json': v.object({ schema: v.unknown() }) }),
    }),
  }),
});

const PRICING = '/v1/models/pricing?';
/** Maximum number of endpoints in one request for prices. */
const MAX_PRICED = 50;

const Prices = v.object({ prices: v.array(v.unknown()) });
const Price = v.object({
  endpoint_id: v.string(),
  unit_price: PublishedAmount,
  unit: v.string(),
  currency: v.literal('USD'),
});

/** Parses one page of fal's list of models with their OpenAPI documents, or a list of prices. */
export const parseFalPage: ParsePage = (reply, request) =>
  request.path.startsWith(PRICING) ? parsePrices(reply, request) : parseModels(reply, request);

function parseModels(
  reply: unknown,
  { path, constants, listed }: PageRequest,
): CataloguePage | undefined {
  const parsed = v.safeParse(Page, reply);
  if (!parsed.success) return undefined;
  const models = parsed.output.models.flatMap((item) => {
    const model = v.safeParse(Model, item);
    return model.success ? [model.output] : [];
  });
  const { next_cursor: cursor, has_more: hasMore = true } = parsed.output;
  const items = models.flatMap(({ endpoint_id: name, openapi }) => {
    const at = inputOf(openapi);
    return at === undefined ? [] : toItems(name, { document: openapi, at }, constants[name]);
  });
  return {
    items,
    more: cursor && hasMore ? [withCursor(path, cursor)] : [],
    pricing: pricingPaths(
      items.map(({ name }) => name),
      listed,
    ),
  };
}

/** Returns the paths of the prices of endpoints that listed models use. */
function pricingPaths(
  names: readonly string[],
  listed: readonly string[] | undefined,
): readonly string[] {
  const used = listed && new Set(listed.flatMap((model) => [model, ...editNames(model)]));
  const priced = used ? names.filter((name) => used.has(name)) : names;
  // fal rejects a request that names an endpoint without a price. Few endpoints are therefore requested one by one.
  const size = used ? 1 : MAX_PRICED;
  const starts = Array.from({ length: Math.ceil(priced.length / size) }, (_, nth) => nth * size);
  return starts.map((start) => {
    const ids = priced
      .slice(start, start + size)
      .map((name) => `endpoint_id=${encodeURIComponent(name)}`);
    return PRICING + ids.join('&');
  });
}

/** Parses the prices of the endpoints in the path. An endpoint that the reply does not name has no price. */
function parsePrices(reply: unknown, { path }: PageRequest): CataloguePage | undefined {
  const parsed = v.safeParse(Prices, reply);
  if (!parsed.success) return undefined;
  const prices = parsed.output.prices.flatMap((item) => {
    const price = v.safeParse(Price, item);
    return price.success ? [price.output] : [];
  });
  const names = new URLSearchParams(path.slice(PRICING.length)).getAll('endpoint_id');
  return {
    items: [],
    more: [],
    offers: names.map((name) => {
      const own = prices.filter(({ endpoint_id }) => endpoint_id === name);
      const rows = own.map(({ unit, unit_price: amount }) => ({ ...unitOf(unit), amount }));
      return [name, rows.length === 1 ? [{ upstreams: [], prices: rows }] : []];
    }),
  };
}

/** Returns the unit of a price. The number of units of another name is known only from the reply of a call. */
function unitOf(unit: string): Omit<PublishedPrice, 'amount'> {
  const [, name] = /^(image|megapixel|second|request)s?$/.exec(unit.toLowerCase()) ?? [];
  if (name === 'request') return { per: 'call' };
  if (name === 'megapixel') return { per: 'megapixel', hasDecimalMegapixels: true };
  return { per: name === 'image' || name === 'second' ? name : 'unit' };
}

function withCursor(path: string, cursor: string): string {
  const [first = path] = path.split('&cursor=');
  return `${first}&cursor=${encodeURIComponent(cursor)}`;
}

/**
 * Returns the JSON pointer to the input of an endpoint: the body of the POST in its OpenAPI document, or undefined if the document
 * describes no such body.
 */
function inputOf(openapi: unknown): string | undefined {
  const document = v.safeParse(Paths, openapi);
  if (!document.success) return undefined;
  const path = Object.keys(document.output.paths).find((name) =>
    v.is(Path, document.output.paths[name]),
  );
  if (path === undefined) return undefined;
  const token = path.replaceAll('~', '~0').replaceAll('/', '~1');
  return `/paths/${token}/post/requestBody/content/application~1json/schema`;
}
