import type { BridgeError } from '../../errors/bridge-error.ts';

/** A longer wait is left to the client (providers.md). */
const LONGEST_WAIT_MS = 10_000;

interface Situation {
  /** The number of tries so far. */
  readonly attempt: number;
  readonly remainingMs: number;
  /** At least 0, below 1. */
  readonly fraction: number;
}

/**
 * Returns how long to wait before a failed call is tried again, in milliseconds. Undefined unless the provider calls the
 * failure transient and the wait ends before the deadline. The ledger decides beforehand that the call may be repeated at all.
 */
export function retryDelayMs(
  error: BridgeError,
  policy: { readonly attempts: number; readonly backoffMs: number },
  { attempt, remainingMs, fraction }: Situation,
): number | undefined {
  if (!error.transient || attempt >= policy.attempts) return undefined;
  const retryAfterMs = error.details['retry_after_ms'];
  const jitter = 0.8 + 0.4 * fraction;
  const waitMs =
    typeof retryAfterMs === 'number' ? retryAfterMs : policy.backoffMs * attempt * jitter;
  return waitMs > LONGEST_WAIT_MS || waitMs >= remainingMs ? undefined : waitMs;
}
