import type { BridgeError } from '../errors/bridge-error.ts';
import type { BridgeCode } from '../errors/codes.ts';

/** What the end of a route attempt says about the provider; `neutral` says nothing. */
export type Verdict = 'success' | 'failure' | 'neutral';

type Rule = (error: BridgeError) => boolean;

/** Refusals of our own, which carry the code of a provider that is at capacity. */
const OUR_REFUSALS: ReadonlySet<unknown> = new Set(['queue_full', 'circuit_open']);

const always: Rule = () => true;

/** When a failure counts against the provider (contract.md 13); a code without a row never does. */
const COUNTS: { readonly [C in BridgeCode]?: Rule } = {
  rate_limited: always,
  // The state store says `overloaded` too, but names no provider.
  overloaded: ({ provider, details }) =>
    provider !== undefined && !OUR_REFUSALS.has(details['reason']),
  // A timeout stays retryable as long as nothing was dispatched (contract.md 8).
  timeout: ({ retryable }) => !retryable,
  upstream: always,
  protocol: always,
};

/** How an attempt that ended with `error`, or without one, counts for the breaker of its provider. */
export function verdictOf(error: BridgeError | undefined): Verdict {
  if (!error) return 'success';
  return COUNTS[error.bridgeCode]?.(error) ? 'failure' : 'neutral';
}

// A server that names a later time may be wrong, or its limit may have been raised.
const LONGEST_WAIT_MS = 3_600_000;

/** How long the provider asks its callers to wait; 0 where it does not say. */
export function askedWaitMs(error: BridgeError | undefined): number {
  const waitMs = error?.code === 'rate_limited' ? error.details['retry_after_ms'] : undefined;
  return typeof waitMs === 'number' ? Math.min(waitMs, LONGEST_WAIT_MS) : 0;
}
