import { createMetrics, type MetricRow } from './metric-table.ts';

const SECS = [0.001, 0.01, 0.1, 1, 10, 30, 60, 120, 300, 600, 1200, 1800, 2400] as const;

/** All metrics of the gateway. */
const METRICS = {
  replies: {
    kind: 'counter',
    name: 'gateway_replies_total',
    help: 'Replies to requests. The source is a slot or the gateway. A reply that a slot cut off counts as a reply of the gateway.',
    labels: ['source', 'status'],
  },
  disconnects: {
    kind: 'counter',
    name: 'gateway_disconnects_total',
    help: 'Clients that disconnected before the end of the reply.',
  },
  replySecs: {
    kind: 'histogram',
    name: 'gateway_reply_duration_seconds',
    help: 'Time from the request head to the last byte of the reply, including the hold.',
    buckets: SECS,
  },
  holdSecs: {
    kind: 'histogram',
    name: 'gateway_hold_duration_seconds',
    help: 'Time for which a request was held before the request was sent to a slot.',
    buckets: SECS,
  },
  held: {
    kind: 'gauge',
    name: 'gateway_held_requests',
    help: 'Requests that are held now.',
  },
  inFlight: {
    kind: 'gauge',
    name: 'gateway_requests_in_flight',
    help: 'Requests without a complete reply, including held requests.',
  },
  target: {
    kind: 'gauge',
    name: 'gateway_target',
    help: '1 for the current target in the coordination file (blue, green or hold), 0 for the other targets.',
    labels: ['target'],
  },
  handoff: {
    kind: 'gauge',
    name: 'gateway_handoff_runs',
    help: '1 while a handoff of the slots runs, 0 if no handoff runs or the last handoff was interrupted.',
  },
  build: {
    kind: 'gauge',
    name: 'build_info',
    help: 'Always 1. The `version` label is the version of the running program.',
    labels: ['version'],
  },
} as const satisfies Record<string, MetricRow>;

const TARGETS = ['blue', 'green', 'hold'] as const;

/** The values that the gateway tracks itself. */
interface GatewayCounts {
  readonly held: number;
  readonly inFlight: number;
  readonly target: (typeof TARGETS)[number];
  readonly isHandingOff: boolean;
}

export interface GatewayMetrics {
  replied(reply: {
    readonly source: 'blue' | 'green' | 'gateway';
    readonly status: number;
    readonly durationMs: number;
  }): void;
  disconnected(): void;
  released(held: { readonly durationMs: number }): void;
  /** Resolves with all metrics in the Prometheus text format (version 0.0.4). */
  exposition(now: GatewayCounts): Promise<string>;
}

export const silentGatewayMetrics: GatewayMetrics = {
  replied: () => {},
  disconnected: () => {},
  released: () => {},
  exposition: async () => '',
};

export async function createGatewayMetrics(version: string): Promise<GatewayMetrics> {
  const { metrics, registry } = await createMetrics(METRICS);
  const { replies, disconnects, replySecs, holdSecs, held, inFlight, target, handoff } = metrics;
  metrics.build.set({ version }, 1);
  // Creates these series with the value 0, because an alert on an increase does not detect the first count of a new series.
  for (const status of [502, 503, 504]) replies.inc({ source: 'gateway', status }, 0);
  return {
    replied({ source, status, durationMs }) {
      replies.inc({ source, status });
      replySecs.observe(durationMs / 1000);
    },
    disconnected: () => disconnects.inc(),
    released: ({ durationMs }) => holdSecs.observe(durationMs / 1000),
    exposition(now) {
      held.set(now.held);
      inFlight.set(now.inFlight);
      handoff.set(now.isHandingOff ? 1 : 0);
      for (const one of TARGETS) target.set({ target: one }, one === now.target ? 1 : 0);
      return registry.metrics();
    },
  };
}
