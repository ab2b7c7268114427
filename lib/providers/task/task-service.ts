import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { CallEffect } from '../../errors/call-effect.ts';
import type { FailureRow } from '../backend/failures.ts';
import type { BillingSource } from '../billing/billing.ts';
import type { CatalogueKind } from '../catalogue/catalogue-page.ts';
import type { FormPart } from '../http/multipart-body.ts';
import type {
  CallFacts,
  CallOutline,
  MaskForm,
  ProviderInput,
  ProviderRequest,
} from '../provider-port.ts';

/**
 * One image service with tasks: data and pure functions. The engine (`task-run.ts`) sends the requests, keeps the times
 * and limits, and decides what is repeated. A new service is one file in `services/` and one line in `task-services.ts`.
 */
export interface TaskService {
  readonly displayName: string;
  /** The address of the service. Absent if `base_url` must be set. */
  readonly baseUrl?: string;
  /**
   * The hosts of the API besides the origin of `base_url`: exact names, or `*.` and a suffix. A poll, result or cancel
   * URL of another host is not requested, because the key would be sent to that host.
   */
  readonly apiHosts: readonly string[];
  /** The hosts of images besides the origin of `base_url` and `result_hosts`: exact names, or `*.` and a suffix. */
  readonly resultHosts: readonly string[];
  readonly limits: TaskLimits;
  /** Returns the headers with the key. The headers are sent only to the hosts of the API. */
  keyHeaders(key: string): Readonly<Record<string, string>>;
  /** Returns the shipped model with this name, or undefined if the service ships no model with this name. */
  model(name: string): TaskModel | undefined;
  /** The model whose capabilities an unknown name has. Absent if every model must be known. */
  readonly usualModel?: TaskModel;
  /**
   * Returns the request that submits a task. `remainingMs` is the time until the deadline of the call in milliseconds, for
   * services that can end a task by themselves.
   */
  submission(call: TaskCall, remainingMs: number): Submission;
  /**
   * Returns the ticket and the state in the reply to a submission with a 2xx status. Returns undefined if the reply does
   * not have the form of the service. The call then ends with `protocol` and an unknown outcome.
   */
  accepted(reply: TaskReply): Accepted | undefined;
  /**
   * Returns the state in a 2xx reply to a poll. An unknown status is `waiting`, because services add statuses. Returns
   * undefined if the reply does not have the form of the service.
   */
  polled(reply: TaskReply): TaskState | undefined;
  /** Returns the state in a 2xx reply to the ticket's `result` URL. Present if tickets have this URL. */
  result?(reply: TaskReply): TaskState | undefined;
  /** Method of the request to a ticket's `cancel` URL. Absent if the service cannot cancel. */
  readonly cancelMethod?: 'POST' | 'PUT';
  /**
   * Returns the failure in a reply whose status is not 2xx. Returns undefined if the body is not an error in the form of the
   * service. A failure without a `row` is classified by its status (`task-failures.ts`).
   */
  failure(reply: TaskReply, call: TaskFacts): TaskFailure | undefined;
  /** The list of models that the service publishes with their inputs. Absent if the service has no such list. */
  readonly source?: TaskSource;
  /** The charges of the service, at their address. Absent if the service does not report them. */
  readonly billing?: BillingSource & { readonly address: string };
  /** The separate upload of large images. Absent if images are always sent with the submission. */
  readonly upload?: TaskUpload;
}

/** The catalogue of a service. */
export interface TaskSource {
  readonly kind: CatalogueKind;
  /** The address below which the paths are requested. */
  readonly address: string;
  /** Returns the paths of the first replies: of the listed models, or of all models if `listed` is undefined. */
  paths(listed: readonly string[] | undefined): readonly string[];
  /** Limit on the bytes of all images of one call. */
  readonly maxTotalBytes: number;
}

export interface TaskLimits {
  /** Maximum number of requests of one account in a minute. Polls are spaced to stay below this number. */
  readonly requestsPerMinute: number;
  /** Maximum number of tasks that one account runs at once, which is the default of `max_parallel_outputs`. */
  readonly parallelTasks?: number;
}

/** A model of a service. */
export interface TaskModel {
  /** The members of the capability document in which the model differs from `PLAIN_MODEL`, without counts. */
  readonly capabilities: Omit<
    Partial<CapabilityDocument>,
    'provider' | 'model' | 'count' | 'batching' | 'implementation_version'
  > &
    Pick<CapabilityDocument, 'edits' | 'sizes' | 'reference_images' | 'edit_images'>;
  /** Maximum number of images of one task; 1 by default. */
  readonly maxImagesPerTask?: number;
  /** True if the format cannot be chosen. An image in another format than the requested one is then converted. */
  readonly hasAnyFormat?: true;
  /** The service's name of the model for calls with images, if it is another name. */
  readonly editName?: string;
  /** Form of an emulated mask. Absent if the model reads no masks. */
  readonly maskForm?: MaskForm;
  /** Limits on all images of a call together. */
  readonly inputLimits: { readonly max_count: number; readonly max_bytes_total: number };
  /** Returns the inputs of a task as a JSON object, without constants. */
  inputs(call: TaskCall, images: ImageTexts): Readonly<Record<string, unknown>>;
  /** Throws `unsupported_capability` for a call that the document allows but the model does not support. */
  refuse?(call: CallOutline, constants: TaskCall['constants']): void;
}

