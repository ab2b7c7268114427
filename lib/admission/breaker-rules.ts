import type { BridgeError } from '../errors/bridge-error.ts';
import type { BridgeCode } from '../errors/codes.ts';

/** What the end of a route attempt says about the provider; `neutral` says nothing. */
export type Verdict = 'success' | 'failure' | 'neutral';

type Rule = (error: BridgeError) => boolean;

/**
 * Reasons of failures that do not show that the provider is down: refusals of our own under the code of a provider, a used-up
 * allowance, and replies that depend on the request. Otherwise one caller could close a provider for all others.
 */
const NEUTRAL_REASONS: ReadonlySet<unknown> = new Set([
  'queue_full',
  'circuit_open',
  'quota',
  'no_image',
  'no_revised_prompt',
  'shortened_deadline',
]);

const always: Rule = () => true;

/** When a failure counts against the provider (contract.md 13); a code without a row never does. */
const COUNTS: { readonly [C in BridgeCode]?: Rule } = {
  rate_limited: always,
  // The state store says `overloaded` too, but names no provider.
  overloaded: ({ provider }) => provider !== undefined,
  // A timeout stays retryable as long as nothing was dispatched (contract.md 8).
  timeout: ({ retryable }) => !retryable,
  upstream: always,
  protocol: always,
};

/** How an attempt that ended with `error`, or without one, counts for the breaker of its provider. */
export function verdictOf(error: BridgeError | undefined): Verdict {
  if (!error) return 'success';
  const { reason, alpha } = error.details;
  // An image that did not come out transparent: the prompt decides that, too.
  if (NEUTRAL_REASONS.has(reason) || alpha !== undefined) return 'neutral';
  return COUNTS[error.bridgeCode]?.(error) ? 'failure' : 'neutral';
}

// A server that names a later time may be wrong, or its limit may have been raised.
const LONGEST_WAIT_MS = 3_600_000;

/** How long the provider asks its callers to wait; 0 where it does not say. */
export function askedWaitMs(error: BridgeError | undefined): number {
  const waitMs = error?.code === 'rate_limited' ? error.details['retry_after_ms'] : undefined;
  return typeof waitMs === 'number' ? Math.min(waitMs, LONGEST_WAIT_MS) : 0;
}
