import type { Route } from '../../handlers/routes.ts';
import { registeredProviders } from '../../lib/config/settings/provider-names.ts';
import type { Config } from '../../lib/config/settings/settings.ts';
import { createEventRing, type EventRing } from '../../lib/diagnostics/event-ring.ts';
import type { HttpObserver } from '../../lib/http/observer-port.ts';
import { type Metrics, silentMetrics } from '../../lib/metrics/metrics.ts';
import { createPrometheusMetrics } from '../../lib/metrics/prometheus-metrics.ts';
import type { Clock } from '../../lib/platform/clock.ts';

interface Deps {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly clock: Clock;
  /** The version of the package. */
  readonly version: string;
}

/** The recorders of replies. They are created before the app, so that the first reply is recorded too. */
interface Observation {
  readonly events: EventRing;
  readonly metrics: Metrics;
  readonly observer: HttpObserver;
}

/** Creates the event ring, the metrics, and the observer that records each reply in both. */
export async function openObservation(deps: Deps): Promise<Observation> {
  const events = createEventRing({ clock: deps.clock });
  const metrics = await openMetrics(deps);
  const observer: HttpObserver = {
    replied(reply) {
      events.replied(reply);
      metrics.httpRequestEnded(reply);
    },
  };
  return { events, metrics, observer };
}

async function openMetrics({ config, routes, version }: Deps): Promise<Metrics> {
  if (!config.server.metrics.enabled) return silentMetrics;
  return createPrometheusMetrics({
    version,
    providers: registeredProviders(config).map(({ name }) => name),
    routes,
  });
}
