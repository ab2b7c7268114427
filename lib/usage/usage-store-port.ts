import type { Amount } from '../contract/reply/cost.ts';
import type { Counts, UsageDay } from '../generation/ledger/ledger-store-port.ts';

/** The use of one provider on one day. */
export interface ProviderUsage extends Pick<UsageDay, 'day'>, Counts {
  readonly provider: string;
}

/** The use of one model on one day. */
export interface ModelUsage extends ProviderUsage {
  readonly model: string;
}

/** The use of all providers by one token on several days. */
export interface TokenUsage extends Pick<UsageDay, 'token'>, Counts {}

/** The amounts that are spent or reserved on a day and in its month. */
export interface Spending {
  readonly day: Amount;
  readonly month: Amount;
}

/** The images and the amounts that count against the allowance and the budget of a token on a day. */
export interface Balance extends Pick<UsageDay, 'token'> {
  readonly charged: number;
  readonly spent: Spending;
}

/** The days from `day` on, of one token, or of all tokens without `token`. */
export type UsageSpan = UsageDay | Pick<UsageDay, 'day'>;

/**
 * Stores the usage of each token by day. Every method is one transaction and is durable when it resolves. Throws `overloaded` if the
 * store cannot write.
 */
export interface UsageStore {
  /**
   * Resolves with the number of images that count against the allowance of a day: images that are reserved, made or possibly made.
   */
  charged(of: UsageDay): Promise<number>;
  /** Resolves with the amounts that are spent or reserved on a day and in the month of the day. */
  spent(of: UsageDay): Promise<Spending>;
  /** Resolves with the results of `charged` and `spent` for several tokens, in the same order. */
  balances(tokens: readonly string[], day: number): Promise<readonly Balance[]>;
  /** Resolves with the usage in the span, by day and provider, latest day first. */
  list(span: UsageSpan): Promise<readonly ProviderUsage[]>;
  /**
   * Resolves with the part of `list` whose model is recorded, by day, provider and model, latest day first. Versions that did not
   * record models have added only to `list`.
   */
  listModels(span: UsageSpan): Promise<readonly ModelUsage[]>;
  /** Resolves with the usage of each token on `day` and later, ordered by token. */
  listTokens(day: number): Promise<readonly TokenUsage[]>;
  /** Removes the usage of all days before `day`. */
  prune(day: number): Promise<void>;
}
