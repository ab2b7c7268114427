import type { Route } from '../../handlers/routes.ts';
import { registeredProviders } from '../../lib/config/settings/provider-names.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { createEventRing } from '../../lib/diagnostics/event-ring.ts';
import type { HttpObserver } from '../../lib/http/observer-port.ts';
import { silentMetrics } from '../../lib/metrics/metrics.ts';
import { createPrometheusMetrics } from '../../lib/metrics/prometheus-metrics.ts';
import type { Clock } from '../../lib/platform/clock.ts';

interface Deps {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly clock: Clock;
  /** The version of the package. */
  readonly version: string;
}

/**
 * Creates the event ring, the metrics, and the observer that records each reply in both. Called before the app is built, so
 * that the first reply is also recorded.
 */
export async function openObservation({ config, routes, clock, version }: Deps) {
  const events = createEventRing({ clock });
  const providers = registeredProviders(config).map(({ name }) => name);
  const metrics = config.server.metrics.enabled
    ? await createPrometheusMetrics({ version, providers, routes })
    : silentMetrics;
  const observer: HttpObserver = {
    replied(reply) {
      events.replied(reply);
      metrics.httpRequestEnded(reply);
    },
    stalled: metrics.replyStalled,
  };
  return { events, metrics, observer };
}
