import type { ProviderCounts, UsageDay } from '../generation/ledger/ledger-store-port.ts';

/** What one provider was asked for on one day. */
export interface ProviderUsage extends Pick<UsageDay, 'day'>, ProviderCounts {}

/**
 * What each token has used, by day. Every method is one transaction and has been made durable when it resolves. Throws
 * `overloaded` when the store refuses to write.
 */
export interface UsageStore {
  /** Returns how much of the allowance of this day is used up: reserved, made, or perhaps made. */
  charged(of: UsageDay): Promise<number>;
  /** Of this day and those after it, the latest day first, by provider. */
  list(since: UsageDay): Promise<readonly ProviderUsage[]>;
  /** Removes what is older than this day. */
  prune(day: number): Promise<void>;
}
