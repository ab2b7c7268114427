import { type Amount, type Cost, MAX_CALL_COST, UNKNOWN_COST } from '../contract/reply/cost.ts';
import type { Usage } from '../contract/reply/image-response.ts';
import type { ModelPrice, PriceUnit, Tariff } from '../providers/model-prices-port.ts';
import type { BilledQuantities, ReportedCost } from '../providers/provider-port.ts';
import type { PriceRow } from './price-rows.ts';

/** The facts of a provider that select its prices. */
export interface PricedProvider {
  /** The settings key of the kind, such as `openai_images`. */
  readonly kind: string;
  readonly dialect?: string | undefined;
  readonly service?: string | undefined;
  /** True for the sandbox and for servers of the operator, whose images cost nothing unless the operator sets a price. */
  readonly isFree: boolean;
}

/** A model on one route, with everything about a request that prices depend on. */
export interface PricedWork {
  readonly provider: string;
  readonly model: string;
  readonly operation: 'generate' | 'edit';
  /** `auto` if the model chooses the quality. */
  readonly quality: string;
  /** Undefined if the request names no resolution, or if the model chooses the resolution. */
  readonly resolution: string | undefined;
  /** The pixels of one output. Undefined if the model chooses the size. */
  readonly pixels: number | undefined;
  /** The maximum number of pixels of one output. Undefined if the model states no maximum. */
  readonly maxPixels: number | undefined;
  /** The number of outputs and of calls. */
  readonly images: number;
  readonly calls: number;
  /** The number of images that each call sends. */
  readonly inputs: number;
  /** The pixels of each of these images. An element is undefined if the size of its image is unknown. */
  readonly inputPixels: readonly (number | undefined)[];
}

/** The quantities of a call that has ended. Members that are absent were not reported. */
export interface MeasuredCall {
  /** The number of images that the provider returned. */
  readonly images: number;
  readonly cost?: ReportedCost | undefined;
  readonly usage?: Usage | undefined;
  readonly billed?: BilledQuantities | undefined;
}

/** The cost of a request on one route before it is sent. */
export interface PlannedCost {
  /** Undefined if no upper bound of the cost is known. */
  readonly amount: Amount | undefined;
  readonly isFree: boolean;
  /** True if the amount is exact, and false if the amount is an upper bound. */
  readonly isExact: boolean;
}

export type PriceList = ReturnType<typeof createPriceList>;

interface Deps {
  /** The rows of the prices file, which take precedence over all other prices of a model. */
  readonly operator: readonly PriceRow[];
  /**
   * Returns the tariffs that the service publishes for a model, one for each upstream that may serve the model. These tariffs take
   * precedence over the rows of the bridge.
   */
  readonly published: (provider: string, model: string) => readonly Tariff[];
  readonly shipped: readonly PriceRow[];
  readonly providers: ReadonlyMap<string, PricedProvider>;
}

/** The pixels of a megapixel. Vendors charge an image of 1024 x 1024 pixels as one megapixel. */
const MEGAPIXEL = 1024 * 1024;

