import type { Usage, Warning } from '../contract/reply/image-response.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { CapabilityDocument } from '../contract/resources/provider.ts';

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

/** One call: a validated and negotiated request for the outputs listed in `indices`. */
export interface ProviderRequest {
  readonly model: string;
  readonly operation: 'generate' | 'edit';
  readonly prompt: string;
  /** Present only if the provider supports negative prompts natively. */
  readonly negativePrompt?: string;
  /** Effective parameters. `n` is the length of `indices`. */
  readonly parameters: Parameters;
  /** Positions of the outputs in the whole request, ascending. Fan-out splits a request into several calls. */
  readonly indices: readonly number[];
  readonly images: readonly ProviderInput[];
  /**
   * If the model's masks are `native`, the image that the client sent. If they are `emulated`, a PNG in the model's
   * `maskForm` with the dimensions of `images[0]`, which is then also a PNG; `parameters.size` is that size if the
   * model has sizes.
   */
  readonly mask?: ProviderInput;
  /**
   * The mask for a model without a `maskForm`: white where `images[0]` may change, black elsewhere. The mask is sent as
   * another image; `sentImages` defines its position and `toPromptText` names it in the prompt.
   */
  readonly maskImage?: ProviderInput;
  readonly references: readonly ProviderInput[];
  /**
   * Flat background colour, `#RRGGBB`, that the model must paint and that is cut out afterwards. If it is set,
   * `background` is never `transparent`.
   */
  readonly keyColor?: string;
  /**
   * The thread that this call continues: an id from `sessions.createThread`, possibly of an earlier process. Absent for
   * an isolated call, after which the provider remembers nothing. The caller runs the calls of one thread one at a
   * time.
   */
  readonly threadId?: string;
}

/** An image of a call of which only the length is known. */
interface ImageOutline {
  /** 0 if the length is unknown. */
  readonly bytes: { readonly length: number };
}

/** The part of a call that is known before its images are loaded. Every `ProviderRequest` is also a `CallOutline`. */
export interface CallOutline
  extends Omit<
    ProviderRequest,
    'indices' | 'images' | 'mask' | 'maskImage' | 'references' | 'threadId'
  > {
  readonly images: readonly ImageOutline[];
  readonly mask?: ImageOutline;
  readonly maskImage?: ImageOutline;
  readonly references: readonly ImageOutline[];
}

/** A call without its prompts: everything needed to read its reply and to describe its failure. */
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
  /** Aborts at the deadline and when the request is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Called in order, and never after `execute` has settled. `dispatched` is reported before the call can have any
   * effect: a call that ends without this event had no effect.
   */
  readonly onEvent: (event: ProviderEvent) => void;
}

export interface ProviderOutput {
  /** The encoded image. The caller verifies it. */
  readonly bytes: Buffer;
  readonly revisedPrompt?: string;
  /**
   * True if the provider could not choose the format. An image in another format than requested is then converted, even
   * under `strict`.
   */
  readonly anyFormat?: true;
}

export interface ProviderResult {
  /** One output for each of the request's `indices`, in the same order. */
  readonly outputs: readonly ProviderOutput[];
  readonly usage?: Usage;
  readonly warnings?: readonly Warning[];
}

export interface ProviderDescription {
  readonly displayName: string;
  readonly version: string;
  readonly experimental: boolean;
  readonly models: readonly string[];
  readonly defaultModel: string;
}

/**
 * Threads that outlive a call and the process. The caller manages their owners and keys. A call with a `threadId`
 * rejects before it is dispatched: with `session_not_found` if the provider does not have the thread, and with
 * `session_busy` while an earlier turn cannot be ended.
 */
