import type { Admission } from '../../admission/admission.ts';
import { toBridgeError } from '../../errors/bridge-error.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Times } from '../times.ts';
import type { Attempt, AttemptResult } from './attempt.ts';
import type { AttemptInput } from './run-call.ts';

interface Deps {
  readonly admission: Pick<Admission, 'enterRoute'>;
  readonly attempt: Attempt;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<Metrics, 'queued'>;
}

/** What one operation has in common on all its routes. */
interface OperationTold {
  readonly times: Times;
  /** It has a place inside or in the queue of the provider. */
  readonly onAdmitted: () => void;
  readonly waitsWhenFull: boolean;
}

/** Runs a request on one route, between the provider's gate and its breaker: one permit and one verdict, whatever its fan-out. */
export function createRunRoute({ admission, attempt, clock, metrics }: Deps) {
  return async function runRoute(
    input: AttemptInput,
    { times, onAdmitted, waitsWhenFull }: OperationTold,
  ): Promise<AttemptResult> {
    const { signal } = input.deadline;
    const { name } = input.route.provider;
    const pass = await times.of(
      'queue',
      admission.enterRoute(name, signal, () => onAdmitted(), waitsWhenFull),
    );
    metrics.queued({ durationMs: pass.waitedMs });
    const startedMs = clock.monotonicMs();
    try {
      const result = await attempt(input);
      pass.settle();
      // What the last images took to be verified after the provider had ended is our own time.
      times.add('provider', result.providerEndedMs - startedMs);
      times.add('artifact', clock.monotonicMs() - result.providerEndedMs);
      return result;
    } catch (thrown) {
      const error = toBridgeError(thrown);
      times.add('provider', clock.monotonicMs() - startedMs);
      pass.settle(error);
      throw error;
    }
  };
}
