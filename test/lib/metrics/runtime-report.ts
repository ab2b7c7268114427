import type { Diagnostics } from '../../../lib/contract/diagnostics.ts';

type Runtime = Diagnostics['runtime'];
type BreakerState = Runtime['providers'][string]['breaker']['state'];

/** Gates with something in them, and the breaker of one provider. */
export function runtimeReport(state: BreakerState = 'closed', provider = 'sandbox'): Runtime {
  const limits = { max_concurrent: 4, max_queued: 'unlimited' } as const;
  return {
    global: { active: 2, queued: 5, ...limits },
    providers: {
      [provider]: { active: 1, queued: 3, ...limits, breaker: { state, failures: 1, opens: 2 } },
    },
  };
}
