/** A token and a day on which it asks for images. */
export interface UsageDay {
  /** Identifies the token. Empty for callers without one. */
  readonly token: string;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
}

/** Outputs that are asked for, before they are made. */
export interface Reservation extends UsageDay {
  readonly images: number;
  /** The number of outputs that the token may ask for on that day. Undefined if it has no limit. */
  readonly allowance: number | undefined;
  /** The rest of the day. */
  readonly retryAfterMs: number;
}

/** The account of one request or job, and the outputs that it asks for. */
export interface LedgerEntry extends Reservation {
  /** The id of the job; a new UUID for any other request. */
  readonly id: string;
}

/** A provider call that is about to be sent. */
export interface OpenCall {
  /** Counted from 0 over all routes of the request. */
  readonly call: number;
  readonly provider: string;
  /** The positions of its outputs in the request. */
  readonly indices: readonly number[];
}

/** The counts of the outputs of one provider whose calls have ended. */
export interface ProviderCounts {
  /** Empty for outputs that no provider was asked for. */
  readonly provider: string;
  /** Outputs that are paid for. */
  readonly images: number;
  /** Those of `images` that were not delivered. */
  readonly lost: number;
  /** Outputs that may have been made, and may be paid for. */
  readonly unknown: number;
  /** Outputs that were asked for and of which certainly nothing was made. */
  readonly failed: number;
  /** Tokens of the model. Undefined if the provider reports none. */
  readonly tokens: number | undefined;
}

/** The rows of calls that have ended and are not counted yet. */
export interface Settlement {
  /** The number of earlier renewals of the account. A store that was renewed more often has counted these calls already. */
  readonly renewals: number;
  /** Each provider once. */
  readonly counts: readonly ProviderCounts[];
}

/**
 * The accounts of requests that have not ended, and the sums of those that have. Every method is one transaction and has been
 * made durable when it resolves. A method that rejects with `overloaded` may have taken effect all the same, and may be called
 * again. An open account belongs to the process that made it; that of a job ends with the job (`jobs/job-store-port.ts`).
 *
 * At any time a token's charge of a day is what its accounts of that day have reserved, and `images` and `unknown` of its sums.
 */
export interface LedgerStore {
  /** Begins an account, and reserves its outputs. Throws `rate_limited`, and reserves nothing, beyond the allowance. */
  reserve(entry: LedgerEntry): Promise<void>;
  /** Opens a call, and begins its account without a reservation if there is none. */
  begin(entry: LedgerEntry, call: OpenCall): Promise<void>;
  /** Opens a call of an account that was begun. */
  addCall(id: string, call: OpenCall): Promise<void>;
  /**
   * Counts all calls that were opened so far, and reserves so many outputs for the next ones if the account has a reservation.
   * Throws `rate_limited`, and changes nothing, if the allowance does not suffice.
   */
  renew(id: string, settlement: Settlement, images: number): Promise<void>;
  /** Ends an account. Its open calls are counted, and what is reserved otherwise is given back. Does nothing if it has ended. */
  close(id: string, settlement: Settlement): Promise<void>;
  /** Counts the outputs of a request whose account never began, as far as is known. One that began is ended. */
  record(entry: LedgerEntry, settlement: Settlement): Promise<void>;
  /**
   * Ends the accounts of processes that have ended, jobs excepted: open outputs are counted as unknown, the others as failed.
   * Accounts of another process that still renews its lease at `nowSecs` stay open.
   */
  recover(nowSecs: number): Promise<void>;
}
