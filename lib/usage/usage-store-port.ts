/** Whom images are counted for, and on which day: days since 1970-01-01, UTC. */
export interface UsageDay {
  /** The identity of a token; empty for callers without a named token. */
  readonly token: string;
  readonly day: number;
}

/** Images that are asked for, before they are made. */
export interface Reservation extends UsageDay {
  readonly images: number;
  /** How many the token may ask for on that day; as many as it likes when undefined. */
  readonly allowance: number | undefined;
  /** Until that day ends. */
  readonly retryAfterMs: number;
}

/** What came of images that were asked for. */
export interface Settlement extends UsageDay {
  /** Given back to the allowance; below 0 where nothing was reserved before the images were made. */
  readonly givenBack: number;
  /** Empty where none was chosen. */
  readonly provider: string;
  readonly images: number;
  readonly failed: number;
  /** Of the model; undefined where the provider does not report them. */
  readonly tokens: number | undefined;
}

/** What a provider made on one day. */
export interface ProviderUsage
  extends Pick<UsageDay, 'day'>,
    Pick<Settlement, 'provider' | 'images' | 'failed' | 'tokens'> {}

/**
 * How many images each token asked for and got, by day. Every method is one transaction and has been made durable when it
 * resolves. Throws `overloaded` when the store refuses to write.
 */
export interface UsageStore {
  /** Throws `rate_limited`, and reserves nothing, when the allowance of the day does not suffice. */
  reserve(reservation: Reservation): Promise<void>;
  settle(settlement: Settlement): Promise<void>;
  /** How much of the allowance of this day is used up: reserved, made, or perhaps made. */
  charged(of: UsageDay): Promise<number>;
  /** Of this day and those after it, the latest day first, by provider. */
  list(since: UsageDay): Promise<readonly ProviderUsage[]>;
  /** Removes what is older than this day. */
  prune(day: number): Promise<void>;
}
