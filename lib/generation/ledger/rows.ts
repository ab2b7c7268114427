import {
  type Amount,
  addCosts,
  type Cost,
  NO_COST,
  UNKNOWN_COST,
} from '../../contract/reply/cost.ts';
import type { Routing } from '../../contract/request/routing.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { type CallEffect, effectOf } from '../../errors/call-effect.ts';
import type { MeasuredCall } from '../../prices/price-list.ts';
import { fallsBack } from '../plan/routing.ts';
import {
  addCounts,
  type Maker,
  makerOf,
  NO_COUNTS,
  type ProviderCounts,
} from './ledger-store-port.ts';

/**
 * The progress of one output in one provider call.
 *
 * - `not_sent`: the output has not been requested from the provider.
 * - `sent`: the call is running.
 * - `ended`: the call has failed, or the call has replied and the image is not verified yet.
 * - `verified`: the image can be delivered.
 * - `unusable`: the provider made an image that cannot be delivered.
 * - `published`: the image is in the reply or is an artifact.
 * - `lost`: the image could have been delivered, but was not.
 */
export type Progress =
  | 'not_sent'
  | 'sent'
  | 'ended'
  | 'verified'
  | 'unusable'
  | 'published'
  | 'lost';

/**
 * `yes` if the provider charges for the output, `no` if the provider does not charge. The provider may also charge for an output
 * that never became an image.
 */
export type Paid = 'yes' | 'no' | 'unknown';

/** One output of one provider call. */
export interface LedgerRow {
  /** The number of the call, counted from 0 over all routes of the request. */
  readonly call: number;
  /** The number of the route, counted from 0. */
  readonly route: number;
  readonly provider: string;
  /** Undefined for calls of versions that did not record the model. */
  readonly model?: string | undefined;
  /** The position of the output in the request. Undefined for an image that was not requested. */
  readonly index: number | undefined;
  readonly progress: Progress;
  readonly paid: Paid;
  readonly failure?: BridgeError;
}

type Rows = readonly LedgerRow[];

const USABLE: ReadonlySet<Progress> = new Set(['verified', 'published', 'lost']);

const PAID_AFTER = {
  not_begun: 'no',
  nothing_made: 'no',
  made: 'yes',
  unknown: 'unknown',
} as const satisfies Record<CallEffect, Paid>;

/**
 * Returns the `Paid` value for the outputs of a failed call. Returns `unknown` if output had begun, even if the provider reports
 * no charge.
 */
export function paidAfter(error: BridgeError, outputBegan: boolean): Paid {
  const paid = PAID_AFTER[effectOf(error)];
  return outputBegan && paid === 'no' ? 'unknown' : paid;
}

function isUnknown(rows: Rows): boolean {
  return rows.some(({ paid }) => paid === 'unknown');
}

/** Returns true if a call with these rows may be repeated, because no output is paid for or may be paid for. */
export function mayRepeat(rows: Rows): boolean {
  return rows.every(({ paid }) => paid === 'no');
}

/** Returns the number of outputs for which a deliverable image was made. */
export function succeededOutputs(rows: Rows): number {
  return rows.filter(({ progress }) => USABLE.has(progress)).length;
}

/**
 * Returns the failure of a request or of an output, adjusted to its rows. The failure is not retryable if any row is paid for or
 * may be paid for, because a repeated request makes all of its outputs again and pays for them again.
 */
export function restricted(error: BridgeError, rows: Rows): BridgeError {
  const isLate = error.code === 'timeout' && rows.some(({ progress }) => progress !== 'not_sent');
  const succeeded = succeededOutputs(rows);
  if (!isLate && mayRepeat(rows)) return error;
  return error.with({
    retryable: false,
    ...(mayRepeat(rows) ? {} : { effect: isUnknown(rows) ? 'unknown' : 'made' }),
    ...(succeeded > 0 ? { details: { succeeded_outputs: succeeded } } : {}),
  });
}

/**
 * Returns true if the next route may be tried after `route` has failed with `error`. The failed route may have no rows. An
 * unusable output allows another route, although the output stays paid for. An unknown outcome or a deliverable image prevents
 * another route, because that route would make the image again.
 */
