import type { Webhook } from '../contract/resources/job.ts';

/** Where the end of a job is sent, and which ends are. */
export type WebhookTarget = Webhook;

/** The webhook of a job, and what became of it. */
export interface WebhookRecord extends WebhookTarget {
  /** `waiting` before the job has ended, and for ever where its end is not among the events. */
  readonly state: 'waiting' | 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** The status of the last reply. */
  readonly lastStatus?: number;
}

/** What is to be sent to one host. */
export interface WebhookQueue {
  /** As `URL.host` has it: with its port, unless that is the one of the scheme. */
  readonly host: string;
  /** When the first of it is due. */
  readonly dueMs: number;
}

/** One end of a job that is to be sent now. */
export interface DueWebhook {
  /** Of the job. */
  readonly sequence: number;
  readonly jobId: string;
  readonly scope: string;
  readonly url: string;
  /** How often it was sent before. */
  readonly attempts: number;
}

/** What came of sending it once. */
export type WebhookOutcome = { readonly lastStatus: number | undefined } & (
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly dueMs: number }
);

/**
 * The ends of jobs that are still to be sent. They come with the transaction that ends a job and stay as long as the job.
 * Times are Unix milliseconds. Every method is one transaction and has been made durable when it resolves.
 */
export interface WebhookStore {
  /** One for each host that something is to be sent to. Costs the same whatever was delivered, and whatever is due. */
  listQueues(): Promise<readonly WebhookQueue[]>;
  /** How many are still to be sent, to whatever host. */
  countPending(): Promise<number>;
  /**
   * Those of one host that are due, the longest due first. They are not due again before `untilMs`, whatever becomes of
   * this process.
   */
  claim(request: {
    readonly host: string;
    readonly nowMs: number;
    readonly untilMs: number;
    readonly limit: number;
  }): Promise<readonly DueWebhook[]>;
  /** Notes one more attempt. */
  settle(sequence: number, outcome: WebhookOutcome): Promise<void>;
  /** Makes one that was claimed due again at once, without an attempt. */
  putBack(sequence: number, dueMs: number): Promise<void>;
}
