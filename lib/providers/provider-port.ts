import type { Usage, Warning } from '../contract/reply/image-response.ts';
import type { Parameters } from '../contract/request/parameters.ts';
import type { CapabilityDocument } from '../contract/resources/provider.ts';

/** An input whose bytes were verified; the same object serves every attempt. */
export interface ProviderInput {
  readonly bytes: Buffer;
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** As stored; `orientation` (EXIF, 1 to 8) says how to turn it. */
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
  readonly sha256: string;
}

/** One call: a validated, negotiated request for the outputs named in `indices`. */
export interface ProviderRequest {
  readonly model: string;
  readonly operation: 'generate' | 'edit';
  readonly prompt: string;
  /** Present only where the provider takes negative prompts natively. */
  readonly negativePrompt?: string;
  /** Effective values; `n` is the length of `indices`. */
  readonly parameters: Parameters;
  /** The outputs' positions in the whole request, ascending: fan-out splits a request into several calls. */
  readonly indices: readonly number[];
  readonly images: readonly ProviderInput[];
  /**
   * Where masks are `native`, the image that the client sent. Where they are `emulated`, a PNG in the model's `maskForm` with
   * the edges of `images[0]`, which is a PNG then; `parameters.size` is that size if the model has sizes.
   */
  readonly mask?: ProviderInput;
  /**
   * The mask for a model without a `maskForm`: black and white, white where `images[0]` may change. It is sent like another
   * image; `sentImages` gives its position and `toPromptText` names it.
   */
  readonly maskImage?: ProviderInput;
  readonly references: readonly ProviderInput[];
  /**
   * `#RRGGBB`, the flat background that the image is to have and that is cut out afterwards. `background` is never
   * `transparent` beside it.
   */
  readonly keyColor?: string;
  /**
   * The thread that the call is the next turn of; an id from `sessions.createThread`, perhaps of an earlier process. Absent for
   * an isolated call, after which the provider remembers nothing. The caller runs the calls of one thread one at a time.
   */
  readonly threadId?: string;
}

/** An image of a call of which only its length is known. */
interface ImageOutline {
  /** 0 where the length is not known. */
  readonly bytes: { readonly length: number };
}

/** What is known of a call before its images are loaded. A `ProviderRequest` is one, too. */
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

/** A call without its prompts: all that is needed to read its reply, and to say how it failed. */
export type CallFacts = Omit<ProviderRequest, 'prompt' | 'negativePrompt'>;

export type ProviderEvent =
  | {
      readonly type: 'progress';
      readonly stage: 'dispatched' | 'generating';
      readonly index?: number;
    }
  | {
      readonly type: 'partial_image';
      /** One of the request's `indices`. */
      readonly index: number;
      readonly partialIndex: number;
      readonly bytes: Buffer;
    };

export interface ProviderContext {
  readonly requestId: string;
  /** 1 for the first try of this call, 2 for its first retry. */
  readonly attempt: number;
  /** Aborts at the deadline and when the request is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Called in order, never after `execute` has settled. `dispatched` is reported before the call can have any effect: a call
   * that ends without it has had none.
   */
  readonly onEvent: (event: ProviderEvent) => void;
}

export interface ProviderOutput {
  /** Encoded, not verified: the caller does that. */
  readonly bytes: Buffer;
  readonly revisedPrompt?: string;
  /** The format could not be chosen: one that differs from the requested one is converted, also under `strict`. */
  readonly anyFormat?: true;
}

export interface ProviderResult {
  /** One for each of the request's `indices`, in their order. */
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
 * Threads that outlive a call, and the process. Which caller a thread belongs to, and under which key, is not the provider's
 * business. A call with a `threadId` rejects, before it is dispatched, with `session_not_found` when the provider does not have
 * the thread, and with `session_busy` while an earlier turn could not be ended.
 */
export interface ProviderSessions {
  /**
   * Makes an empty thread, which need not survive the process before its first turn. Resolves with its id: 1 to 256 bytes, no
   * control characters, never used for another thread.
   */
  createThread(
    request: { readonly model: string; readonly requestId: string },
    signal: AbortSignal,
  ): Promise<string>;
  /**
   * Removes the thread and everything that the provider keeps of it. Succeeds for a thread that it does not have. Throws
   * `session_busy` while a turn runs.
   */
  deleteThread(threadId: string, signal: AbortSignal): Promise<void>;
}

/** `alpha`: alpha 0 where the image may change, 255 elsewhere. `white`: no alpha, white where it may change, else black. */
export type MaskForm = 'alpha' | 'white';

/** Whether work can be dispatched now; `errorCode` says why not. */
export type ProviderReadiness =
  | { readonly ready: true }
  | { readonly ready: false; readonly errorCode: 'authentication' | 'configuration' | 'upstream' };

/**
 * One adapter to one kind of image generator. Deadline, fan-out, retry, fallback, verification and delivery happen
 * outside, once for all providers.
 */
export interface Provider {
  /** The registered name: lowercase letters, digits and `-`. */
  readonly name: string;
  /** How often one call may be tried in all, and the delay before the first retry. */
  readonly retry: { readonly attempts: number; readonly backoffMs: number };
  /** Constant for the life of the process. */
  describe(): ProviderDescription;
  /** Undefined for a model that it does not know. Constant for the life of the process. */
  capabilities(model: string): CapabilityDocument | undefined;
  /**
   * How a model whose masks are `emulated` reads a mask; undefined where it reads none. Absent where no model reads one.
   * Constant for the life of the process.
   */
  maskForm?(model: string): MaskForm | undefined;
  /**
   * Refuses what no capability document can say that it does not take: throws what `execute` rejects such a call with, before
   * it does anything else. Plans ask it, so that no request is accepted that the call would refuse.
   */
  refuse?(call: CallOutline): void;
  /**
   * Runs one call. Stops soon after `signal` aborts and rejects with the signal's reason. Otherwise it rejects with a
   * `BridgeError`, to which the caller adds the provider's name. A rejection before `dispatched` was reported means that
   * nothing was sent. After it, `effectOf(error)` says what the call did:
   *
   * - `not_begun`: the provider began nothing. The connection failed before the request was written, or the provider replied
   *   that it does not begin (401, 403, 429, 503). The same call may be sent again.
   * - `nothing_made`: the provider refused the request or failed. It certainly made no image and charged for none. The same
   *   call may be sent again if the error is `transient` or `retryable`.
   * - `made`: the reply is complete, and its images cannot be used: another number than requested, no base64, not fetchable.
   *   They are paid for.
   * - `unknown`: images may have been made, and may be paid for. A provider states it whenever a connection is lost after the
   *   request was written, whenever a reply ends before it is complete, and for every failure that follows the begin of output
   *   (a partial image, a finished item, an image beside an error), whatever code the provider reports then.
   *
   * An error of the last two is neither `retryable` nor `transient`. The effect is that of the whole call: one of several
   * outputs that was made leaves the others unknown.
   */
  execute(request: ProviderRequest, context: ProviderContext): Promise<ProviderResult>;
  /** Never starts a child, refreshes a token or calls upstream. */
  probe(signal: AbortSignal): Promise<ProviderReadiness>;
  /** Present where any model has `persistent_sessions` or `explicit_threads`. Rejects as `execute` does. */
  readonly sessions?: ProviderSessions;
  /** How often its child process was started again; only of a provider that has one. */
  restarts?(): number;
  /** How many lines its child process has written that are no messages; only of a provider that has one. */
  skippedLines?(): number;
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}
