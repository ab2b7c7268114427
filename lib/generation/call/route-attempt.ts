import type { Admission } from '../../admission/admission.ts';
import { toBridgeError } from '../../errors/bridge-error.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Times } from '../times.ts';
import type { FanOut, FanOutResult } from './fan-out.ts';
import type { PlannedWork } from './planned-work.ts';

interface Deps {
  readonly admission: Pick<Admission, 'enterRoute'>;
  readonly fanOut: FanOut;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<Metrics, 'queued'>;
}

/** What all route attempts of one operation have in common. */
interface Operation {
  readonly times: Times;
  /** Called when it has entered the gate of the provider, or its queue. */
  readonly onAdmitted: () => void;
  readonly waitsWhenFull: boolean;
}

/** Runs a plan between the gate and the breaker of its provider: one permit and one outcome, whatever its fan-out. */
export function createRouteAttempt({ admission, fanOut, clock, metrics }: Deps) {
  return async function routeAttempt(
    work: PlannedWork,
    { times, onAdmitted, waitsWhenFull }: Operation,
  ): Promise<FanOutResult> {
    const { signal } = work.deadline;
    const { name } = work.plan.ask.provider;
    const pass = await times.of(
      'queue',
      admission.enterRoute(name, signal, () => onAdmitted(), waitsWhenFull),
    );
    metrics.queued({ durationMs: pass.waitedMs });
    const startedMs = clock.monotonicMs();
    try {
      const result = await fanOut(work);
      pass.settle();
      // The verification of the last images, after the provider had ended, is the bridge's own time.
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
