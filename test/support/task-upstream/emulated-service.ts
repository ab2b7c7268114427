import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../upstream/refusal.ts';

/**
 * One emulated service: its addresses, its checks and the forms of its replies. The engine (`task-upstream.ts`) checks keys
 * and ids, runs tasks, serves images and keeps the ledger.
 */
export interface EmulatedService {
  /** The name in the setting `service`. */
  readonly name: string;
  /** A model that generates and edits, with which the contract tests run. */
  readonly model: string;
  /** The header with the key, and the text before the key. */
  readonly keyHeader: { readonly name: string; readonly prefix: string };
  /** True if a task that failed is not charged. */
  readonly failsFree?: true;
  /** True if a reply has only one member for the image, so that it cannot contain too many. */
  readonly hasOneImage?: true;
  /** Returns true for the path of a submission. */
  isSubmission(path: string): boolean;
  /** Checks a submission strictly. Throws `Refusal` for an unknown model and for unknown, missing or invalid inputs. */
  check(submission: SentSubmission): Promise<Order>;
  /** Returns the paths of a task with their queries. */
  paths(id: string, order: Order): TaskPaths;
  /** Returns the reply to an accepted submission. The task may have ended already. */
  accepted(task: EmulatedTask): Reply;
  /** Returns the reply to a poll. */
  polled(task: EmulatedTask): Reply;
  /** Returns the reply to a request for the result. Present if tasks have a result path. */
  result?(task: EmulatedTask): Reply;
  readonly cancel?: {
    readonly method: 'POST' | 'PUT';
    /** True if the replies to polls say that a task was cancelled before it began. */
    readonly statesNotBegun?: true;
    /** Returns the reply to the first request to cancel the task. */
    reply(task: EmulatedTask): Reply;
  };
  /** The replies with the models and their prices, by path. */
  readonly catalogue?: Readonly<Record<string, (query: URLSearchParams) => Reply>>;
  /** The charges of tasks, at a path of the API. */
  readonly billing?: {
    readonly path: string;
    /** Returns the charges of ended tasks. Throws `Refusal` for a query that a correct client never sends. */
    reply(query: URLSearchParams, tasks: readonly EmulatedTask[]): Reply;
  };
  /** Returns the body of an error in the form of the service. */
  errorBody(refusal: Refusal): unknown;
  /** Returns the charge for a task in units of 10^-10 USD, with the rounding of the service. */
  charge(order: Order): bigint;
}

export interface SentSubmission {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A submission that the service accepts. */
export interface Order {
  readonly model: string;
  readonly prompt: string;
  /** Number of images. */
  readonly count: number;
  readonly width: number;
  readonly height: number;
  readonly format: 'png' | 'jpeg' | 'webp';
  /** Number of input images. */
  readonly inputs: number;
  /** The inputs as they were sent. Images in a form are left out. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface TaskPaths {
  readonly poll: string;
  readonly result?: string;
  readonly cancel?: string;
}

/**
 * The phase of a task. `aborted`: cancelled before it began, free. `canceled`: cancelled while it ran, charged. `unheard_of`:
 * a phase that no client knows.
 */
export type Phase =
  | 'queued'
  | 'running'
  | 'unheard_of'
  | 'done'
  | 'failed'
  | 'moderated'
  | 'aborted'
  | 'canceled'
  | 'lost';

export interface EmulatedTask {
  readonly id: string;
  readonly order: Order;
  readonly phase: Phase;
  /** Origin of the server. */
  readonly origin: string;
  /** The URLs of the task. A URL of a foreign host replaces the poll URL if a test asks for it. */
  readonly urls: TaskPaths;
  /** The URLs of the images of a finished task. */
  readonly images: readonly string[];
  /** The charge in units of 10^-10 USD. */
  readonly charge: bigint;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json: unknown;
}
