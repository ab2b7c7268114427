import { type Amount, addCosts, type Cost, NO_COST } from '../../contract/reply/cost.ts';

/** A token and a day on which the token requests images. */
export interface UsageDay {
  /** The identity of the token. Empty for a caller without a token. */
  readonly token: string;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
}

/** The budget of a token. */
export interface Budget {
  /** The amount that the token may spend on a UTC day. Undefined if the day has no limit. */
  readonly perDay?: Amount | undefined;
  /** The amount that the token may spend in a UTC month. Undefined if the month has no limit. */
  readonly perMonth?: Amount | undefined;
}

/** A reservation for outputs that are requested but not made yet. */
export interface Reservation extends UsageDay {
  readonly images: number;
  /** The number of outputs that the token may request on that day. Undefined if the token has no limit. */
  readonly allowance: number | undefined;
  /**
   * The budget, and the amount of money to reserve: the upper bound of the cost. Undefined if the token has no budget. An output
   * whose cost is unknown is charged its share of the reserved amount.
   */
  readonly budget?: (Budget & { readonly held: Amount }) | undefined;
  /** The time until the end of the day (UTC), in milliseconds. */
  readonly retryAfterMs: number;
}

/** The account of one request or job, with its reservation. */
export interface LedgerEntry extends Reservation {
  /** The id of the job, or a new UUID for any other request. */
  readonly id: string;
}

/** A provider call that is about to be sent. */
export interface OpenCall {
  /** The number of the call, counted from 0 over all routes of the request. */
  readonly call: number;
  readonly provider: string;
  /** Undefined for calls of versions that did not record the model. */
  readonly model?: string | undefined;
  /** The positions of its outputs in the request. */
  readonly indices: readonly number[];
}

/** A call whose provider has accepted a task. */
export interface AcceptedCall extends Pick<OpenCall, 'call'> {
  readonly model: string;
  /** Text that only the provider reads. The ticket is a secret. */
  readonly ticket: string;
}

/** The counts of the outputs of one model of a provider whose calls have ended. */
export interface ProviderCounts {
  /** Empty for outputs that were requested from no provider. */
  readonly provider: string;
  /** Undefined if the model is not recorded, or if the outputs were requested from no provider. */
  readonly model?: string | undefined;
  /** The number of outputs that are paid for. */
  readonly images: number;
  /** The number of outputs in `images` that were not delivered. */
  readonly lost: number;
  /** The number of outputs that may have been made and may be paid for. */
  readonly unknown: number;
  /** The number of outputs that were requested and certainly not made. */
  readonly failed: number;
  /** The number of tokens of the model. Undefined if the provider reports none. */
  readonly tokens: number | undefined;
  /** The cost of the calls. If the basis is `unknown`, the amount is the known part. */
  readonly cost: Cost;
  /** The number of outputs in `images` and `unknown` whose cost is unknown. */
  readonly unpriced: number;
}

/** A model of a provider. */
export type Maker = Pick<ProviderCounts, 'provider' | 'model'>;

/** Returns only the members that name the model. */
export function makerOf({ provider, model }: Maker): Maker {
  return model === undefined ? { provider } : { provider, model };
}

/** The counts of calls without their provider and model. */
export type Counts = Omit<ProviderCounts, 'provider' | 'model'>;

/** The counts of no calls. */
export const NO_COUNTS: Counts = {
  images: 0,
  lost: 0,
  unknown: 0,
  failed: 0,
  tokens: undefined,
  cost: NO_COST,
  unpriced: 0,
};

export function addCounts(one: Counts, other: Counts): Counts {
  const isReported = one.tokens !== undefined || other.tokens !== undefined;
  return {
    images: one.images + other.images,
    lost: one.lost + other.lost,
    unknown: one.unknown + other.unknown,
    failed: one.failed + other.failed,
    tokens: isReported ? (one.tokens ?? 0) + (other.tokens ?? 0) : undefined,
    cost: addCosts(one.cost, other.cost),
    unpriced: one.unpriced + other.unpriced,
  };
}

/** A call that has ended, under the id with which the service bills the call. */
export interface BilledCall
  extends Pick<ProviderCounts, 'provider' | 'model' | 'cost' | 'unpriced'> {
  readonly id: string;
}

/** The counts of calls that have ended and are not counted yet. */
export interface Settlement {
  /**
   * The number of earlier renewals of the account. If the store has recorded more renewals, the store has already counted these
   * calls.
   */
  readonly renewals: number;
  /** At most one entry for each model of a provider. */
  readonly counts: readonly ProviderCounts[];
  /** The calls in `counts` whose id in the invoice is known. `BillingStore` reads these calls. */
  readonly calls?: readonly BilledCall[];
}

/**
 * Stores the accounts of open requests and the sums of ended requests. Every method is one transaction and is durable when it
 * resolves. A method that rejects with `overloaded` may have taken effect and may be called again. An open account belongs to the
 * process that made it. The account of a job ends with the job (`jobs/job-store-port.ts`).
 *
 * The images charged to a token on a day are always the sum of two parts: the reservations of the open accounts of that day, and
 * `images` plus `unknown` of the ended requests. The money charged to a token on a day and in a month is the sum of the amounts
 * that open accounts reserve, of the known costs of ended requests, and of the shares of outputs whose cost is unknown.
 */
export interface LedgerStore {
  /**
   * Begins an account and reserves its outputs. Throws `rate_limited` and reserves nothing if the allowance or a budget is too
   * small. Does nothing if the account has begun already.
   */
  reserve(entry: LedgerEntry): Promise<void>;
  /** Opens a call. Begins an account without a reservation if there is no account. Does nothing if the call is open already. */
  begin(entry: LedgerEntry, call: OpenCall): Promise<void>;
  /**
   * Opens a call of an existing account. If the account has a budget and reserves less than `needed`, reserves the difference,
   * because prices may have changed since the account began. Does nothing if the call is open already. Throws `rate_limited` and
   * opens nothing if a budget is too small, `overloaded` if the account has ended, and `internal` if the account is the account of a
   * job that no longer runs in this process.
   */
  addCall(id: string, call: OpenCall, needed?: Amount): Promise<void>;
  /**
   * Stores the ticket of an open call of a job, so that the job continues if its process ends (`JobStore.resumeAbandoned`).
   * Replaces an earlier ticket of the call. Throws `internal` as `addCall` does.
   */
  accept(id: string, call: AcceptedCall): Promise<void>;
  /** Deletes the ticket of a call that is about to be sent again. Throws `internal` as `addCall` does. */
  withdrawTicket(id: string, call: number): Promise<void>;
  /**
   * Counts all calls that were opened so far. If the account has a reservation, reserves `images` outputs and the same amount of
   * money for the next calls. Throws `rate_limited` and changes nothing if the allowance or a budget is too small. Throws
   * `internal` as `addCall` does.
   */
  renew(id: string, settlement: Settlement, images: number): Promise<void>;
  /** Ends an account: counts its open calls and releases the rest of its reservation. Does nothing if the account has ended. */
  close(id: string, settlement: Settlement): Promise<void>;
  /**
   * Counts the outputs of a request if it is unknown whether its account has begun. If the account has begun, ends the account.
   */
  record(entry: LedgerEntry, settlement: Settlement): Promise<void>;
  /**
   * Ends the accounts of processes whose lease has ended, except accounts of jobs. Counts outputs of open calls as unknown and all
   * other outputs as failed.
   */
  recover(): Promise<void>;
}
