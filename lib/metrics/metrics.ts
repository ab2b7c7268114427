import type { OutputFormat } from '../contract/request/parameters.ts';
import type { Diagnostics } from '../contract/resources/diagnostics.ts';
import type { BridgeCode } from '../errors/codes.ts';
import type { RefusalReason } from '../errors/refusals.ts';

type BreakerState = Diagnostics['runtime']['providers'][string]['breaker']['state'];

/** What gates, breakers, providers and the store of jobs count themselves. */
export interface CountedElsewhere {
  readonly runtime: Diagnostics['runtime'];
  readonly jobs: Diagnostics['jobs']['by_status'];
  /** Of all providers. */
  readonly providerRestarts: number;
  readonly providerSkippedLines: number;
  /** As `/health/ready` says. */
  readonly isReady: boolean;
}

/**
 * What happened; the table decides which metrics count it. None of these throws,
 * and none waits. A name that is not registered never becomes a label.
 */
export interface Metrics {
  httpRequestEnded(ended: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly durationMs: number;
    readonly refusal?: RefusalReason;
  }): void;
  /** Once for each image operation; `provider` is undefined where it ended before one was chosen. */
  operationEnded(ended: {
    readonly provider: string | undefined;
    readonly operation: 'generate' | 'edit';
    readonly result: 'succeeded' | 'failed';
    readonly code: BridgeCode | 'ok';
    readonly durationMs: number;
  }): void;
  providerCallEnded(ended: { readonly provider: string; readonly durationMs: number }): void;
  /** An operation has left the queue of a gate; a wait of 0 counts too. */
  queued(wait: { readonly durationMs: number }): void;
  imageGenerated(image: {
    readonly provider: string;
    readonly format: OutputFormat;
    readonly bytes: number;
  }): void;
  normalized(count: number): void;
  artifactVerified(result: 'succeeded' | 'failed'): void;
  circuitTransition(transition: {
    readonly provider: string;
    readonly from: BreakerState;
    readonly to: BreakerState;
  }): void;
  circuitRejected(rejection: { readonly provider: string }): void;
  /** A run of a task has failed; its name is one of the program's own. */
  taskFailed(failure: { readonly task: string }): void;
  /** The end of a job was sent to its webhook once. */
  webhookSent(result: (typeof WEBHOOK_RESULTS)[number]): void;
  /** Everything as Prometheus text (version 0.0.4), with what is counted elsewhere as it is now. */
  exposition(now: CountedElsewhere): Promise<string>;
}

/** What becomes of an attempt: `retried` is one that another one follows. */
export const WEBHOOK_RESULTS = ['delivered', 'retried', 'failed'] as const;

/** Metrics that count nothing: `server.metrics.enabled = false`. */
export const silentMetrics: Metrics = {
  httpRequestEnded: () => {},
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
  exposition: async () => '',
};