/** Finds the prices of models, plans costs, and prices calls that have ended. */
export function createPriceList({ operator, published, shipped, providers }: Deps) {
  const [own, known] = [byModel(operator), byModel(shipped)];

  /** Returns the rows of a list for the model, as one tariff, or undefined if the list has no rows for the model. */
  function listed(
    list: ReadonlyMap<string, readonly PriceRow[]>,
    { provider, model, operation }: PricedWork,
  ): readonly Tariff[] | undefined {
    const facts = providers.get(provider);
    const rows = (list.get(model) ?? []).filter(
      (row) =>
        matches(row.provider, provider) &&
        matches(row.kind, facts?.kind) &&
        matches(row.dialect, facts?.dialect) &&
        matches(row.service, facts?.service) &&
        matches(row.operation, operation),
    );
    return rows.length > 0 ? [rows] : undefined;
  }

  /** Returns the tariffs that the service publishes for the work, or undefined if none has a price for the work. */
  function publishedFor({ provider, model, inputs }: PricedWork): readonly Tariff[] | undefined {
    // A service charges for a call with references as for an edit.
    const operation = inputs > 0 ? 'edit' : 'generate';
    const tariffs = published(provider, model).map((tariff) =>
      tariff.filter((price) => matches(price.operation, operation)),
    );
    return tariffs.some((tariff) => tariff.length > 0) ? tariffs : undefined;
  }

  /** Returns the tariffs of the first source that has prices for the work. */
  function tariffsOf(work: PricedWork): readonly Tariff[] {
    return listed(own, work) ?? publishedFor(work) ?? listed(known, work) ?? [];
  }

  const isFree = (provider: string) => providers.get(provider)?.isFree === true;

  /** Returns the reported cost, or else the cost by the prices. */
  function measuredCost(work: PricedWork, measured: MeasuredCall): Cost {
    if (measured.cost) return { amount: measured.cost.amount, basis: 'reported' };
    const tariffs = tariffsOf(work);
    if (tariffs.length === 0) {
      return isFree(work.provider) ? { amount: 0n, basis: 'free' } : UNKNOWN_COST;
    }
    const amounts = tariffs.flatMap((tariff) =>
      variantsOf(work, tariff).map((variant) => priced(variant, tariff, measured)),
    );
    const [amount] = amounts;
    if (amount === undefined || new Set(amounts).size > 1) return UNKNOWN_COST;
    return { amount, basis: amount === 0n ? 'free' : 'priced' };
  }

  return {
    /** Returns the cost of a request on a route before it is sent. */
    plan(work: PricedWork): PlannedCost {
      const tariffs = tariffsOf(work);
      if (tariffs.length === 0) {
        const isOwn = isFree(work.provider);
        return { amount: isOwn ? 0n : undefined, isFree: isOwn, isExact: true };
      }
      const plans = tariffs.flatMap((tariff) =>
        variantsOf(work, tariff).map((variant) => planned(variant, tariff)),
      );
      const amounts = plans.flatMap(({ amount }) => amount ?? []);
      if (amounts.length < plans.length) return NOT_PLANNED;
      const amount = amounts.reduce((most, one) => (one > most ? one : most), 0n);
      const isExact = new Set(amounts).size === 1 && plans.every((plan) => plan.isExact);
      return { amount, isFree: amount === 0n, isExact };
    },

    /**
     * Returns the cost of a call that has ended: the reported cost, or else the cost by its prices. `work` describes this call
     * alone. The cost is unknown if a price or a quantity is missing, or if the cost is above `MAX_CALL_COST`.
     */
    costOf(work: PricedWork, measured: MeasuredCall): Cost {
      const cost = measuredCost(work, measured);
      return cost.amount > MAX_CALL_COST ? UNKNOWN_COST : cost;
    },
  };
}

const NOT_PLANNED: PlannedCost = { amount: undefined, isFree: false, isExact: false };

function byModel(rows: readonly PriceRow[]): ReadonlyMap<string, readonly PriceRow[]> {
  return Map.groupBy(rows, ({ model }) => model);
}

function matches(selector: string | undefined, fact: string | undefined): boolean {
  return selector === undefined || selector === fact;
}

/**
 * Returns one copy of the work for each quality and resolution that the model may choose and that has separate prices. Returns the
 * work unchanged if the request names both.
 */
function variantsOf(work: PricedWork, rows: Tariff): readonly PricedWork[] {
  const qualities = work.quality === 'auto' ? named(rows, ({ quality }) => quality) : [];
  const resolutions =
    work.resolution === undefined ? named(rows, ({ resolution }) => resolution) : [];
  const chosen = qualities.length === 0 ? [work.quality] : qualities;
  const shapes = resolutions.length === 0 ? [work.resolution] : resolutions;
  return chosen.flatMap((quality) =>
    shapes.map((resolution) => ({ ...work, quality, resolution })),
  );
}

function named(rows: Tariff, of: (row: ModelPrice) => string | undefined): readonly string[] {
  return [...new Set(rows.flatMap((row) => of(row) ?? []))];
}

