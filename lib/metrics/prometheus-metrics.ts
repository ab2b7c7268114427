import type { Counter } from 'prom-client';
import { FOUND, MARK_RESULTS } from '../contract/reply/provenance.ts';
import {
  BREAKER_STATES,
  METHODS,
  OTHER_METHOD,
  UNMATCHED_ROUTE,
} from '../contract/resources/diagnostics.ts';
import { JOB_STATUSES } from '../contract/resources/job.ts';
import { BRIDGE_CODES } from '../errors/codes.ts';
import { REFUSAL_REASONS } from '../errors/refusals.ts';
import { createMetrics, METRICS } from './metric-table.ts';
import {
  type CountedElsewhere,
  CREDENTIAL_FAILURES,
  type Metrics,
  WEBHOOK_RESULTS,
} from './metrics.ts';

interface Facts {
  readonly version: string;
  /** The registered provider names. Only these names are used as label values. */
  readonly providers: readonly string[];
  /** The route table. Only the paths of this table are used as label values. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
}

/** The value of the label `provider` for operations without a registered provider. */
const NO_PROVIDER = 'none';

const METHOD_LABELS: readonly string[] = [...METHODS, OTHER_METHOD];
const CODES: ReadonlySet<string> = new Set(['ok', ...BRIDGE_CODES]);

// A status is less than 1000, so one number can contain the index of the method and the status.
const STATUSES = 1000;

type AllMetrics = Awaited<ReturnType<typeof createMetrics<typeof METRICS>>>['metrics'];

/** Creates Prometheus metrics. */
export async function createPrometheusMetrics(facts: Facts): Promise<Metrics> {
  const { metrics, registry } = await createMetrics(METRICS);
  metrics.build.set({ version: facts.version }, 1);
  beginAtZero(metrics, facts);
  const names = new Set(facts.providers);
  const registered = (name = NO_PROVIDER) => (names.has(name) ? name : NO_PROVIDER);
  const countHttp = createHttpCounts(metrics, facts.routes);

  return {
    httpRequestEnded(ended) {
      countHttp(ended);
      if (ended.refusal !== undefined) metrics.refusals.inc({ reason: ended.refusal });
      if (ended.refusal === 'budget') metrics.budgetRefusals.inc();
    },
    replyStalled: () => metrics.stalledReplies.inc(),
    operationEnded({ provider, operation, result, code, durationMs }) {
      const known = CODES.has(code) ? code : 'internal';
      metrics.operations.inc({ provider: registered(provider), operation, result, code: known });
      metrics.operationSecs.observe(durationMs / 1000);
    },
    providerCallEnded({ durationMs, provider: name, cost, unpriced }) {
      metrics.providerSecs.observe(durationMs / 1000);
      const provider = registered(name);
      // The known part of an unknown cost was reported or priced by an earlier try. This part counts as priced, because that is the
      // weaker basis.
      const basis = cost.basis === 'unknown' ? 'priced' : cost.basis;
      if (cost.amount > 0n) metrics.costUsd.inc({ provider, basis }, Number(cost.amount) / 1e10);
      if (unpriced > 0) metrics.costUnknownImages.inc({ provider }, unpriced);
    },
    queued: ({ durationMs }) => metrics.queueSecs.observe(durationMs / 1000),
    imageGenerated({ provider, format, bytes }) {
      metrics.generatedImages.inc({ provider: registered(provider), format });
      metrics.generatedBytes.inc(bytes);
    },
    normalized: (count) => metrics.normalizations.inc(count),
    artifactVerified: (result) => metrics.artifactVerifications.inc({ result }),
    circuitTransition: () => metrics.circuitTransitions.inc(),
    circuitRejected: () => metrics.circuitRejections.inc(),
    taskFailed: ({ task }) => metrics.taskFailures.inc({ task }),
    webhookSent: (result) => metrics.webhookDeliveries.inc({ result }),
    imageDescribed({ found, credentials, mark }) {
      metrics.credentials.inc({ found, credentials });
      metrics.marks.inc({ result: mark });
    },
    signed: ({ durationMs }) => metrics.signingSecs.observe(durationMs / 1000),
    credentialsFailed: (reason) => metrics.credentialFailures.inc({ reason }),
    exposition(now) {
      showGauges(metrics, facts.providers, now);
      metrics.providerRestarts.reset();
      metrics.providerRestarts.inc(now.providerRestarts);
      metrics.providerSkippedLines.reset();
      metrics.providerSkippedLines.inc(now.providerSkippedLines);
      return registry.metrics();
    },
  };
}

/** The outcomes for an image that was made without credentials, and for an image with earlier credentials. */
const NEW_CREDENTIALS = ['none', 'signed'] as const;
const EARLIER_CREDENTIALS = ['kept', 'resigned', 'dropped'] as const;

/** Creates series with the value 0, because an alert on an increase does not detect the first count of a new series. */
function beginAtZero(counters: AllMetrics, { providers, routes }: Facts): void {
  for (const reason of REFUSAL_REASONS) counters.refusals.inc({ reason }, 0);
  for (const result of WEBHOOK_RESULTS) counters.webhookDeliveries.inc({ result }, 0);
  for (const result of MARK_RESULTS) counters.marks.inc({ result }, 0);
  for (const found of FOUND) {
    for (const credentials of found === 'none' ? NEW_CREDENTIALS : EARLIER_CREDENTIALS) {
      counters.credentials.inc({ found, credentials }, 0);
    }
  }
  for (const reason of CREDENTIAL_FAILURES) counters.credentialFailures.inc({ reason }, 0);
  for (const result of ['succeeded', 'failed']) counters.artifactVerifications.inc({ result }, 0);
  for (const { method, path } of routes) counters.httpRequests.labels(path, method, '500').inc(0);
  for (const provider of providers) {
    for (const operation of ['generate', 'edit']) {
      counters.operations.inc({ provider, operation, result: 'failed', code: 'authentication' }, 0);
    }
  }
}

/** Sets the gauges to the current values. */
function showGauges(
  { ready, jobs, queueDepth, activeOperations, circuitState, catalogueAge }: AllMetrics,
  providers: readonly string[],
  { runtime, jobs: counts, isReady, catalogueAges }: CountedElsewhere,
): void {
  const showGate = (scope: string, { queued, active }: CountedElsewhere['runtime']['global']) => {
    queueDepth.set({ scope }, queued);
    activeOperations.set({ scope }, active);
  };
  ready.set(isReady ? 1 : 0);
  for (const status of JOB_STATUSES) jobs.set({ status }, counts[status]);
  for (const { provider, ageSecs } of catalogueAges) {
    if (providers.includes(provider)) catalogueAge.set({ provider }, ageSecs);
  }
  showGate('global', runtime.global);
  for (const provider of providers) {
    const gate = runtime.providers[provider];
    if (!gate) continue;
    showGate(provider, gate);
    for (const state of BREAKER_STATES) {
      circuitState.set({ provider, state }, gate.breaker.state === state ? 1 : 0);
    }
  }
}

/** Returns the function that counts HTTP requests. Caches each combination of labels, because the function runs for every request. */
function createHttpCounts(
  { httpRequests, httpRequestSecs }: AllMetrics,
  routes: Facts['routes'],
): Metrics['httpRequestEnded'] {
  const toRoute = (route: string) => ({
    secs: httpRequestSecs.labels(route),
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
      count = httpRequests.labels(known.route, METHOD_LABELS[methodIndex] ?? '', String(status));
      known.counts.set(key, count);
    }
    count.inc();
    known.secs.observe(durationMs / 1000);
  };
}
