import type { Amount } from '../contract/reply/cost.ts';
import type { ProviderCounts, UsageDay } from '../generation/ledger/ledger-store-port.ts';

/** The use of one provider by a token on one day. */
export interface ProviderUsage extends Pick<UsageDay, 'day'>, ProviderCounts {}

/**
 * Stores the usage of each token by day. Every method is one transaction and is durable when it resolves. Throws `overloaded` if the
 * store cannot write.
 */
export interface UsageStore {
  /**
   * Returns the number of images that count against the allowance of a day: images that are reserved, made or possibly made.
   */
  charged(of: UsageDay): Promise<number>;
  /** Returns the amounts that are spent or reserved on a day and in the month of the day. */
  spent(of: UsageDay): Promise<{ readonly day: Amount; readonly month: Amount }>;
  /** Returns the usage of the token on `since.day` and later, by day and provider, latest day first. */
  list(since: UsageDay): Promise<readonly ProviderUsage[]>;
  /** Removes the usage of all days before `day`. */
  prune(day: number): Promise<void>;
}
