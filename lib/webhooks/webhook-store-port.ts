import type { Webhook } from '../contract/resources/job.ts';

/** The URL to which the end of a job is sent, and the types of end that are sent. */
export type WebhookTarget = Webhook;

/** The webhook of a job, with the state of its delivery. */
export interface WebhookRecord extends WebhookTarget {
  /** `waiting` until the job ends. The state stays `waiting` if the end of the job is not among the requested events. */
  readonly state: 'waiting' | 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** The HTTP status of the last reply. */
  readonly lastStatus?: number;
}

/** The pending webhooks of one host. */
export interface WebhookQueue {
  /** The host as in `URL.host`: with its port, unless that is the default port of the scheme. */
  readonly host: string;
  /** The time when the first of these webhooks is due. */
  readonly dueMs: number;
}

/** A webhook to send now. */
export interface DueWebhook {
  /** The sequence of the job. */
  readonly sequence: number;
  readonly jobId: string;
  readonly scope: string;
  readonly url: string;
  /** The number of earlier attempts. */
  readonly attempts: number;
}

/** The result of one attempt. */
export type WebhookOutcome = { readonly lastStatus: number | undefined } & (
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly dueMs: number }
);

/**
 * Stores the webhooks of jobs. A webhook becomes pending in the transaction that ends its job, and is removed with the job.
 * Times are Unix milliseconds. Every method is one transaction and is durable when it resolves.
 */
export interface WebhookStore {
  /** Resolves with one entry for each host with pending webhooks. The cost depends only on the number of hosts. */
  listQueues(): Promise<readonly WebhookQueue[]>;
  /** Resolves with the number of pending webhooks of all hosts. */
  countPending(): Promise<number>;
  /**
   * Resolves with the due webhooks of one host, earliest due first. The returned webhooks are not due again before `untilMs`,
   * even if this process ends.
   */
  claim(request: {
    readonly host: string;
    readonly nowMs: number;
    readonly untilMs: number;
    readonly limit: number;
  }): Promise<readonly DueWebhook[]>;
  /** Records an attempt and its result. */
  settle(sequence: number, outcome: WebhookOutcome): Promise<void>;
  /** Releases a claimed webhook without an attempt. The webhook is due again at `dueMs`. */
  putBack(sequence: number, dueMs: number): Promise<void>;
}
