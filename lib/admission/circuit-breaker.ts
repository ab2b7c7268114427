import type { Config } from '../config/settings/settings.ts';
import type { BREAKER_STATES } from '../contract/resources/diagnostics.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { BridgeCode } from '../errors/codes.ts';
import type { Clock } from '../platform/clock.ts';

export type BreakerSettings = Config['runtime']['circuit_breaker'];
export type BreakerState = (typeof BREAKER_STATES)[number];

interface Deps {
  readonly provider: string;
  readonly settings: BreakerSettings;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onTransition?: (from: BreakerState, to: BreakerState) => void;
  readonly onRejection?: () => void;
}

/** The permission for one route attempt. */
export interface BreakerPass {
  /** Reports the outcome of the attempt. Must be called for every admitted attempt. Later calls have no effect. */
  settle(error: BridgeError | undefined): void;
}

export interface BreakerSnapshot {
  readonly state: BreakerState;
  /** The number of consecutive failures. */
  readonly failures: number;
  /** The number of times that the breaker has opened. */
  readonly opens: number;
  /** The time until the breaker is half open, in milliseconds. Present only while the breaker is open. */
  readonly retry_after_ms?: number;
}

// A running probe may end at any time, so clients are told to retry soon.
const RETRY_AFTER_PROBE_MS = 1000;

/**
 * Stops calls to a provider that keeps failing. After `failure_threshold` consecutive failures the breaker is open for
 * `open_duration_ms`, or longer if the provider asks its callers to wait longer. Then the breaker is half open and admits a few
 * probes: `success_threshold` successes close it, and one failure opens it again. A neutral outcome only releases its probe.
 */
export function createCircuitBreaker(deps: Deps) {
  const { provider, settings, clock } = deps;
  let state: BreakerState = 'closed';
  // The number of state changes. An outcome counts only in the period in which its attempt was admitted.
  let period = 0;
  let failures = 0;
  let successes = 0;
  let opens = 0;
  let opensAgainMs = 0;
  // Running probes, including probes of an earlier half-open period.
  let probes = 0;

  function become(next: BreakerState, error?: BridgeError): void {
    const before = state;
    state = next;
    period += 1;
    successes = 0;
    if (next === 'closed') failures = 0;
    if (next === 'open') {
      opens += 1;
      opensAgainMs = clock.monotonicMs() + Math.max(settings.open_duration_ms, askedWaitMs(error));
    }
    deps.onTransition?.(before, next);
  }

  function count(verdict: Verdict, error: BridgeError | undefined): void {
    if (verdict === 'neutral') return;
    if (verdict === 'failure') {
      failures += 1;
      if (state === 'half_open' || failures >= settings.failure_threshold) become('open', error);
    } else if (state === 'half_open') {
      successes += 1;
      if (successes >= settings.success_threshold) become('closed');
    } else failures = 0;
  }

  const leftMs = () => Math.max(0, Math.ceil(opensAgainMs - clock.monotonicMs()));

  /** Returns the current state. Reading changes an expired `open` to `half_open`, because there is no timer. */
  function current(): BreakerState {
    if (state === 'open' && leftMs() === 0) become('half_open');
    return state;
  }

  /** Returns the error with which an attempt would be rejected now. Returns undefined if the attempt would be admitted. */
  function refusal(): BridgeError | undefined {
    const now = current();
    if (!settings.enabled || now === 'closed') return undefined;
    if (now === 'half_open' && probes < settings.half_open_max_calls) return undefined;
    return circuitOpen(provider, now === 'open' ? leftMs() : RETRY_AFTER_PROBE_MS);
  }

  function check(): void {
    const refused = refusal();
    if (!refused) return;
    deps.onRejection?.();
    throw refused;
  }

  return {
    /** Throws the error that `admit` would throw now, but uses no probe. Called before an attempt waits in the queue. */
    check,

    /** Returns the error that `admit` would throw now, or undefined. Does not count as a rejection. */
    refusal,

    /** Admits an attempt. Throws `overloaded` if the breaker is open, or if it is half open and all its probes are running. */
    admit(): BreakerPass {
      if (!settings.enabled) return { settle() {} };
      check();
      const given = period;
      const isProbe = state === 'half_open';
      if (isProbe) probes += 1;
      let isSettled = false;
      return {
        settle(error) {
          if (isSettled) return;
          isSettled = true;
          if (isProbe) probes -= 1;
          if (given === period) count(verdictOf(error), error);
        },
      };
    },

    state(): BreakerSnapshot {
      const seen = { state: current(), failures, opens };
      return seen.state === 'open' ? { ...seen, retry_after_ms: leftMs() } : seen;
    },
  };
}

function circuitOpen(provider: string, retryAfterMs: number): BridgeError {
  return new BridgeError('overloaded', `the circuit breaker of provider ${provider} is open`, {
    provider,
    details: { reason: 'circuit_open', retry_after_ms: retryAfterMs },
  });
}

/** The meaning of a route attempt's outcome for the circuit breaker. A `neutral` outcome says nothing about the provider. */
export type Verdict = 'success' | 'failure' | 'neutral';

type Rule = (error: BridgeError) => boolean;

/**
 * Reasons of failures after which the provider may still be healthy: rejections by the bridge, a used-up quota, and replies
 * that depend on the request. If such failures counted, one caller could open the breaker for all other callers.
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

/** The conditions under which a failure counts against the provider. A failure with any other code does not count. */
const COUNTS: { readonly [C in BridgeCode]?: Rule } = {
  rate_limited: always,
  // An `overloaded` error of the state store names no provider.
  overloaded: ({ provider }) => provider !== undefined,
  // A timeout is retryable if nothing was sent to the provider.
  timeout: ({ retryable }) => !retryable,
  upstream: always,
  protocol: always,
};

/** Returns the verdict of an attempt that ended with `error`, or that succeeded if `error` is undefined. */
export function verdictOf(error: BridgeError | undefined): Verdict {
  if (!error) return 'success';
  const { reason, alpha } = error.details;
  // `alpha` marks an image that is not transparent as requested. The prompt may be the cause of such an image.
  if (NEUTRAL_REASONS.has(reason) || alpha !== undefined) return 'neutral';
  return COUNTS[error.bridgeCode]?.(error) ? 'failure' : 'neutral';
}

// The maximum wait that a provider may request. A longer wait is reduced to this value, because the provider may be wrong.
const MAX_WAIT_MS = 3_600_000;

/**
 * Returns the time that the provider asks its callers to wait, in milliseconds. Returns 0 if the provider specifies no time.
 */
function askedWaitMs(error: BridgeError | undefined): number {
  const waitMs = error?.code === 'rate_limited' ? error.details['retry_after_ms'] : undefined;
  return typeof waitMs === 'number' ? Math.min(waitMs, MAX_WAIT_MS) : 0;
}
