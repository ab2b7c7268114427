import type { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import type { CountedElsewhere } from '../../../lib/metrics/metrics.ts';

type Runtime = Diagnostics['runtime'];
type BreakerState = Runtime['providers'][string]['breaker']['state'];

/** A report with occupied gates, the circuit breaker of one provider, and jobs. */
export function countedElsewhere(state?: BreakerState, provider?: string): CountedElsewhere {
  const jobs = { queued: 1, running: 2, succeeded: 3, failed: 4, cancelled: 5, interrupted: 6 };
  return {
    runtime: runtimeReport(state, provider),
    jobs,
    providerRestarts: 4,
    providerSkippedLines: 3,
    catalogueAges: [{ provider: provider ?? 'sandbox', ageSecs: 5 }],
    isReady: true,
  };
}

export function runtimeReport(state: BreakerState = 'closed', provider = 'sandbox'): Runtime {
  const limits = { max_concurrent: 4, max_queued: 'unlimited' } as const;
  return {
    global: { active: 2, queued: 5, ...limits },
    providers: {
      [provider]: { active: 1, queued: 3, ...limits, breaker: { state, failures: 1, opens: 2 } },
    },
  };
}
