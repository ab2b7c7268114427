import { type CallEffect, isPerhapsPaid } from './call-effect.ts';
import { type BridgeCode, ERRORS, type ErrorCode } from './codes.ts';

/** A fact that the client may read: a number, a flag or a stable name, never a text from a caller or an upstream. */
export type Detail =
  | string
  | number
  | boolean
  | null
  | readonly Detail[]
  | { readonly [key: string]: Detail | undefined };

export interface BridgeErrorOptions {
  /** The request field at fault, as a path such as `images[0].data_url`. */
  readonly param?: string;
  /** The name of a registered provider. */
  readonly provider?: string;
  /** The `x-request-id` of the upstream, already checked against `REQUEST_ID_PATTERN`. */
  readonly upstreamRequestId?: string;
  readonly details?: { readonly [key: string]: Detail | undefined };
  /** Overrides `retryable` of the table if the cause is known. */
  readonly retryable?: boolean;
  /** True if the same provider may be called again immediately. The flag is not reported to the client. */
  readonly transient?: boolean;
  /** The effect of the failed provider call. If absent, `effectOf` derives the effect from the code. */
  readonly effect?: CallEffect;
  /** Additional reply headers, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * The error class of the whole program. The message must not contain text that a caller or an upstream sent.
 *
 * An error whose `effect` is `made` or `unknown` is never retryable or transient, because a repeated call may be charged twice.
 * The effect is `unknown` exactly if `details.outcome` is `unknown`. `with` never removes this effect.
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly provider: string | undefined;
  readonly upstreamRequestId: string | undefined;
  readonly details: { readonly [key: string]: Detail | undefined };
  readonly retryable: boolean;
  readonly transient: boolean;
  readonly effect: CallEffect | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: BridgeErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.param = options.param ?? null;
    this.provider = options.provider;
    this.upstreamRequestId = options.upstreamRequestId;
    const details = options.details ?? {};
    this.effect = details['outcome'] === 'unknown' ? 'unknown' : options.effect;
    this.details = this.effect === 'unknown' ? { ...details, outcome: 'unknown' } : details;
    const mayRepeat = !isPerhapsPaid(this.effect);
    this.retryable = mayRepeat && (options.retryable ?? ERRORS[code].retryable);
    this.transient = mayRepeat && (options.transient ?? false);
    this.headers = options.headers ?? {};
  }

  get bridgeCode(): BridgeCode {
    return ERRORS[this.code].bridge;
  }

  /** Returns a copy of the error with additional facts, such as the provider or the outcome. */
  with(more: BridgeErrorOptions): BridgeError {
    return new BridgeError(this.code, this.message, {
      ...definedOnly({
        param: this.param ?? undefined,
        provider: this.provider,
        upstreamRequestId: this.upstreamRequestId,
        effect: this.effect,
      }),
      retryable: this.retryable,
      transient: this.transient,
      cause: this.cause,
      ...definedOnly(more),
      headers: { ...this.headers, ...more.headers },
      details: { ...this.details, ...more.details },
    });
  }
}

/** Converts any thrown value to a `BridgeError`. An unexpected value becomes `internal`, without its own text. */
export function toBridgeError(thrown: unknown): BridgeError {
  return thrown instanceof BridgeError
    ? thrown
    : new BridgeError('internal', 'unexpected failure in the bridge', { cause: thrown });
}

/** Returns the error of work that is cancelled because its token was removed. */
export function tokenRemoval(): BridgeError {
  return new BridgeError('cancelled', 'the token of this request was removed', {
    details: { reason: 'token_removed' },
  });
}

function definedOnly<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // The cast is safe because the filter removes exactly the members that the return type excludes.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
