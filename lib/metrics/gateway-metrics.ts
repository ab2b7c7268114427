import type { MetricRow } from './metric-table.ts';
import { PREFIX } from './metric-table.ts';

const SECS = [0.001, 0.01, 0.1, 1, 10, 30, 60, 120, 300, 600, 1200, 1800, 2400] as const;

/** Every metric of a gateway, once. */
const METRICS = {
  replies: {
    kind: 'counter',
    name: 'gateway_replies_total',
    help: 'Replies to requests, by who made them: a slot, or the gateway itself, which also counts those that a slot cut.',
    labels: ['source', 'status'],
  },
  disconnects: {
    kind: 'counter',
    name: 'gateway_disconnects_total',
    help: 'Clients that disconnected before the end of their reply.',
    labels: [],
  },
  replySecs: {
    kind: 'histogram',
    name: 'gateway_reply_duration_seconds',
    help: 'How long replies took, from the head of the request to the last byte, the hold included.',
    labels: [],
    buckets: SECS,
  },
  holdSecs: {
    kind: 'histogram',
    name: 'gateway_hold_duration_seconds',
    help: 'How long requests were held before they were sent to a slot.',
    labels: [],
    buckets: SECS,
  },
  held: {
    kind: 'gauge',
    name: 'gateway_held_requests',
    help: 'Requests that are held now.',
    labels: [],
  },
  inFlight: {
    kind: 'gauge',
    name: 'gateway_requests_in_flight',
    help: 'Requests without a complete reply, held ones included.',
    labels: [],
  },
  target: {
    kind: 'gauge',
    name: 'gateway_target',
    help: '1 for what the coordination file says: blue, green or hold.',
    labels: ['target'],
  },
  handoff: {
    kind: 'gauge',
    name: 'gateway_handoff_runs',
    help: '1 while a handoff of these slots runs, 0 when none does or when it ended without ending what it began.',
    labels: [],
  },
  build: {
    kind: 'gauge',
    name: 'build_info',
    help: '1, with the version of the program that runs.',
    labels: ['version'],
  },
} as const satisfies Record<string, MetricRow>;

const TARGETS = ['blue', 'green', 'hold'] as const;

/** What the gateway counts itself. */
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
  /** Everything as Prometheus text (version 0.0.4). */
  exposition(now: GatewayCounts): Promise<string>;
}

export const silentGatewayMetrics: GatewayMetrics = {
  replied: () => {},
  disconnected: () => {},
  released: () => {},
  exposition: async () => '',
};

export async function createGatewayMetrics(version: string): Promise<GatewayMetrics> {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const options = ({ name, help, labels }: MetricRow) => ({
    name: PREFIX + name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const histogram = (row: MetricRow & { readonly buckets: readonly number[] }) =>
    new Histogram({ ...options(row), buckets: [...row.buckets] });
  const replies = new Counter(options(METRICS.replies));
  // An alert that asks for an increase misses the first count of a series that begins with it.
  for (const status of [502, 503, 504]) replies.inc({ source: 'gateway', status }, 0);
  const disconnects = new Counter(options(METRICS.disconnects));
  const [replySecs, holdSecs] = [histogram(METRICS.replySecs), histogram(METRICS.holdSecs)];
  const [held, inFlight] = [new Gauge(options(METRICS.held)), new Gauge(options(METRICS.inFlight))];
  const target = new Gauge(options(METRICS.target));
  const handoff = new Gauge(options(METRICS.handoff));
  new Gauge(options(METRICS.build)).set({ version }, 1);
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
