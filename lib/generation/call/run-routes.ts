import type { Attempt } from '../../contract/reply/image-response.ts';
import type { Routing } from '../../contract/request/routing.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Candidate } from '../plan/routing.ts';

interface Steps<P, R> {
  readonly clock: Clock;
  /** Resolves with true if the next route may be tried after a route has failed with `error`. */
  readonly fallsBack: (error: BridgeError) => Promise<boolean>;
  /** The signal of the whole operation. Once it has aborted, no further route is tried. */
  readonly signal: AbortSignal;
  /** Fits the request to one route. */
  readonly plan: (candidate: Candidate) => P;
  /** Runs once, between the first plan that succeeds and the first attempt. A rejection fails the request. */
  readonly prepare: (plan: P) => Promise<void>;
  /** Runs a plan. `tried` returns the routes that have failed, and the current route as if it succeeded now. */
  readonly attempt: (plan: P, tried: () => readonly Attempt[]) => Promise<R>;
}

export interface Routed<R> {
  readonly result: R;
  /** Every route that was tried, in order. The last route succeeded. */
  readonly attempts: readonly Attempt[];
}

/**
 * Tries the routes in order until a route succeeds, or fails in a way that allows no fallback. Rejects with the failure of the
 * last route that was tried. If the request has fallbacks, `details.attempts` of that failure lists all routes that were tried.
 */
export async function runRoutes<P, R>(
  candidates: readonly Candidate[],
  { clock, signal, prepare, ...steps }: Steps<P, R>,
): Promise<Routed<R>> {
  const attempts: Attempt[] = [];
  let prepared: Promise<void> | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const startedMs = clock.monotonicMs();
    const tried = () => ({
      provider: candidate.provider.name,
      model: candidate.model,
      duration_ms: Math.round(clock.monotonicMs() - startedMs),
    });
    const failOrFallBack = async (thrown: unknown) => {
      const error = toBridgeError(thrown);
      attempts.push({ ...tried(), outcome: 'failed', error_code: error.bridgeCode });
      const isLast = index === candidates.length - 1;
      if (!isLast && !signal.aborted && (await steps.fallsBack(error))) return;
      throw candidates.length > 1 ? error.with({ details: { attempts: [...attempts] } }) : error;
    };
    let plan: P;
    try {
      plan = steps.plan(candidate);
    } catch (thrown) {
      await failOrFallBack(thrown);
      continue;
    }
    prepared ??= prepare(plan);
    await prepared;
    try {
      const succeeded = () => [...attempts, { ...tried(), outcome: 'succeeded' } as const];
      const result = await steps.attempt(plan, succeeded);
      attempts.push({ ...tried(), outcome: 'succeeded' });
      return { result, attempts };
    } catch (thrown) {
      await failOrFallBack(thrown);
    }
  }
  throw new Error('a request has at least one route');
}

/** Returns the first plan that succeeds. Throws the failure of the last route that was planned. */
export function firstPlan<P>(
  candidates: readonly Candidate[],
  policy: Routing['fallback_policy'],
  plan: (candidate: Candidate) => P,
): P {
  let failure: unknown = new Error('a request has at least one route');
  for (const candidate of candidates) {
    try {
      return plan(candidate);
    } catch (thrown) {
      failure = thrown;
      if (!fallsBack(toBridgeError(thrown), policy)) break;
    }
  }
  throw failure;
}

/** The provider could not begin the work. Another provider may be able to. */
const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set([
  'configuration',
  'provider_authentication',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
]);

/** The provider failed or rejected this request, and the outcome is known. */
const FAILED: ReadonlySet<ErrorCode> = new Set([
  'upstream',
  'protocol',
  'internal',
  'refused_by_provider',
]);

/**
 * Returns true if the next route may be tried after a failure. Returns false after an unknown outcome and after outputs that
 * succeeded, because these may be paid for and another route would make all of them again.
 */
export function fallsBack(error: BridgeError, policy: Routing['fallback_policy']): boolean {
  const { outcome, succeeded_outputs: succeeded } = error.details;
  if (outcome === 'unknown' || succeeded !== undefined) return false;
  return UNAVAILABLE.has(error.code) || (policy === 'on_error' && FAILED.has(error.code));
}
