import type { Amount } from '../contract/reply/cost.ts';
import { TOKEN_KINDS } from '../contract/reply/image-response.ts';

/**
 * The units of prices. `megapixel`: 1,048,576 pixels of an output, rounded up. If the same model has a price per
 * `first_megapixel`, `megapixel` is the price of each further one. `input_image` and `input_megapixel`: each image that a call
 * sends. `second`: run time that the service reports. `unit`: a unit of the service that the service reports.
 */
export const PRICE_UNITS = [
  'image',
  'first_megapixel',
  'megapixel',
  'input_image',
  'input_megapixel',
  'call',
  'second',
  'unit',
  ...TOKEN_KINDS,
] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

/** One price of a model. A price applies to a call if every member that selects calls equals the call. */
export interface ModelPrice {
  readonly operation?: 'generate' | 'edit' | undefined;
  readonly quality?: string | undefined;
  readonly resolution?: string | undefined;
  /** The price applies to outputs of at most this number of pixels. */
  readonly maxPixels?: number | undefined;
  readonly per: PriceUnit;
  /**
   * True if a megapixel has 1,000,000 pixels and the service may or may not round up. A plan then has the upper bound, and only
   * the units that the service reports have a cost.
   */
  readonly hasDecimalMegapixels?: boolean | undefined;
  readonly amount: Amount;
  /**
   * The upper bound of the units that a call can need: for each output for output tokens, seconds and units of the service, for
   * each sent image for tokens of input images, and for each call otherwise.
   */
  readonly atMostUnits?: number | undefined;
}

/** The prices of a model at one upstream, which add up. An empty tariff is not known. */
export type Tariff = readonly ModelPrice[];
