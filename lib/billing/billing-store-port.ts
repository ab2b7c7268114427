import type { Amount, Cost } from '../contract/reply/cost.ts';
import type { BilledCall } from '../generation/ledger/ledger-store-port.ts';

/** The calls of a provider since a day. */
export interface BilledSince {
  readonly provider: string;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
}

/** An ended call whose id in the invoice is known. */
export interface StoredCall extends Pick<BilledCall, 'id' | 'cost' | 'unpriced'> {
  /** The day on which the request was accepted, in days since 1970-01-01, UTC. */
  readonly day: number;
}

/** The charge of a service for one call. */
export interface CallCharge {
  readonly id: string;
  readonly amount: Amount;
}

/** The recorded cost of the calls of all tokens on one day. */
export interface BilledDay {
  readonly day: number;
  readonly cost: Cost;
  /** The number of images whose cost is unknown. */
  readonly unpriced: number;
}

/**
 * Stores ended calls under their ids in the invoices, which the ledger adds (`Settlement.calls`). Every method is one transaction and
 * is durable when it resolves. Throws `overloaded` if the store cannot write.
 */
export interface BillingStore {
  /** Resolves with at most `limit` calls, ordered by day and id, after a call of the previous page. */
  list(
    since: BilledSince,
    page: { readonly after?: Pick<StoredCall, 'day' | 'id'> | undefined; readonly limit: number },
  ): Promise<readonly StoredCall[]>;
  /**
   * Replaces the recorded cost of each call by its charge, in the usage and in the spending of its token. Ignores unknown calls. A
   * repetition changes nothing.
   */
  settle(provider: string, charges: readonly CallCharge[]): Promise<void>;
  /** Resolves with the recorded costs by day, earliest first. */
  days(since: BilledSince): Promise<readonly BilledDay[]>;
  /** Removes the calls of all days before `day`. Their costs stay counted. */
  prune(day: number): Promise<void>;
}
