import type { Attempt } from '../../contract/reply/image-response.ts';
import type { Routing } from '../../contract/request/routing.ts';
import { toBridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Candidate } from '../plan/routing.ts';
import { fallsBack } from './fallback.ts';

interface Steps<P, R> {
  readonly clock: Clock;
  readonly policy: Routing['fallback_policy'];
  /** The signal of the whole operation: once it has aborted, no further route is tried. */
  readonly signal: AbortSignal;
  /** Fits the request to the route, anew for each. */
  readonly plan: (candidate: Candidate) => P;
  /** What comes once, between the first plan that works and the first dispatch; its failure is the request's. */
  readonly prepare: () => Promise<void>;
  readonly run: (planned: P) => Promise<R>;
}

export interface Routed<P, R> {
  readonly planned: P;
  readonly result: R;
  /** Every route that was tried, in order; the last one succeeded. */
  readonly attempts: readonly Attempt[];
}

/**
 * Tries one route after the other until one succeeds or a failure is none to go on after. Rejects with the failure of the
 * last route that was tried; where there were fallbacks, `details.attempts` traces all of them (specification 7.7).
 */
export async function tryRoutes<P, R>(
  candidates: readonly Candidate[],
  { clock, policy, signal, plan, prepare, run }: Steps<P, R>,
): Promise<Routed<P, R>> {
  const attempts: Attempt[] = [];
  let prepared: Promise<void> | undefined;
  for (const [place, candidate] of candidates.entries()) {
    const startedMs = clock.monotonicMs();
    const tried = () => ({
      provider: candidate.provider.name,
      model: candidate.model,
      duration_ms: Math.round(clock.monotonicMs() - startedMs),
    });
    const failOrGoOn = (thrown: unknown) => {
      const error = toBridgeError(thrown);
      attempts.push({ ...tried(), outcome: 'failed', error_code: error.bridgeCode });
      const isLast = place === candidates.length - 1;
      if (!isLast && !signal.aborted && fallsBack(error, policy)) return;
      throw candidates.length > 1 ? error.with({ details: { attempts: [...attempts] } }) : error;
    };
    let planned: P;
    try {
      planned = plan(candidate);
    } catch (thrown) {
      failOrGoOn(thrown);
      continue;
    }
    prepared ??= prepare();
    await prepared;
    try {
      const result = await run(planned);
      attempts.push({ ...tried(), outcome: 'succeeded' });
      return { planned, result, attempts };
    } catch (thrown) {
      failOrGoOn(thrown);
    }
  }
  throw new Error('a request has one route at least');
}

/** The first route whose plan works. Throws the failure of the last that is judged. */
export function firstPlanned(
  candidates: readonly Candidate[],
  policy: Routing['fallback_policy'],
  plan: (candidate: Candidate) => unknown,
): Candidate {
  let failure: unknown = new Error('a request has one route at least');
  for (const candidate of candidates) {
    try {
      plan(candidate);
      return candidate;
    } catch (thrown) {
      failure = thrown;
      if (!fallsBack(toBridgeError(thrown), policy)) break;
    }
  }
  throw failure;
}
