import type { Config } from '../config/settings/settings.ts';
import type { BREAKER_STATES } from '../contract/resources/diagnostics.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { askedWaitMs, type Verdict, verdictOf } from './breaker-rules.ts';

export type BreakerSettings = Config['runtime']['circuit_breaker'];
export type BreakerState = (typeof BREAKER_STATES)[number];

interface Deps {
  readonly provider: string;
  readonly settings: BreakerSettings;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onTransition?: (from: BreakerState, to: BreakerState) => void;
  readonly onRejection?: () => void;
}

/** Permission for one route attempt. */
export interface BreakerPass {
  /** Reports how it ended. Must be called, whatever happens; only the first call counts. */
  settle(error: BridgeError | undefined): void;
}

export interface BreakerSnapshot {
  readonly state: BreakerState;
  /** In a row. */
  readonly failures: number;
  /** How often it has opened. */
  readonly opens: number;
  /** While it is open. */
  readonly retry_after_ms?: number;
}

// A probe that runs may take a moment or minutes.
const RETRY_AFTER_PROBE_MS = 1000;

/**
 * Stops calls to a provider that keeps failing. After `failure_threshold` failures in a row it is open for
 * `open_duration_ms`, or for as long as the provider asks its callers to wait. Then it is half open and admits a few probes: enough successes close it, and one failure opens it
 * again. An outcome that says nothing about the provider only releases its probe.
 */
export function createCircuitBreaker(deps: Deps) {
  const { settings, clock } = deps;
  let state: BreakerState = 'closed';
  // Counts the changes of state: an outcome counts only in the period of its pass.
  let period = 0;
  let failures = 0;
  let successes = 0;
  let opens = 0;
  let opensAgainMs = 0;
  // Includes those of an earlier half-open period that still run.
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

  function leftMs(): number {
    return Math.max(0, Math.ceil(opensAgainMs - clock.monotonicMs()));
  }

  /** There is no timer: the state is brought up to date when it is read. */
  function current(): BreakerState {
    if (state === 'open' && leftMs() === 0) become('half_open');
    return state;
  }

  const refusal = () => refusalOf(deps, { state: current(), leftMs: leftMs(), probes });

  function check(): void {
    const refused = refusal();
    if (refused) deps.onRejection?.();
    if (refused) throw refused;
  }

  return {
    /** Throws `overloaded` when `admit` would, without using up a probe: for a caller that has to wait first. */
    check,

    /** The error that `admit` would throw now; undefined if it would admit an attempt. Counts no rejection. */
    refusal,

    /** Throws `overloaded` when the circuit is open, or half open with all its probes under way. */
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

/** The error of an attempt that the breaker does not admit in this state; undefined if it does. */
function refusalOf(
  { settings, provider }: Deps,
  now: { readonly state: BreakerState; readonly leftMs: number; readonly probes: number },
): BridgeError | undefined {
  if (!settings.enabled || now.state === 'closed') return undefined;
  if (now.state === 'open') return circuitOpen(provider, now.leftMs);
  const admits = now.probes < settings.half_open_max_calls;
  return admits ? undefined : circuitOpen(provider, RETRY_AFTER_PROBE_MS);
}

function circuitOpen(provider: string, retryAfterMs: number): BridgeError {
  return new BridgeError('overloaded', `the circuit breaker of provider ${provider} is open`, {
    provider,
    details: { reason: 'circuit_open', retry_after_ms: retryAfterMs },
  });
}
