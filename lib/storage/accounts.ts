import { type Amount, UNKNOWN_COST } from '../contract/reply/cost.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { EarlierImage, EarlierWork } from '../generation/earlier-work-port.ts';
import {
  makerOf,
  NO_COUNTS,
  type ProviderCounts,
  type Settlement,
  type UsageDay,
} from '../generation/ledger/ledger-store-port.ts';

/** The open account of a request or job. */
export interface StoredAccount extends UsageDay {
  readonly id: string;
  /** The number of outputs requested on the current route. */
  readonly outputs: number;
  /** The number of these outputs that are charged already. */
  readonly reserved: number;
  readonly allowance: number | null;
  readonly renewals: number;
  /** The amount of money that is reserved for the outputs. */
  readonly held: Amount;
  readonly budget_per_day: Amount | null;
  readonly budget_per_month: Amount | null;
}

/** One output of a provider call that may have been sent. */
export interface OpenOutput {
  readonly call: number;
  readonly output: number;
  readonly provider: string;
  /** Null for calls of versions that did not record the model. */
  readonly model: string | null;
}

/** The end of the account of a job. */
export interface JobAccountEnd {
  readonly settlement: Settlement | undefined;
  /** The indices of the outputs with kept images. */
  readonly kept?: ReadonlySet<number>;
}

/** The settlement of an account without calls. This settlement releases the whole reservation and counts nothing. */
export const NOTHING_COUNTED: Settlement = { renewals: 0, counts: [] };

const NONE: ReadonlySet<number> = new Set();

/** Returns the error of a change to the account of a job that no longer runs in this process. */
export function notOwnAccount(): BridgeError {
  return new BridgeError('internal', 'the job of the account no longer runs in this process');
}

/**
 * Returns the error of a call for an account that has ended. Another replica ends the accounts of a process that did not renew its
 * lease, for example because its machine was paused.
 */
export function endedAccount(): BridgeError {
  return new BridgeError('overloaded', 'the account of the request has ended');
}

/** One output of a call, and the ticket of the call. `model` is null for a call without a ticket. */
export interface EarlierOutput extends OpenOutput {
  readonly ticket: string | null;
}

/**
 * Returns the work of an ended process, or undefined if no call has a ticket. `outputs` are the outputs of all open calls, sorted by
 * call. All open calls are calls of the current route, because the account closes the calls of a route before the next route.
 */
export function toEarlierWork(
  { renewals }: Pick<StoredAccount, 'renewals'>,
  outputs: readonly EarlierOutput[],
  images: readonly EarlierImage[],
): EarlierWork | undefined {
  const route = outputs.find(({ model }) => model !== null);
  if (!route || route.model === null) return undefined;
  const byCall = [...Map.groupBy(outputs, ({ call }) => call).values()];
  const calls = byCall.flatMap(([first, ...others]) => {
    if (!first) return [];
    const { call, provider, ticket } = first;
    const indices = [first, ...others].map(({ output }) => output);
    return [{ call, provider, indices, ...(ticket === null ? {} : { ticket }) }];
  });
  return { renewals, provider: route.provider, model: route.model, calls, images };
}

/** Returns the number of outputs that are or may be charged by the provider. */
export function chargedBy(counts: readonly ProviderCounts[]): number {
  return counts.reduce((sum, { images, unknown }) => sum + images + unknown, 0);
}

/** Returns true if there is nothing to count. */
export function isEmpty({ images, unknown, failed, tokens, cost }: ProviderCounts): boolean {
  return images + unknown + failed === 0 && tokens === undefined && cost.amount === 0n;
}

/**
 * Returns the counts that are not stored yet. If a renewal succeeded although it was reported as failed, the calls of the renewal
 * are already counted.
 */
export function newIn(
  { renewals: stored }: Pick<StoredAccount, 'renewals'>,
  { renewals, counts }: Settlement,
): readonly ProviderCounts[] {
  if (stored <= renewals) return counts;
  return counts.map(({ failed, ...maker }) => ({ ...NO_COUNTS, ...makerOf(maker), failed }));
}

/**
 * Returns the counts of an account without a reported end. Outputs that may have been sent count as unknown, or as images if their
 * images are kept. All other outputs count as failed. `open` is sorted by call.
 */
export function countsOfOpen(
  { outputs }: Pick<StoredAccount, 'outputs'>,
  open: readonly OpenOutput[],
  kept: ReadonlySet<number> = NONE,
): readonly ProviderCounts[] {
  const last = new Map(open.map((row) => [row.output, row]));
  const counts = open.map((row): ProviderCounts => {
    const isKept = kept.has(row.output) && last.get(row.output) === row;
    const { provider, model } = row;
    const maker = makerOf({ provider, model: model ?? undefined });
    const counted = { images: Number(isKept), unknown: Number(!isKept) };
    return { ...NO_COUNTS, ...maker, ...counted, cost: UNKNOWN_COST, unpriced: 1 };
  });
  const failed = Math.max(0, outputs - last.size);
  return [...counts, { ...NO_COUNTS, provider: '', failed }];
}