/**
 * Returns the rows of the best match, whose prices are added up: the rows with the most selectors, and of these the rows with the
 * smallest `maxPixels`.
 */
function bestRows(work: PricedWork, rows: Tariff): Tariff {
  const pixels = work.pixels ?? work.maxPixels;
  const matching = rows.filter(
    ({ quality, resolution, maxPixels }) =>
      matches(quality, work.quality) &&
      matches(resolution, work.resolution) &&
      (maxPixels === undefined || (pixels !== undefined && pixels <= maxPixels)),
  );
  const most = Math.max(...matching.map(selectorsOf));
  const best = matching.filter((row) => selectorsOf(row) === most);
  const least = Math.min(...best.map(({ maxPixels }) => maxPixels ?? Number.POSITIVE_INFINITY));
  return best.filter(({ maxPixels = Number.POSITIVE_INFINITY }) => maxPixels === least);
}

/** Returns the number of selectors of a row. A provider is a closer match than a kind with its dialect or service. */
function selectorsOf(row: ModelPrice & Partial<PriceRow>): number {
  const { kind, dialect, service, operation, quality, resolution, maxPixels } = row;
  const set = [kind, dialect, service, operation, quality, resolution, maxPixels];
  const own = set.filter((selector) => selector !== undefined).length;
  return own + (row.provider === undefined ? 0 : set.length);
}

/** Returns the cost of a request on one variant of its route, or its upper bound. */
function planned(work: PricedWork, rows: Tariff): PlannedCost {
  const best = bestRows(work, rows);
  const parts = best.map((row) => ({ ...plannedUnits(work, row, best), row }));
  if (parts.length === 0 || parts.some(({ units }) => units === undefined)) return NOT_PLANNED;
  const amount = parts.reduce((sum, { units = 0, row }) => sum + times(row.amount, units), 0n);
  return { amount, isFree: amount === 0n, isExact: parts.every(({ isExact }) => isExact) };
}

interface Units {
  readonly units: number | undefined;
  readonly isExact: boolean;
}

function plannedUnits(work: PricedWork, row: ModelPrice, best: Tariff): Units {
  const { images, calls, inputs } = work;
  const known = knownUnits(work, row, best);
  if (known !== undefined) {
    const hasExactPixels = work.pixels !== undefined && !row.hasDecimalMegapixels;
    return { units: known, isExact: !hasPixels(row) || hasExactPixels };
  }
  const { atMostUnits } = row;
  const atMost = (count: number): Units => {
    if (count === 0) return { units: 0, isExact: true };
    return { units: atMostUnits === undefined ? undefined : atMostUnits * count, isExact: false };
  };
  switch (row.per) {
    case 'cached_text_tokens':
    case 'cached_image_tokens':
      // Cached tokens are a part of the input tokens, whose price is higher.
      return { units: 0, isExact: false };
    case 'input_image_tokens':
      return atMost(inputs * calls);
    case 'output_image_tokens':
    case 'output_text_tokens':
    case 'second':
    case 'unit':
      return atMost(images);
    default:
      return atMost(calls);
  }
}

function hasPixels({ per, maxPixels }: ModelPrice): boolean {
  return per === 'megapixel' || per === 'first_megapixel' || maxPixels !== undefined;
}

/** Returns the number of megapixels, rounded up. */
function megapixelsOf(pixels: number, { hasDecimalMegapixels }: ModelPrice): number {
  return Math.ceil(pixels / (hasDecimalMegapixels ? 1_000_000 : MEGAPIXEL));
}

/** Returns the units that the request alone determines, or undefined if the units depend on the reply or on an unknown size. */
function knownUnits(
  { images, calls, inputs, inputPixels, ...work }: PricedWork,
  row: ModelPrice,
  best: Tariff,
): number | undefined {
  const pixels = work.pixels ?? work.maxPixels;
  const megapixels = pixels === undefined ? undefined : megapixelsOf(pixels, row);
  switch (row.per) {
    case 'image':
    case 'first_megapixel':
      return images;
    case 'call':
      return calls;
    case 'input_image':
      return inputs * calls;
    case 'input_megapixel':
      return inputPixels.reduce<number | undefined>(
        (sum, of) =>
          sum === undefined || of === undefined ? undefined : sum + calls * megapixelsOf(of, row),
        0,
      );
    case 'megapixel': {
      const included = best.some(({ per }) => per === 'first_megapixel') ? 1 : 0;
      return megapixels === undefined ? undefined : images * Math.max(0, megapixels - included);
    }
    default:
      return undefined;
  }
}

