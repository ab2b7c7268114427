/** One metric with all that is written of it. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in seconds; for histograms alone. */
  readonly buckets?: readonly number[];
}

export const PREFIX = 'image_bridge_';

const OPERATION_SECS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 180, 300, 600, 1800] as const;

const HTTP_SECS = [0.001, 0.005, 0.01, 0.05, ...OPERATION_SECS] as const;

/** Every metric, once: contract.md 12. */
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
    help: 'How long image operations took, queue and delivery included.',
    labels: [],
    buckets: OPERATION_SECS,
  },
  providerSecs: {
    kind: 'histogram',
    name: 'provider_duration_seconds',
    help: 'How long calls of providers took.',
    labels: [],
    buckets: OPERATION_SECS,
  },
  queueSecs: {
    kind: 'histogram',
    name: 'queue_duration_seconds',
    help: 'How long operations waited in the queue.',
    labels: [],
    buckets: OPERATION_SECS,
  },
  generatedBytes: {
    kind: 'counter',
    name: 'generated_bytes_total',
    help: 'Encoded bytes of the images that were delivered.',
    labels: [],
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
    help: 'Parameters that were changed to what the provider can do.',
    labels: [],
  },
  queueDepth: {
    kind: 'gauge',
    name: 'queue_depth',
    help: 'Operations that wait at a gate: the global one, or that of a provider.',
    labels: ['scope'],
  },
  activeOperations: {
    kind: 'gauge',
    name: 'active_operations',
    help: 'Operations that have passed a gate and not ended.',
    labels: ['scope'],
  },
  jobs: {
    kind: 'gauge',
    name: 'jobs',
    help: 'Durable jobs in the state database, hidden ones included.',
    labels: ['status'],
  },
  providerRestarts: {
    kind: 'counter',
    name: 'provider_restarts_total',
    help: 'How often the child process of a provider was started again.',
    labels: [],
  },
  providerSkippedLines: {
    kind: 'counter',
    name: 'provider_skipped_lines_total',
    help: 'Lines of the child process of a provider that are no messages, and were skipped.',
    labels: [],
  },
  circuitState: {
    kind: 'gauge',
    name: 'circuit_state',
    help: '1 for the state that the circuit breaker of a provider is in.',
    labels: ['provider', 'state'],
  },
  circuitTransitions: {
    kind: 'counter',
    name: 'circuit_transitions_total',
    help: 'Changes of state of all circuit breakers.',
    labels: [],
  },
  circuitRejections: {
    kind: 'counter',
    name: 'circuit_rejections_total',
    help: 'Attempts that an open circuit breaker refused.',
    labels: [],
  },
  httpRequests: {
    kind: 'counter',
    name: 'http_requests_total',
    help: 'HTTP requests that got a reply.',
    labels: ['route', 'method', 'status'],
  },
  refusals: {
    kind: 'counter',
    name: 'refusals_total',
    help: 'HTTP requests that were refused because something is full, paused or broken.',
    labels: ['reason'],
  },
  ready: {
    kind: 'gauge',
    name: 'ready',
    help: '1 while the bridge takes work, as its readiness says.',
    labels: [],
  },
  httpRequestSecs: {
    kind: 'histogram',
    name: 'http_request_duration_seconds',
    help: 'How long it took until the reply to an HTTP request was ready.',
    labels: ['route'],
    buckets: HTTP_SECS,
  },
  artifactVerifications: {
    kind: 'counter',
    name: 'artifact_verifications_total',
    help: 'Artifact files that were read, hashed and decoded before they were handed out.',
    labels: ['result'],
  },
  taskFailures: {
    kind: 'counter',
    name: 'task_failures_total',
    help: 'Failed runs of the tasks that the bridge repeats, such as retention.',
    labels: ['task'],
  },
  webhookDeliveries: {
    kind: 'counter',
    name: 'webhook_deliveries_total',
    help: 'Attempts to deliver the end of a job to a webhook: delivered, retried later, or failed for good.',
    labels: ['result'],
  },
  build: {
    kind: 'gauge',
    name: 'build_info',
    help: '1, with the version of the bridge that runs.',
    labels: ['version'],
  },
} as const satisfies Record<string, MetricRow>;
