import type { Routing } from '../../contract/request/routing.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { type CallEffect, effectOf } from '../../errors/call-effect.ts';
import { fallsBack } from '../call/fallback.ts';
import type { ProviderCounts } from './ledger-store-port.ts';

/**
 * The progress of one output in one provider call.
 *
 * - `not_sent`: the provider has not been asked for it.
 * - `sent`: the call is running.
 * - `ended`: the call has failed, or has replied and the image is not verified yet.
 * - `verified`: the image can be delivered.
 * - `unusable`: the provider made an image that cannot be delivered.
 * - `published`: the image is in the reply, or is an artifact.
 * - `lost`: the image could have been delivered, and was not.
 */
export type Progress =
  | 'not_sent'
  | 'sent'
  | 'ended'
  | 'verified'
  | 'unusable'
  | 'published'
  | 'lost';

/** True, false or not known: the provider charges for this output. An output may be paid for that never became an image. */
export type Paid = 'yes' | 'no' | 'unknown';

/** One output of one provider call. */
export interface LedgerRow {
  /** Counted from 0 over all routes of the request. */
  readonly call: number;
  /** Counted from 0. */
  readonly route: number;
  readonly provider: string;
  /** The position of the output in the request. Undefined for an image that was not asked for. */
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

/** Returns what is paid for after a failed call. A call whose output had begun may be paid for, whatever the provider reports. */
export function paidAfter(error: BridgeError, outputBegan: boolean): Paid {
  const paid = PAID_AFTER[effectOf(error)];
  return outputBegan && paid === 'no' ? 'unknown' : paid;
}

/** True if any of the outputs is paid for, or may be. */
export function isPerhapsPaid(rows: Rows): boolean {
  return rows.some(({ paid }) => paid !== 'no');
}

/** True if a call with these rows may be repeated: its request is not paid for so far. */
export function mayRepeat(rows: Rows): boolean {
  return !isPerhapsPaid(rows);
}

/** Returns how many outputs became images that could be delivered. */
export function succeededOutputs(rows: Rows): number {
  return rows.filter(({ progress }) => USABLE.has(progress)).length;
}

/**
 * Returns the failure of a request or of an output, as its rows allow it. A repeated request repeats all of its outputs and
 * pays for all of them, so it is not retryable once any row is paid for or may be.
 */
export function restricted(error: BridgeError, rows: Rows): BridgeError {
  const isLate = error.code === 'timeout' && rows.some(({ progress }) => progress !== 'not_sent');
  const succeeded = succeededOutputs(rows);
  if (!isLate && !isPerhapsPaid(rows)) return error;
  return error.with({
    retryable: false,
    details: {
      ...(rows.some(({ paid }) => paid === 'unknown') ? { outcome: 'unknown' } : {}),
      ...(succeeded > 0 ? { succeeded_outputs: succeeded } : {}),
    },
  });
}

/**
 * True if the next route may be tried after the route of the last row, or the one that never got a row, has failed with
 * `error`. An unusable output does not prevent that, although it stays paid for. An unknown outcome does, and so does an image
 * that could have been delivered: another route would make it again.
 */
export function mayFallBack(
  rows: Rows,
  route: number,
  error: BridgeError,
  policy: Routing['fallback_policy'],
): boolean {
  if (rows.some(({ paid }) => paid === 'unknown') || succeededOutputs(rows) > 0) return false;
  const failures = rows.flatMap((row) =>
    row.route === route && row.failure && isOwnFailure(row.failure, error) ? [row.failure] : [],
  );
  return [error, ...failures].every((failure) => fallsBack(failure, policy));
}

/** False for an output that was only stopped, because another one had failed. */
function isOwnFailure(failure: BridgeError, error: BridgeError): boolean {
  return failure.code !== 'cancelled' || error.code === 'cancelled';
}

/** Returns how many outputs are paid for, lost and unknown, by provider. */
export function countPaid(rows: Rows): readonly ProviderCounts[] {
  const byProvider = Map.groupBy(rows, ({ provider }) => provider);
  return [...byProvider].map(([provider, own]) => {
    const paid = own.filter((row) => row.paid === 'yes');
    return {
      ...NOTHING,
      provider,
      images: paid.length,
      lost: paid.filter(({ progress }) => progress !== 'published').length,
      unknown: own.filter((row) => row.paid === 'unknown').length,
    };
  });
}

/**
 * Returns how many of the outputs of a request failed, by the provider that tried them last: certainly nothing was made of
 * them. `lastProvider` is the provider of outputs without a row.
 */
export function countFailed(
  rows: Rows,
  { outputs, lastProvider }: { readonly outputs: number; readonly lastProvider: string },
): readonly ProviderCounts[] {
  const last = new Map(rows.map((row) => [row.index, row]));
  return Array.from({ length: outputs }, (_, index) => last.get(index)).flatMap((row) => {
    const isFailed = row === undefined || row.paid === 'no';
    return isFailed ? [{ ...NOTHING, provider: row?.provider ?? lastProvider, failed: 1 }] : [];
  });
}

/** Returns one sum for each provider. */
export function sumByProvider(counts: readonly ProviderCounts[]): readonly ProviderCounts[] {
  const byProvider = Map.groupBy(counts, ({ provider }) => provider);
  return [...byProvider].map(([provider, own]) => own.reduce(addCounts, { ...NOTHING, provider }));
}

function addCounts(one: ProviderCounts, other: ProviderCounts): ProviderCounts {
  const isReported = one.tokens !== undefined || other.tokens !== undefined;
  return {
    provider: one.provider,
    images: one.images + other.images,
    lost: one.lost + other.lost,
    unknown: one.unknown + other.unknown,
    failed: one.failed + other.failed,
    tokens: isReported ? (one.tokens ?? 0) + (other.tokens ?? 0) : undefined,
  };
}

export const NOTHING = { images: 0, lost: 0, unknown: 0, failed: 0, tokens: undefined } as const;
