import * as v from 'valibot';
import { AMOUNT, type Amount, amountOfNumber, amountText } from '../../contract/reply/cost.ts';
import { PRICE_UNITS } from '../model-prices-port.ts';

/** The services whose lists of models can be read. */
export type CatalogueKind = 'fal' | 'replicate' | 'openrouter';

/** A model in a reply of a service. The kind of the catalogue determines the type of `facts`, which is plain JSON. */
export interface CatalogueItem {
  readonly name: string;
  readonly facts: unknown;
}

const PublishedPrice = v.strictObject({
  operation: v.exactOptional(v.picklist(['generate', 'edit'])),
  quality: v.exactOptional(v.string()),
  resolution: v.exactOptional(v.string()),
  per: v.picklist(PRICE_UNITS),
  hasDecimalMegapixels: v.exactOptional(v.boolean()),
  /** The price in US dollars as decimal text. */
  amount: v.pipe(v.string(), v.regex(AMOUNT)),
});
export type PublishedPrice = v.InferOutput<typeof PublishedPrice>;

/** The terms on which one upstream of a service offers a model. */
export const Offer = v.strictObject({
  /** The names with which a call can be limited to the upstream. */
  upstreams: v.array(v.string()),
  /** The form of the facts of the service, if the upstreams of a model differ. */
  facts: v.exactOptional(v.unknown()),
  /** The prices, which are added up. An empty list means that no price is known. */
  prices: v.array(PublishedPrice),
});
export type Offer = v.InferOutput<typeof Offer>;

/** The offers of the models of a service, by name. A name without offers has no published price. */
export type Offers = ReadonlyMap<string, readonly Offer[]>;

/** The contents of one reply. */
export interface CataloguePage {
  readonly items: readonly CatalogueItem[];
  readonly offers?: readonly (readonly [name: string, offers: readonly Offer[]])[];
  /** Paths of further replies that belong to the same answer. */
  readonly more: readonly string[];
  /** Paths of replies with offers. The models are known without these replies. */
  readonly pricing?: readonly string[];
}

/** Inputs that the operator has set, by model. The bridge does not map these inputs. */
export type Constants = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Parses the reply to a path. Returns undefined if the reply does not have the form of the service. Malformed models are
 * omitted.
 */
export type ParsePage = (reply: unknown, request: PageRequest) => CataloguePage | undefined;

export interface PageRequest {
  /** The path that was requested. */
  readonly path: string;
  readonly constants: Constants;
  /** The models whose offers are read. All models if undefined. */
  readonly listed: readonly string[] | undefined;
}

const Dollars = v.union([
  v.number(),
  v.pipe(v.string(), v.regex(/^\d+(\.\d+)?$/), v.transform(Number)),
]);

/** A price in US dollars, as a number or as text, with its amount as decimal text. */
export const PublishedAmount = v.pipe(
  Dollars,
  v.transform(amountOfNumber),
  v.check((amount) => amount !== undefined),
  // The check excludes undefined.
  v.transform((amount) => amountText(amount as Amount)),
);