export interface ProviderSessions {
  /**
   * Creates an empty thread, which may be lost with the process before its first turn. Resolves with its id: 1 to 256
   * bytes, without control characters, never reused for another thread.
   */
  createThread(
    request: { readonly model: string; readonly requestId: string },
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Deletes the thread and everything that the provider stores for it. Succeeds if the thread does not exist. Throws
   * `session_busy` while a turn runs.
   */
  deleteThread(threadId: string, signal: AbortSignal): Promise<void>;
}

/**
 * `alpha`: alpha 0 where the image may change, 255 elsewhere. `white`: no alpha channel, white where the image may
 * change, black elsewhere.
 */
export type MaskForm = 'alpha' | 'white';

/** Readiness of a provider: `ready` is true if work can be dispatched now, otherwise `errorCode` is the reason. */
export type ProviderReadiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly errorCode: 'authentication' | 'configuration' | 'upstream' };

/**
 * An adapter to one kind of image generator. Deadlines, fan-out, retries, fallback, verification and delivery are
 * implemented outside, once for all providers.
 */
export interface Provider {
  /** The registered name: lowercase letters, digits and `-`. */
  readonly name: string;
  /** Maximum number of attempts for one call, and the delay before the first retry. */
  readonly retry: { readonly attempts: number; readonly backoffMs: number };
  /**
   * Maximum number of calls at the same time, for all models and requests together. The capability document of each
   * model repeats the number as `batching.max_parallel_outputs`.
   */
  readonly maxParallelCalls: number;
  /** Returns the description, which never changes while the process runs. */
  describe(): ProviderDescription;
  /** Returns the capabilities of a model, or undefined for an unknown model. Never changes while the process runs. */
  capabilities(model: string): CapabilityDocument | undefined;
  /**
   * Returns the form in which a model with `emulated` masks reads a mask, or undefined if the model reads none. Absent
   * if no model of the provider reads masks. Never changes while the process runs.
   */
  maskForm?(model: string): MaskForm | undefined;
  /**
   * Rejects a call that the capability document allows and the provider does not support. Throws the error with which
   * `execute` would reject the call before doing anything else. Plans call `refuse`, so that a request that the call
   * would reject is never accepted.
   */
  refuse?(call: CallOutline): void;
  /**
   * Runs one call. Stops soon after `signal` aborts and rejects with the signal's reason. Any other rejection is a
   * `BridgeError`, to which the caller adds the provider's name. A rejection before `dispatched` was reported means
   * that nothing was sent. After `dispatched`, `effectOf(error)` describes the effect of the call:
   *
   * - `not_begun`: the provider did not begin any work. The connection failed before the request was written, or the
   *   provider declined the request (401, 403, 429, 503). The same call may be sent again.
   * - `nothing_made`: the provider rejected the request or failed. It certainly made no image and charged for none. The
   *   same call may be sent again if the error is `transient` or `retryable`.
   * - `made`: the reply is complete, but its images cannot be used: their number is wrong, they are not base64, or they
   *   cannot be fetched. They are charged.
   * - `unknown`: images may have been made and charged. A provider must report this effect if a connection is lost
   *   after the request was written, if a reply ends before it is complete, and for every failure after output has
   *   begun (a partial image, a finished item, an image beside an error), regardless of the code that the provider then
   *   reports.
   *
   * An error with the effect `made` or `unknown` is neither `retryable` nor `transient`. The effect applies to the
   * whole call: if only one of several outputs was made, the others are unknown.
   */
  execute(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult>;
  /** Resolves with the readiness. Never starts a child process, refreshes a token or calls the upstream. */
  probe(signal: AbortSignal): Promise<ProviderReadiness>;
  /** Present if any model has `persistent_sessions` or `explicit_threads`. The methods reject as `execute` does. */
  readonly sessions?: ProviderSessions;
  /** Returns how often the child process was restarted. Absent if the provider has no child process. */
  restarts?(): number;
  /**
   * Returns how many lines the child process has written that are not messages. Absent if the provider has no child
   * process.
   */
  skippedLines?(): number;
  /** Resolves when all work of the provider has stopped. */
  close(): Promise<void>;
}
