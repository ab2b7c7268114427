import type { Attempt } from '../../contract/reply/image-response.ts';
import type { Routing } from '../../contract/request/routing.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Candidate } from '../plan/routing.ts';
import { fallsBack } from './fallback.ts';

interface Steps<P, R> {
  readonly clock: Clock;
  /** Resolves with true if the next route may be tried after a route has failed like this. */
  readonly fallsBack: (error: BridgeError) => Promise<boolean>;
  /** The signal of the whole operation: once it has aborted, no further route is tried. */
  readonly signal: AbortSignal;
  /** Fits the request to the route, anew for each. */
  readonly plan: (candidate: Candidate) => P;
  /** Runs once, between the first plan that works and the first attempt. Its failure is that of the request. */
  readonly prepare: (plan: P) => Promise<void>;
  /** `tried`: the routes that have failed, and this one as if it succeeded now. */
  readonly attempt: (plan: P, tried: () => readonly Attempt[]) => Promise<R>;
}

export interface Routed<R> {
  readonly result: R;
  /** Every route that was tried, in order; the last one succeeded. */
  readonly attempts: readonly Attempt[];
}

/**
 * Tries the routes in order until one succeeds, or one fails in a way after which there is no fallback. Rejects with the
 * failure of the last route that was tried; where there were fallbacks, `details.attempts` lists all of them
 * (specification 7.7).
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
  throw new Error('a request has one route at least');
}

/** The first plan that works. Throws the failure of the last route for which one was made. */
export function firstPlan<P>(
  candidates: readonly Candidate[],
  policy: Routing['fallback_policy'],
  plan: (candidate: Candidate) => P,
): P {
  let failure: unknown = new Error('a request has one route at least');
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
