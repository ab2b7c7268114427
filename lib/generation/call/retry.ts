import type { BridgeError } from '../../errors/bridge-error.ts';

/** A longer wait is left to the client (providers.md). */
const LONGEST_WAIT_MS = 10_000;

interface Situation {
  /** The number of tries so far. */
  readonly attempt: number;
  /** The provider had begun its output. */
  readonly outputBegan: boolean;
  readonly remainingMs: number;
  /** At least 0, below 1. */
  readonly fraction: number;
}

/**
 * How long to wait before a failed call is tried again, or undefined when it must not be (specification 7.8): only a
 * failure that the provider calls transient, before any output, with a known outcome, inside the deadline.
 */
export function retryDelayMs(
  error: BridgeError,
  policy: { readonly attempts: number; readonly backoffMs: number },
  { attempt, outputBegan, remainingMs, fraction }: Situation,
): number | undefined {
  if (!error.transient || outputBegan || attempt >= policy.attempts) return undefined;
  if (error.details['outcome'] === 'unknown') return undefined;
  const retryAfterMs = error.details['retry_after_ms'];
  const jitter = 0.8 + 0.4 * fraction;
  const waitMs =
    typeof retryAfterMs === 'number' ? retryAfterMs : policy.backoffMs * attempt * jitter;
  return waitMs > LONGEST_WAIT_MS || waitMs >= remainingMs ? undefined : waitMs;
}
