import { type CallEffect, isPerhapsPaid } from './call-effect.ts';
import { type BridgeCode, ERRORS, type ErrorCode } from './codes.ts';

/** A value that may leave the process: numbers, flags, stable names; never text of a caller or an upstream. */
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
  /** A registered provider's name. */
  readonly provider?: string;
  /** The upstream's `x-request-id`, already checked against the pattern of contract.md 0. */
  readonly upstreamRequestId?: string;
  readonly details?: { readonly [key: string]: Detail | undefined };
  /** Overrides the table where the cause decides. */
  readonly retryable?: boolean;
  /** The provider itself may be called again at once (specification 7.8); not reported to the client. */
  readonly transient?: boolean;
  /** The effect of the provider call that failed; without one, `effectOf` goes by the code. */
  readonly effect?: CallEffect;
  /** Further reply headers, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * The one error that crosses rooms. Its message is ours alone: nothing a caller or an upstream sent.
 *
 * An error whose `effect` is `made` or `unknown` is neither retryable nor transient, whatever its thrower says, because a
 * repeated call may be paid for twice. `effect: 'unknown'` and `details.outcome: 'unknown'` always come together, and `with`
 * never takes them back.
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

  /** `bridge_ext.code`. */
  get bridgeCode(): BridgeCode {
    return ERRORS[this.code].bridge;
  }

  /** The same failure with further facts: later rooms know the provider, the attempts, the outcome. */
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

/** Any thrown value as a `BridgeError`: what we did not foresee becomes `internal`, with no text of its own. */
export function toBridgeError(thrown: unknown): BridgeError {
  return thrown instanceof BridgeError
    ? thrown
    : new BridgeError('internal', 'an unexpected failure inside the bridge', { cause: thrown });
}

function definedOnly<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // Dropping the undefined members is exactly what the return type says.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