/** One call, as the functions of a service see it. */
export interface TaskCall {
  readonly request: ProviderRequest;
  readonly model: TaskModel;
  /** Inputs that the operator has set for the model, which are sent unchanged and replace other inputs. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** A fresh random seed, 0 to 2^31 - 1. */
  readonly seed: number;
}

/** The part of a call that is needed to describe its failure. */
export type TaskFacts = Pick<TaskCall, 'model' | 'constants'> & { readonly request: CallFacts };

/** Texts that stand for an image in a JSON body. The engine replaces them while the body is sent. */
export interface ImageTexts {
  /** Returns the image as base64 without a prefix. */
  base64(input: ProviderInput): string;
  /** Returns the image as a data URL, or the URL of its upload. */
  url(input: ProviderInput): string;
}

export interface Submission {
  /** The path below the base URL, with a leading slash, with encoded segments. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body:
    | { readonly json: (images: ImageTexts) => unknown }
    | { readonly form: readonly FormPart[] };
}

/** A reply of the service. */
export interface TaskReply {
  readonly status: number;
  /** Returns the value of a header by its lowercase name, or undefined if the header is absent. */
  header(name: string): string | undefined;
  /**
   * The parsed JSON body, or undefined if the body is not JSON. A string longer than 16 KiB is replaced by a placeholder,
   * which the engine accepts wherever it accepts a data URL.
   */
  readonly value: unknown;
}

/** An accepted task. A ticket of an earlier process is parsed with `ticket.ts`. */
export interface TaskTicket {
  readonly id: string;
  /** URL of the polls, absolute or relative to the URL of the submission. */
  readonly poll: string;
  /** URL of the result, if the polls do not return the result. */
  readonly result?: string;
  readonly cancel?: string;
  /** Charge that was reported when the task was accepted. */
  readonly charge?: TaskCharge;
}

export interface Accepted {
  readonly ticket: TaskTicket;
  /** The state of the task, which may already have ended. */
  readonly state: TaskState;
}

export type TaskState =
  | { readonly phase: 'waiting'; readonly isRunning?: boolean }
  /** The images are in the reply to the ticket's `result` URL. */
  | { readonly phase: 'stored' }
  /** The images, each as an https URL, a data URL or base64, in the order of the reply. */
  | { readonly phase: 'done'; readonly images: readonly string[]; readonly charge?: TaskCharge }
  | { readonly phase: 'failed'; readonly failure: TaskFailure & { readonly row: FailureRow } }
  /** The task was cancelled. `not_begun` only if the service says that it did not begin the task. */
  | { readonly phase: 'cancelled'; readonly effect: Extract<CallEffect, 'not_begun' | 'unknown'> }
  /** The service no longer has the task. The images may have been made. */
  | { readonly phase: 'lost' };

/** The charge for a task, as far as the service reports the charge. */
export interface TaskCharge {
  /** Amount in units of 10^-10 USD, as a decimal integer. */
  readonly amount?: string;
  /** Number of billable units. */
  readonly units?: number;
  /** Billable run time in seconds. */
  readonly seconds?: number;
}

/** A failure that a service reports. No text of the service becomes part of an error, except a known form of `code`. */
export interface TaskFailure {
  /** The kind of the failure, if a name in the body states it. A name takes precedence over the status. */
  readonly row?: FailureRow;
  /** The name of the failure. */
  readonly code?: string;
  /** The request field at fault, under the bridge's name. */
  readonly field?: string;
  /** Wait before a retry in milliseconds, if the body states one. */
  readonly retryAfterMs?: number;
  readonly moderationStage?: 'input' | 'output';
}

/** Uploads of images that are too large for the submission. */
export interface TaskUpload {
  /** Images of more bytes are uploaded. */
  readonly aboveBytes: number;
  /** The hosts to which images may be uploaded, besides the origin of `base_url`. */
  readonly hosts: readonly string[];
  /** Returns the POST that starts an upload: an absolute URL at a host of the API, and its JSON. */
  initiation(input: ProviderInput): { readonly url: string; readonly json: unknown };
  /** Returns the URL of the PUT and the URL of the uploaded image, or undefined for a reply of another form. */
  target(reply: TaskReply): { readonly uploadUrl: string; readonly fileUrl: string } | undefined;
}
