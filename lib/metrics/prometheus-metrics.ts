import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  BREAKER_STATES,
  METHODS,
  OTHER_METHOD,
  UNMATCHED_ROUTE,
} from '../contract/resources/diagnostics.ts';
import { JOB_STATUSES } from '../contract/resources/job.ts';
import { BRIDGE_CODES } from '../errors/codes.ts';
import { REFUSAL_REASONS } from '../errors/refusals.ts';
import { METRICS, type MetricRow, toOptions } from './metric-table.ts';
import { type CountedElsewhere, type Metrics, WEBHOOK_RESULTS } from './metrics.ts';

interface Facts {
  readonly version: string;
  /** The registered provider names. No other name becomes a label. */
  readonly providers: readonly string[];
  /** The route table. No other path becomes a label. */
  readonly routes: readonly RouteLabels[];
}

interface RouteLabels {
  readonly method: string;
  readonly path: string;
}

/** The label of operations without a registered provider. */
const NO_PROVIDER = 'none';

const METHOD_LABELS: readonly string[] = [...METHODS, OTHER_METHOD];
const CODES: ReadonlySet<string> = new Set(['ok', ...BRIDGE_CODES]);

// A status has three digits, so the method and the status fit into one number.
const STATUSES = 1000;

/** Creates Prometheus metrics. The library is loaded here, so that a bridge without metrics does not load it. */
export async function createPrometheusMetrics(facts: Facts): Promise<Metrics> {
  const library = await import('prom-client');
  const registry = new library.Registry();
  const counters = createCounters(library, registry);
  const histograms = createHistograms(library, registry);
  const show = createGauges(library, registry, facts);
  const { operations, generatedBytes, generatedImages } = counters;
  beginAtZero(counters, facts);
  const registered = registeredIn(facts.providers);

  const countHttp = createHttpCounts(
    counters.httpRequests,
    histograms.httpRequestSecs,
    facts.routes,
  );

  return {
    httpRequestEnded(ended) {
      countHttp(ended);
      if (ended.refusal !== undefined) counters.refusals.inc({ reason: ended.refusal });
    },
    operationEnded({ provider, operation, result, code, durationMs }) {
      const known = CODES.has(code) ? code : 'internal';
      operations.inc({ provider: registered(provider), operation, result, code: known });
      histograms.operationSecs.observe(durationMs / 1000);
    },
    providerCallEnded: ({ durationMs }) => histograms.providerSecs.observe(durationMs / 1000),
    queued: ({ durationMs }) => histograms.queueSecs.observe(durationMs / 1000),
    imageGenerated({ provider, format, bytes }) {
      generatedImages.inc({ provider: registered(provider), format });
      generatedBytes.inc(bytes);
    },
    normalized: (count) => counters.normalizations.inc(count),
    artifactVerified: (result) => counters.artifactVerifications.inc({ result }),
    circuitTransition: () => counters.circuitTransitions.inc(),
    circuitRejected: () => counters.circuitRejections.inc(),
    taskFailed: ({ task }) => counters.taskFailures.inc({ task }),
    webhookSent: (result) => counters.webhookDeliveries.inc({ result }),
    exposition(now) {
      show(now);
      counters.providerRestarts.reset();
      counters.providerRestarts.inc(now.providerRestarts);
      counters.providerSkippedLines.reset();
      counters.providerSkippedLines.inc(now.providerSkippedLines);
      return registry.metrics();
    },
  };
}

type Library = typeof import('prom-client');

function createCounters(library: Library, registry: Registry) {
  const counter = (row: MetricRow) => new library.Counter(toOptions(row, registry));
  return {
    operations: counter(METRICS.operations),
    generatedBytes: counter(METRICS.generatedBytes),
    generatedImages: counter(METRICS.generatedImages),
    normalizations: counter(METRICS.normalizations),
    providerRestarts: counter(METRICS.providerRestarts),
    providerSkippedLines: counter(METRICS.providerSkippedLines),
    circuitTransitions: counter(METRICS.circuitTransitions),
    circuitRejections: counter(METRICS.circuitRejections),
    httpRequests: counter(METRICS.httpRequests),
    refusals: counter(METRICS.refusals),
    artifactVerifications: counter(METRICS.artifactVerifications),
    taskFailures: counter(METRICS.taskFailures),
    webhookDeliveries: counter(METRICS.webhookDeliveries),
  };
}

