import type { Amount } from '../contract/reply/cost.ts';
import type { Usage, Warning } from '../contract/reply/image-response.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { CapabilityDocument } from '../contract/resources/provider.ts';
import type { SourceType } from '../contract/resources/source-type.ts';
import type { Task } from '../platform/task.ts';
import type { Tariff } from './model-prices-port.ts';

/** An input image whose bytes have been verified. All attempts share the same object. */
export interface ProviderInput {
  readonly bytes: Buffer;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** Width and height as stored, before `orientation` (EXIF, 1 to 8) is applied. */
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
  readonly sha256: string;
}

/** One call: a validated request for the outputs listed in `indices`, adjusted to the capabilities of the model. */
export interface ProviderRequest {
  readonly model: string;
  readonly operation: 'generate' | 'edit';
  readonly prompt: string;
  /** Present only if the provider supports negative prompts natively. */
  readonly negativePrompt?: string;
  /** Effective parameters. `n` is the length of `indices`. */
  readonly parameters: Parameters;
  /**
   * Positions of this call's outputs in the whole request, in ascending order. A request may be split into several
   * calls.
   */
  readonly indices: readonly number[];
  readonly images: readonly ProviderInput[];
  /**
   * The mask. If the model's masks are `native`, the mask is the image that the client sent. If the model's masks are
   * `emulated`, the mask is a PNG in the model's `maskForm` with the dimensions of `images[0]`. In that case
   * `images[0]` is also a PNG, and `parameters.size` has the same dimensions if the model has sizes.
   */
  readonly mask?: ProviderInput;
  /**
   * The mask for a model without a `maskForm`: white where `images[0]` may change, black elsewhere. The mask is sent as
   * another image; `sentImages` defines its position and `toPromptText` names it in the prompt.
   */
  readonly maskImage?: ProviderInput;
  readonly references: readonly ProviderInput[];
  /**
   * Flat background colour, `#RRGGBB`, that the model must paint and that the bridge removes afterwards. If `keyColor`
   * is set, `background` is never `transparent`.
   */
  readonly keyColor?: string;
  /**
   * The thread that this call continues: an id that `sessions.createThread` returned, possibly in an earlier process.
   * Absent for an isolated call, of which the provider stores nothing. The caller runs the calls on one thread one at a
   * time.
   */
  readonly threadId?: string;
  /**
   * The ticket that `accepted` stored for this call in an earlier process. `execute` then submits nothing and waits for the
   * result of the task. If the provider no longer has the result, the effect of the failure is `unknown`.
   */
  readonly ticket?: string;
}

/** The maximum size of a ticket in bytes. */
export const MAX_TICKET_BYTES = 2048;

/** An image of a call before its bytes are loaded. Only its length is known. */
interface ImageOutline {
  /** Length in bytes, or 0 if unknown. */
  readonly bytes: { readonly length: number };
}

/** The part of a call that is known before its images are loaded. Every `ProviderRequest` is also a `CallOutline`. */
export interface CallOutline
  extends Omit<
    ProviderRequest,
    'indices' | 'images' | 'mask' | 'maskImage' | 'references' | 'threadId' | 'ticket'
  > {
  readonly images: readonly ImageOutline[];
  readonly mask?: ImageOutline;
  readonly maskImage?: ImageOutline;
  readonly references: readonly ImageOutline[];
}

/** A call without its prompts: the facts that are needed to read its reply and to describe its failure. */
export type CallFacts = Omit<ProviderRequest, 'prompt' | 'negativePrompt'>;

export type ProviderEvent =
  | {
      readonly type: 'progress';
      readonly stage: 'dispatched' | 'generating';
      readonly index?: number;
    }
  | {
      readonly type: 'partial_image';
      /** An element of the request's `indices`. */
      readonly index: number;
      readonly partialIndex: number;
      readonly bytes: Buffer;
    };

