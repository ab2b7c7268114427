import type { Counter, Gauge, Histogram } from 'prom-client';

/** The definition of a metric. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** The name without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** The upper bounds of the buckets, in seconds. Only for histograms. */
  readonly buckets?: readonly number[];
}

export const PREFIX = 'image_bridge_';

type MetricRows = Readonly<Record<string, MetricRow>>;

/** The metrics of a table under the keys of their rows. */
type MetricsOf<Rows extends MetricRows> = {
  readonly [K in keyof Rows]: {
    readonly counter: Counter;
    readonly gauge: Gauge;
    readonly histogram: Histogram;
  }[Rows[K]['kind']];
};

/** Creates the metrics of a table in a new registry. Loads the library only here, because a program may not need metrics. */
export async function createMetrics<const Rows extends MetricRows>(rows: Rows) {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const create = ({ kind, name, help, labels = [], buckets = [] }: MetricRow) => {
    const options = { name: PREFIX + name, help, labelNames: [...labels], registers: [registry] };
    if (kind === 'histogram') return new Histogram({ ...options, buckets: [...buckets] });
    return kind === 'counter' ? new Counter(options) : new Gauge(options);
  };
  const metrics = Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, create(row)]));
  // The cast is safe because the kind of a row selects the class of its metric.
  return { metrics: metrics as MetricsOf<Rows>, registry };
}

const OPERATION_SECS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 180, 300, 600, 1800] as const;

const HTTP_SECS = [0.001, 0.005, 0.01, 0.05, ...OPERATION_SECS] as const;

const SIGNING_SECS = [0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5] as const;

/** All metrics of the bridge. */
export const METRICS = {
  operations: {
    kind: 'counter',
    name: 'requests_total',
    help: 'Image operations that have ended.',
    labels: ['provider', 'operation', 'result', 'code'],
  },
  operationSecs: {
    kind: 'histogram',
    name: 'operation_duration_seconds',
    help: 'Duration of image operations, including queueing and delivery.',
    buckets: OPERATION_SECS,
  },
  providerSecs: {
    kind: 'histogram',
    name: 'provider_duration_seconds',
    help: 'Duration of provider calls.',
    buckets: OPERATION_SECS,
  },
  costUsd: {
    kind: 'counter',
    name: 'cost_usd_total',
    help: 'Cost of provider calls in US dollars. The basis is reported or priced.',
    labels: ['provider', 'basis'],
  },
  costUnknownImages: {
    kind: 'counter',
    name: 'cost_unknown_images_total',
    help: 'Images that were or may have been made and whose cost is unknown.',
    labels: ['provider'],
  },
  budgetRefusals: {
    kind: 'counter',
    name: 'budget_refusals_total',
    help: 'HTTP requests that were rejected because the budget of their token is too small.',
  },
  queueSecs: {
    kind: 'histogram',
    name: 'queue_duration_seconds',
    help: 'Time for which an operation waited in the queue.',
    buckets: OPERATION_SECS,
  },
  generatedBytes: {
    kind: 'counter',
    name: 'generated_bytes_total',
    help: 'Total size of the encoded images that were delivered.',
  },
  generatedImages: {
    kind: 'counter',
    name: 'generated_images_total',
    help: 'Images that were delivered.',
    labels: ['provider', 'format'],
  },
  normalizations: {
    kind: 'counter',
    name: 'normalizations_total',
    help: 'Parameters that were changed to values supported by the provider.',
  },
  queueDepth: {
    kind: 'gauge',
    name: 'queue_depth',
    help: 'Operations that are waiting at the global gate or at the gate of a provider.',
    labels: ['scope'],
  },
  activeOperations: {
    kind: 'gauge',
    name: 'active_operations',
    help: 'Operations that are running: admitted by a gate and not yet ended.',
    labels: ['scope'],
  },
  jobs: {
    kind: 'gauge',
    name: 'jobs',
    help: 'Durable jobs in the state database, including hidden jobs.',
    labels: ['status'],
  },
  providerRestarts: {
    kind: 'counter',
    name: 'provider_restarts_total',
    help: 'Restarts of the child processes of providers.',
  },
  providerSkippedLines: {
    kind: 'counter',
    name: 'provider_skipped_lines_total',
    help: 'Output lines of the child processes of providers that were skipped because they are not messages.',
  },
  catalogueAge: {
    kind: 'gauge',
    name: 'catalogue_age_seconds',
    help: 'Time since the models of a provider were read from its service.',
    labels: ['provider'],
  },
  circuitState: {
    kind: 'gauge',
    name: 'circuit_state',
    help: '1 for the current state of the circuit breaker of a provider, 0 for the other states.',
    labels: ['provider', 'state'],
  },
  circuitTransitions: {
    kind: 'counter',
    name: 'circuit_transitions_total',
    help: 'State changes of all circuit breakers.',
  },
  circuitRejections: {
    kind: 'counter',
    name: 'circuit_rejections_total',
    help: 'Attempts rejected by an open circuit breaker.',
  },
  httpRequests: {
    kind: 'counter',
    name: 'http_requests_total',
    help: 'HTTP requests that received a reply.',
    labels: ['route', 'method', 'status'],
  },
  stalledReplies: {
    kind: 'counter',
    name: 'stalled_replies_total',
    help: 'Connections that were closed because the client did not read the reply.',
  },
  refusals: {
    kind: 'counter',
    name: 'refusals_total',
    help: 'HTTP requests that were rejected because a resource is full, paused or broken.',
    labels: ['reason'],
  },
  ready: {
    kind: 'gauge',
    name: 'ready',
    help: '1 if the bridge is ready to accept requests, 0 otherwise.',
  },
  httpRequestSecs: {
    kind: 'histogram',
    name: 'http_request_duration_seconds',
    help: 'Time from an HTTP request until its reply is ready.',
    labels: ['route'],
    buckets: HTTP_SECS,
  },
  artifactVerifications: {
    kind: 'counter',
    name: 'artifact_verifications_total',
    help: 'Artifact files that were read, hashed and decoded before delivery.',
    labels: ['result'],
  },
  taskFailures: {
    kind: 'counter',
    name: 'task_failures_total',
    help: 'Failed runs of background tasks, such as retention.',
    labels: ['task'],
  },
  webhookDeliveries: {
    kind: 'counter',
    name: 'webhook_deliveries_total',
    help: 'Attempts to deliver an ended job to a webhook. The result is delivered, retried (another attempt follows) or failed.',
    labels: ['result'],
  },
  signingSecs: {
    kind: 'histogram',
    name: 'signing_duration_seconds',
    help: 'Time to sign an image, including the wait for the credential thread.',
    buckets: SIGNING_SECS,
  },
  marks: {
    kind: 'counter',
    name: 'marks_total',
    help: 'Delivered images by their mark as generated: written by the bridge, existing in the image of the provider, or none.',
    labels: ['result'],
  },
  credentials: {
    kind: 'counter',
    name: 'credentials_total',
    help: 'Delivered images by the credentials (C2PA) that were found and by the credentials of the delivered file.',
    labels: ['found', 'credentials'],
  },
  credentialFailures: {
    kind: 'counter',
    name: 'credential_failures_total',
    help: 'Images that could not be validated or signed. The images are delivered nevertheless.',
    labels: ['reason'],
  },
  build: {
    kind: 'gauge',
    name: 'build_info',
    help: 'Always 1. The `version` label is the version of the running program.',
    labels: ['version'],
  },
} as const satisfies Record<string, MetricRow>;