/** Starts series at zero, because an alert on an increase would miss the first count of a new series. */
function beginAtZero(
  counters: ReturnType<typeof createCounters>,
  { providers, routes }: Facts,
): void {
  for (const reason of REFUSAL_REASONS) counters.refusals.inc({ reason }, 0);
  for (const result of WEBHOOK_RESULTS) counters.webhookDeliveries.inc({ result }, 0);
  for (const result of ['succeeded', 'failed']) counters.artifactVerifications.inc({ result }, 0);
  for (const { method, path } of routes) counters.httpRequests.labels(path, method, '500').inc(0);
  for (const provider of providers) {
    for (const operation of ['generate', 'edit']) {
      counters.operations.inc({ provider, operation, result: 'failed', code: 'authentication' }, 0);
    }
  }
}

function createHistograms(library: Library, registry: Registry) {
  const histogram = (row: MetricRow & { readonly buckets: readonly number[] }) =>
    new library.Histogram({ ...toOptions(row, registry), buckets: [...row.buckets] });
  return {
    operationSecs: histogram(METRICS.operationSecs),
    providerSecs: histogram(METRICS.providerSecs),
    queueSecs: histogram(METRICS.queueSecs),
    httpRequestSecs: histogram(METRICS.httpRequestSecs),
  };
}

/** Creates the gauges, whose values are read from gates, circuit breakers and the job store at each scrape. */
function createGauges(library: Library, registry: Registry, { version, providers }: Facts) {
  const gauge = (row: MetricRow): Gauge => new library.Gauge(toOptions(row, registry));
  const [depth, active] = [gauge(METRICS.queueDepth), gauge(METRICS.activeOperations)];
  const [circuit, jobs] = [gauge(METRICS.circuitState), gauge(METRICS.jobs)];
  const ready = gauge(METRICS.ready);
  gauge(METRICS.build).set({ version }, 1);

  function showGate(scope: string, gate: { readonly queued: number; readonly active: number }) {
    depth.set({ scope }, gate.queued);
    active.set({ scope }, gate.active);
  }

  return ({ runtime, jobs: counts, isReady }: CountedElsewhere): void => {
    ready.set(isReady ? 1 : 0);
    for (const status of JOB_STATUSES) jobs.set({ status }, counts[status]);
    showGate('global', runtime.global);
    for (const provider of providers) {
      const state = runtime.providers[provider];
      if (!state) continue;
      showGate(provider, state);
      for (const one of BREAKER_STATES) {
        circuit.set({ provider, state: one }, state.breaker.state === one ? 1 : 0);
      }
    }
  };
}

/**
 * Returns the function that counts HTTP requests. Label combinations are created once and cached, because the function runs
 * for every request.
 */
function createHttpCounts(
  requests: Counter,
  secs: Histogram,
  routes: readonly RouteLabels[],
): Metrics['httpRequestEnded'] {
  const toRoute = (route: string) => ({
    secs: secs.labels(route),
    counts: new Map<number, Counter.Internal>(),
    route,
  });
  const unmatched = toRoute(UNMATCHED_ROUTE);
  const byRoute = new Map(routes.map(({ path }) => [path, toRoute(path)]));
  return ({ route, method, status, durationMs }) => {
    const known = byRoute.get(route) ?? unmatched;
    const index = METHOD_LABELS.indexOf(method);
    const methodIndex = index === -1 ? METHOD_LABELS.length - 1 : index;
    const key = methodIndex * STATUSES + status;
    let count = known.counts.get(key);
    if (!count) {
      count = requests.labels(known.route, METHOD_LABELS[methodIndex] ?? '', String(status));
      known.counts.set(key, count);
    }
    count.inc();
    known.secs.observe(durationMs / 1000);
  };
}

function registeredIn(providers: readonly string[]): (name: string | undefined) => string {
  const names = new Set(providers);
  return (name) => (name !== undefined && names.has(name) ? name : NO_PROVIDER);
}
