import type { Cost } from '../contract/reply/cost.ts';
import type { Provenance } from '../contract/reply/provenance.ts';
import type { OutputFormat } from '../contract/request/parameters.ts';
import type { Diagnostics } from '../contract/resources/diagnostics.ts';
import type { BridgeCode } from '../errors/codes.ts';
import type { RefusalReason } from '../errors/refusals.ts';

/** The values that are read from gates, circuit breakers, providers and the job store at each scrape. */
export interface CountedElsewhere {
  readonly runtime: Diagnostics['runtime'];
  readonly jobs: Diagnostics['jobs']['by_status'];
  /** The sum over all providers. */
  readonly providerRestarts: number;
  readonly providerSkippedLines: number;
  /** The time since the latest good answer, for each provider whose service has published its models. */
  readonly catalogueAges: readonly { readonly provider: string; readonly ageSecs: number }[];
  /** True if `/health/ready` returns 200. */
  readonly isReady: boolean;
}

/** Counts events. No function throws or waits. Only registered names are used as label values. */
export interface Metrics {
  httpRequestEnded(ended: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly durationMs: number;
    readonly refusal?: RefusalReason;
  }): void;
  /** Call when a connection was closed because its client did not read the reply. */
  replyStalled(): void;
  /** Call once per image operation. `provider` is undefined if the operation ended before a provider was chosen. */
  operationEnded(ended: {
    readonly provider: string | undefined;
    readonly operation: 'generate' | 'edit';
    readonly result: 'succeeded' | 'failed';
    readonly code: BridgeCode | 'ok';
    readonly durationMs: number;
  }): void;
  providerCallEnded(ended: {
    readonly durationMs: number;
    readonly provider: string;
    readonly cost: Cost;
    /** The number of images whose cost is unknown. */
    readonly unpriced: number;
  }): void;
  /** Call when an operation has left the queue of a gate, even if the operation waited 0 ms. */
  queued(wait: { readonly durationMs: number }): void;
  imageGenerated(image: {
    readonly provider: string;
    readonly format: OutputFormat;
    readonly bytes: number;
  }): void;
  normalized(count: number): void;
  artifactVerified(result: 'succeeded' | 'failed'): void;
  circuitTransition(): void;
  circuitRejected(): void;
  /** Call when a run of a background task has failed. */
  taskFailed(failure: { readonly task: string }): void;
  /** Call after each attempt to send an ended job to its webhook. */
  webhookSent(result: (typeof WEBHOOK_RESULTS)[number]): void;
  /** Call for each image that is delivered. */
  imageDescribed(provenance: Pick<Provenance, 'found' | 'credentials' | 'mark'>): void;
  /** Call after each attempt to sign an image, whether or not it was signed. */
  signed(attempt: { readonly durationMs: number }): void;
  /** Call when an image could not be validated or signed. */
  credentialsFailed(reason: CredentialFailure): void;
  /** Resolves with all metrics in the Prometheus text format (version 0.0.4). `now` has the current values of the gauges. */
  exposition(now: CountedElsewhere): Promise<string>;
}

/** The results of an attempt to deliver a webhook. Another attempt follows after `retried`. */
export const WEBHOOK_RESULTS = ['delivered', 'retried', 'failed'] as const;

/**
 * The reasons why an image could not be validated or signed. `busy`: the queue was full. `timed_out`: the task took too long.
 * `trapped`: the library or its thread failed. `memory`: the library needed too much memory. `closed`: the bridge stops.
 * `expired`: the certificate has ended. `refused`: the library does not sign this image. `altered`: signing changed other bytes
 * of the image, and the result was discarded.
 */
export const CREDENTIAL_FAILURES = [
  'busy',
  'timed_out',
  'trapped',
  'memory',
  'closed',
  'expired',
  'refused',
  'altered',
] as const;

export type CredentialFailure = (typeof CREDENTIAL_FAILURES)[number];

/** Metrics that ignore all events, for `server.metrics.enabled = false`. */
export const silentMetrics: Metrics = {
  httpRequestEnded: () => {},
  replyStalled: () => {},
  operationEnded: () => {},
  providerCallEnded: () => {},
  queued: () => {},
  imageGenerated: () => {},
  normalized: () => {},
  artifactVerified: () => {},
  circuitTransition: () => {},
  circuitRejected: () => {},
  taskFailed: () => {},
  webhookSent: () => {},
  imageDescribed: () => {},
  signed: () => {},
  credentialsFailed: () => {},
  exposition: async () => '',
};