/** Returns the amount of a call that has ended, or undefined if a quantity of a price is missing. */
function priced(
  work: PricedWork,
  rows: Tariff,
  { images, usage, billed }: MeasuredCall,
): Amount | undefined {
  const best = bestRows({ ...work, maxPixels: undefined }, rows);
  const [only] = best;
  if (only === undefined) return undefined;
  // The units that a service reports are units of the one price of the model.
  if (billed?.units !== undefined) {
    return best.length === 1 ? times(only.amount, billed.units) : undefined;
  }
  if (usage && !pricesAll(usage, best)) return undefined;
  const made = { ...work, images, maxPixels: undefined };
  const parts = best.map((row) => {
    if (row.per === 'second') return part(row, billed?.seconds);
    if (row.hasDecimalMegapixels) return undefined;
    return part(row, knownUnits(made, row, best) ?? tokensOf(row.per, usage, made, best));
  });
  return parts.reduce<Amount | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0n,
  );
}

function part({ amount }: ModelPrice, units: number | undefined): Amount | undefined {
  return units === undefined ? undefined : times(amount, units);
}

/** Returns false if the usage contains tokens of a kind for which token prices have no row. */
function pricesAll(usage: Usage, best: Tariff): boolean {
  const units = new Set<string>(best.map(({ per }) => per));
  const kinds = ['input_text_tokens', 'input_image_tokens', 'output_image_tokens'] as const;
  if (!kinds.some((kind) => units.has(kind))) return true;
  return kinds.every((kind) => units.has(kind) || (usage[kind] ?? 0) === 0);
}

/**
 * Returns the tokens of one kind that a price applies to. Kinds that were not reported are derived from the sums. Returns undefined
 * if the tokens are unknown.
 */
function tokensOf(
  per: PriceUnit,
  usage: Usage | undefined,
  { inputs }: PricedWork,
  best: Tariff,
): number | undefined {
  if (usage === undefined) return undefined;
  const hasPrice = (unit: PriceUnit) => best.some((row) => row.per === unit);
  const cached = (unit: 'cached_text_tokens' | 'cached_image_tokens') =>
    hasPrice(unit) ? (usage[unit] ?? 0) : 0;
  const image = usage.input_image_tokens ?? (inputs === 0 ? 0 : undefined);
  switch (per) {
    case 'input_text_tokens': {
      const rest = image === undefined ? undefined : minus(usage.input_tokens, image);
      return minus(usage.input_text_tokens ?? rest, cached('cached_text_tokens'));
    }
    case 'input_image_tokens': {
      const rest = minus(usage.input_tokens, usage.input_text_tokens);
      return minus(image ?? rest, cached('cached_image_tokens'));
    }
    case 'cached_text_tokens':
    case 'cached_image_tokens':
    case 'output_text_tokens':
      return usage[per] ?? 0;
    case 'output_image_tokens':
      return usage.output_image_tokens ?? minus(usage.output_tokens, usage.output_text_tokens ?? 0);
    default:
      return undefined;
  }
}

function minus(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined ? undefined : Math.max(0, whole - part);
}

const UNIT_DECIMALS = 1_000_000;

/** Multiplies a price by units, which may be a fraction. The product is rounded up. */
function times(amount: Amount, units: number): Amount {
  if (Number.isSafeInteger(units)) return amount * BigInt(units);
  const scaled = BigInt(Math.ceil(units * UNIT_DECIMALS));
  const scale = BigInt(UNIT_DECIMALS);
  return (amount * scaled + scale - 1n) / scale;
}