export interface ProviderContext {
  readonly requestId: string;
  /** 1 for the first attempt of this call, 2 for its first retry. */
  readonly attempt: number;
  /**
   * Aborts at the deadline, when the request is cancelled, and when the process stops. `execute` must then reject without
   * cancelling the task if the reason is an interruption (`isInterruption`) and another process can continue the call, because
   * `accepted` has resolved with true or the request has a ticket.
   */
  readonly signal: AbortSignal;
  /** Returns the time until the deadline in milliseconds, or 0 after the deadline. */
  readonly remainingMs: () => number;
  /**
   * Called in the order of the events, and never after `execute` has settled. `dispatched` is reported before the call
   * can have any effect, so a call that ends without this event had no effect.
   */
  readonly onEvent: (event: ProviderEvent) => void;
  /**
   * Stores the ticket of a task that the provider has accepted, at most once in a call. `execute` waits for the promise before it
   * asks for the result. Resolves with true if another process can continue the call with the ticket. Resolves with false if the
   * ticket is too long (`MAX_TICKET_BYTES`) or cannot be stored, or if the call does not belong to a job; the call then continues
   * in this process only. Never rejects. Only the provider reads the ticket, which is a secret: it never appears in a log, an
   * error, a metric or a reply.
   */
  readonly accepted: (ticket: string) => Promise<boolean>;
  /**
   * Reports the id under which the service bills the call: at most 64 visible ASCII characters. A later id replaces an earlier
   * one. The id is stored with the cost of the call and never appears in a log, an error, a metric or a reply.
   */
  readonly billedAs: (id: string) => void;
}

export interface ProviderOutput {
  /** The encoded image. The caller verifies the image. */
  readonly bytes: Buffer;
  readonly revisedPrompt?: string;
  /**
   * True if the provider could not choose the format. If true, an image in a format other than the requested one is
   * converted, even under `strict`.
   */
  readonly anyFormat?: true;
}

/** The cost of a call as the service reported the cost in its reply. */
export interface ReportedCost {
  readonly amount: Amount;
}

/** The quantities that a service reports for its prices and that neither the request nor the usage contains. */
export interface BilledQuantities {
  /** The number of units of the model's price, such as fal's `x-fal-billable-units`. May be a fraction. */
  readonly units?: number;
  /** The run time that the service charges for, in seconds, such as Replicate's `metrics.predict_time`. */
  readonly seconds?: number;
}

export interface ProviderResult {
  /** One output for each of the request's `indices`, in the same order. */
  readonly outputs: readonly ProviderOutput[];
  readonly usage?: Usage;
  /** Absent if the service reported no cost. */
  readonly cost?: ReportedCost;
  readonly billed?: BilledQuantities;
  readonly warnings?: readonly Warning[];
}

