import type { Admission } from './admission/admission.ts';
import type { AppJobs } from './app-jobs.ts';
import type { Readiness } from './diagnostics/readiness.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Provider } from './providers/provider-port.ts';
import type { ProviderRegistry } from './providers/registry.ts';

interface Parts {
  readonly admission: Pick<Admission, 'snapshot'>;
  readonly appJobs: Pick<AppJobs, 'state'>;
  readonly registry: Pick<ProviderRegistry, 'all'>;
  readonly readiness: Pick<Readiness, 'isReady'>;
}

/** Creates the exposition of the metrics, which reads gates, providers, jobs and readiness at each scrape. */
export function openExposition(
  metrics: Pick<Metrics, 'exposition'>,
  { admission, appJobs, registry, readiness }: Parts,
) {
  const sumOf = (countOf: (provider: Provider) => number | undefined) =>
    registry.all.reduce((sum, provider) => sum + (countOf(provider) ?? 0), 0);
  return {
    async exposition(): Promise<string> {
      const { byStatus } = await appJobs.state.totals();
      return metrics.exposition({
        runtime: admission.snapshot(),
        jobs: byStatus,
        providerRestarts: sumOf((provider) => provider.restarts?.()),
        providerSkippedLines: sumOf((provider) => provider.skippedLines?.()),
        isReady: await readiness.isReady(),
      });
    },
  };
}