export function mayFallBack(
  rows: Rows,
  route: number,
  error: BridgeError,
  policy: Routing['fallback_policy'],
): boolean {
  if (isUnknown(rows) || succeededOutputs(rows) > 0) return false;
  const failures = rows.flatMap((row) => (row.route === route && row.failure) || []);
  // Ignore outputs that were stopped only because another output had failed.
  const own = failures.filter(({ code }) => code !== 'cancelled' || error.code === 'cancelled');
  return [error, ...own].every((failure) => fallsBack(failure, policy));
}

/** Counts the outputs that are paid for, lost and unknown, for each model. */
export function countPaid(rows: Rows): readonly ProviderCounts[] {
  return groupByModel(rows).map(([maker, own]) => {
    const paid = own.filter((row) => row.paid === 'yes');
    return {
      ...NO_COUNTS,
      ...maker,
      images: paid.length,
      lost: paid.filter(({ progress }) => progress !== 'published').length,
      unknown: own.filter((row) => row.paid === 'unknown').length,
    };
  });
}

/**
 * Counts the failed outputs of a request. An output has failed if it was certainly not made. Each failed output counts for the
 * model that tried the output last. `last` is the model for outputs without a row.
 */
export function countFailed(
  rows: Rows,
  { outputs, last }: { readonly outputs: number; readonly last: Maker },
): readonly ProviderCounts[] {
  const byOutput = new Map(rows.map((row) => [row.index, row]));
  return Array.from({ length: outputs }, (_, index) => byOutput.get(index)).flatMap((row) => {
    const isFailed = row === undefined || row.paid === 'no';
    return isFailed ? [{ ...NO_COUNTS, ...makerOf(row ?? last), failed: 1 }] : [];
  });
}

/** The upper bound of the cost of a request: the cost on its most expensive route. */
export interface PlannedSpend {
  /** The greatest amount of the routes whose cost is known. */
  readonly amount: Amount;
  /** True if the cost on at least one route is unknown. */
  readonly isUnknown: boolean;
}

/** The prices of one call. */
export interface CallPrices {
  /** Returns the cost of the whole request on the route of the call, at the current prices. */
  readonly spend?: () => PlannedSpend;
  /** Returns the cost of a reply, or of the images that a failed call has made. */
  readonly costOf: (measured: MeasuredCall) => Cost;
  /** The cost of the reply. Undefined until the call has replied. */
  readonly replied?: Cost;
}

/**
 * Returns the costs of calls by model. A call that has not replied costs the price of its images that were made. The cost of an
 * output that may have been made is unknown, unless the provider is free.
 */
export function countCosts(
  rows: Rows,
  prices: ReadonlyMap<number, CallPrices>,
): readonly ProviderCounts[] {
  const byCall = Map.groupBy(rows, ({ call }) => call);
  return [...byCall].flatMap(([call, own]) => {
    const [first] = own;
    const costs = costsOfCall(own, prices.get(call) ?? { costOf: () => UNKNOWN_COST });
    return first === undefined ? [] : [{ ...NO_COUNTS, ...makerOf(first), ...costs }];
  });
}

/** Returns the cost of one call, and the number of its outputs whose cost is unknown. */
export function costsOfCall(
  rows: Rows,
  { costOf, replied }: CallPrices,
): Pick<ProviderCounts, 'cost' | 'unpriced'> {
  const made = rows.filter(({ paid }) => paid === 'yes').length;
  const perhaps = rows.filter(({ paid }) => paid === 'unknown').length;
  const cost = replied ?? (made === 0 ? NO_COST : costOf({ images: made }));
  const isUnknown = perhaps > 0 && costOf({ images: perhaps }).basis !== 'free';
  return {
    cost: isUnknown ? addCosts(cost, UNKNOWN_COST) : cost,
    unpriced: (cost.basis === 'unknown' ? made : 0) + (isUnknown ? perhaps : 0),
  };
}

/** Adds up the counts of each model. */
export function sumByModel(counts: readonly ProviderCounts[]): readonly ProviderCounts[] {
  return groupByModel(counts).map(([maker, own]) => ({
    ...own.reduce(addCounts, NO_COUNTS),
    ...maker,
  }));
}

function groupByModel<Item extends Maker>(
  items: readonly Item[],
): readonly (readonly [maker: Maker, own: readonly Item[]])[] {
  const byProvider = Map.groupBy(items, ({ provider }) => provider);
  return [...byProvider].flatMap(([provider, all]) =>
    [...Map.groupBy(all, ({ model }) => model)].map(
      ([model, own]) => [makerOf({ provider, model }), own] as const,
    ),
  );
}