/** The charges of a service, as its invoice will have them. */
export interface ProviderBilling {
  /**
   * Resolves with the charged amount of each call that the service has billed. A call that the service has not billed yet is
   * missing. The calls were sent on `sinceDay` (days since 1970-01-01, UTC) or later. Throws `upstream`,
   * `provider_authentication` or `permission_denied`, and rejects with the signal's reason if the signal aborts.
   */
  chargesOf(
    ids: readonly string[],
    sinceDay: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Amount>>;
}

export interface ProviderDescription {
  readonly displayName: string;
  readonly version: string;
  readonly experimental: boolean;
  readonly models: readonly string[];
  readonly defaultModel: string;
}

/**
 * Threads that persist after a call and after the process. The caller manages the owners and keys of the threads. A
 * call with a `threadId` rejects before it is dispatched with `session_not_found` if the provider does not have the
 * thread, and with `session_busy` if an earlier turn on the thread could not be ended.
 */
export interface ProviderSessions {
  /**
   * Creates an empty thread. A thread without turns may be lost when the process ends. Resolves with the id of the
   * thread: 1 to 256 bytes, without control characters, never reused for another thread.
   */
  createThread(
    request: { readonly model: string; readonly requestId: string },
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Deletes the thread and everything that the provider stores for it. Succeeds if the thread does not exist. Throws
   * `session_busy` if a turn is running on the thread.
   */
  deleteThread(threadId: string, signal: AbortSignal): Promise<void>;
}

/**
 * Encoding of a mask. `alpha`: alpha is 0 where the image may change and 255 elsewhere. `white`: no alpha channel,
 * white where the image may change and black elsewhere.
 */
export type MaskForm = 'alpha' | 'white';

/** Readiness of a provider: `ready` is true if work can be dispatched now, otherwise `errorCode` is the reason. */
export type ProviderReadiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly errorCode: 'authentication' | 'configuration' | 'upstream' };

/** The list of models that a service publishes, and that a task reads again and again. */
export interface ProviderCatalogue {
  readonly refresh: Task;
  /**
   * Resolves once an answer is known, kept or read, or once the first attempt to read an answer has failed. Never rejects.
   */
  readonly firstAnswer: Promise<void>;
  /** Returns the time since the latest good answer in seconds, or undefined before the first good answer. */
  ageSecs(): number | undefined;
  /** Returns true if the service had the model, but no longer has the model. */
  hasLeft(model: string): boolean;
  /**
   * Returns the prices of a model: a tariff for each upstream that may serve the model. Returns no tariffs if the service
   * publishes no prices for the model.
   */
  tariffs(model: string): readonly Tariff[];
}

/**
 * An adapter to one kind of image generator. Deadlines, fan-out, retries, fallback, verification and delivery are
 * implemented outside the providers, once for all of them.
 */
export interface Provider {
  /** The registered name: lowercase letters, digits and `-`. */
  readonly name: string;
  /** The source of the pixels of the provider. Images are marked and signed with this term. */
  readonly sourceType: SourceType;
  /** Maximum number of attempts for one call, and the delay before the first retry in milliseconds. */
  readonly retry: { readonly attempts: number; readonly backoffMs: number };
  /**
   * Maximum number of concurrent calls, for all models and requests together. The capability document of each model
   * repeats the number as `batching.max_parallel_outputs`.
   */
  readonly maxParallelCalls: number;
  /** Returns the description. Only `models` may change while the process runs, and only if there is a `catalogue`. */
  describe(): ProviderDescription;
  /**
   * Returns the capabilities of a model, or undefined for an unknown model. The result changes only when the `catalogue` is
   * refreshed. A call that was planned before the change keeps its document. `execute` runs the call if the model can still make
   * it, and otherwise rejects the call before anything is sent.
   */
  capabilities(model: string): CapabilityDocument | undefined;
  /**
   * Returns the form in which a model with `emulated` masks reads a mask, or undefined if the model reads no mask. The
   * result changes only with the capabilities. The method is absent if no model of the provider reads masks.
   */
  maskForm?(model: string): MaskForm | undefined;
  /**
   * Rejects a call that the capability document allows but the provider does not support. Throws the error with which
   * `execute` would reject the call before it sends anything. `refuse` is called when a request is planned, so that a
   * request that `execute` would reject is never accepted.
   */
  refuse?(call: CallOutline): void;
  /**
   * Runs one call. Stops soon after `signal` aborts and rejects with the signal's reason, or with `cancelled` and the effect
   * `not_begun` if the service confirms that it had not begun the call. Any other rejection is a `BridgeError`, to which the
   * caller adds the provider's name. If `execute` rejects before it has reported `dispatched`, nothing was sent. After
   * `dispatched`, `effectOf(error)` describes the effect of the call:
   *
   * - `not_begun`: the provider did not begin any work. The connection failed before the request was written, or the
   *   provider declined the request (401, 403, 429, 503). The same call may be sent again.
   * - `nothing_made`: the provider rejected the request or failed. The provider certainly made no image and charged for
   *   none. The same call may be sent again if the error is `transient` or `retryable`.
   * - `made`: the reply is complete, but its images cannot be used: their number is wrong, they are not base64, or they
   *   cannot be fetched. The images are charged. If their number is wrong, `details.returned_images` is the number of
   *   returned images.
   * - `unknown`: images may have been made and charged. A provider must report this effect if a connection is lost
   *   after the request was written, if a reply ends before it is complete, and for every failure after output has
   *   begun (a partial image, a finished item, an image beside an error), regardless of the code that the provider
   *   reports.
   *
   * An error with the effect `made` or `unknown` is neither `retryable` nor `transient`. The effect applies to the
   * whole call: if only one of several outputs was made, the others are unknown.
   */
  execute(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult>;
  /**
   * Resolves with the readiness of the provider. Never starts a child process, refreshes a token or calls the upstream.
   */
  probe(signal: AbortSignal): Promise<ProviderReadiness>;
  /**
   * Present if any model has `persistent_sessions` or `explicit_threads`. The methods reject with the same errors as
   * `execute`.
   */
  readonly sessions?: ProviderSessions;
  /** Present if the service reports what it has charged for a call. */
  readonly billing?: ProviderBilling;
  /** Present if the models and their capabilities come from a list of the service. */
  readonly catalogue?: ProviderCatalogue;
  /** Returns the number of times that the child process was restarted. Absent if the provider has no child process. */
  restarts?(): number;
  /**
   * Returns the number of output lines of the child process that were not messages. Absent if the provider has no child
   * process.
   */
  skippedLines?(): number;
  /** Ends all running calls. Resolves when all work of the provider has stopped. */
  close(): Promise<void>;
}
