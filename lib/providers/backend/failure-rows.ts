import { BridgeError, type Detail } from '../../errors/bridge-error.ts';
import type { CallEffect } from '../../errors/call-effect.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { CallFacts } from '../provider-port.ts';
import { safetyDetails } from '../safety-details.ts';

/** What one kind of failure of a backend means here. */
export interface FailureRow {
  readonly code: ErrorCode;
  readonly message: string;
  /** The call may be tried again at once. */
  readonly transient?: boolean;
  readonly retryable?: boolean;
  /** Without one, `effectOf` goes by the code. */
  readonly effect?: CallEffect;
  readonly details?: { readonly [key: string]: Detail };
}

/** The kinds of failures that backends have in common. */
export const FAILURES = {
  authentication: {
    code: 'provider_authentication',
    message: 'the backend does not accept the credentials',
  },
  permission: {
    code: 'permission_denied',
    message: 'the account may not do this at the backend',
  },
  safety: { code: 'safety_rejected', message: 'the backend refused the content' },
  rate: {
    code: 'rate_limited',
    message: 'the backend limits the rate of requests',
    transient: true,
  },
  /** A repeat cannot help before the account has an allowance again. */
  quota: {
    code: 'rate_limited',
    message: 'the account has used up its allowance',
    retryable: false,
    details: { reason: 'quota' },
  },
  unsupported: { code: 'unsupported_capability', message: 'the backend refuses a parameter' },
  unknownModel: {
    code: 'unsupported_capability',
    message: 'the backend does not have this model',
  },
  /** A 404 that does not say what was not found. */
  unknownModelOrRoute: {
    code: 'unsupported_capability',
    message: 'the backend does not have this model, unless its base_url is wrong',
  },
  /** The request is at fault, and the backend says no more that is known here. */
  refused: {
    code: 'refused_by_provider',
    message: 'the backend refuses the request',
    details: { reason: 'refused_by_provider' },
  },
  input: { code: 'input', message: 'the backend cannot use an image of the request' },
  transient: {
    code: 'upstream',
    message: 'the backend failed temporarily',
    transient: true,
    retryable: true,
  },
  /** It may have done the work, and may have been paid for it. */
  unknownOutcome: {
    code: 'upstream',
    message: 'the backend failed, and may have generated the image',
    effect: 'unknown',
  },
  /** A complete reply without an image. The next request may well get one. */
  noImage: {
    code: 'upstream',
    message: 'the backend completed without an image',
    retryable: false,
    details: { reason: 'no_image' },
  },
  other: { code: 'upstream', message: 'the backend failed', retryable: false },
} as const satisfies Record<string, FailureRow>;

/** The failure of one call in the backend's terms. Only what the tables list is used. */
export interface BackendFailure {
  readonly code: string | undefined;
  /** The kind of the failure, where it is reported beside a code. */
  readonly type?: string | undefined;
  readonly moderationStage: string | undefined;
  readonly moderationCategories: readonly unknown[];
  /** By the headers of the response. */
  readonly retryAfterMs: number | undefined;
  /** Until the account has an allowance again. */
  readonly resetsInMs: number | undefined;
}

const SHOWABLE_CODE = /^[A-Za-z0-9_-]{1,64}$/;
/** Rows under which backends report causes of their own. */
const SHOWS_CODE: ReadonlySet<FailureRow> = new Set([
  FAILURES.refused,
  FAILURES.noImage,
  FAILURES.other,
]);

/** The statuses of a refusal for which the request is at fault, unless its code says something else. */
export const REQUEST_FAULTS: readonly number[] = [400, 413, 422];

/** The failure as an error. What the backend calls it is shown where no row of a table says what it means. */
export function toError(row: FailureRow, failure: BackendFailure, request: CallFacts): BridgeError {
  const { code, message, transient = false, retryable, effect, details } = row;
  const shown = SHOWS_CODE.has(row) && SHOWABLE_CODE.test(failure.code ?? '');
  return new BridgeError(code, message, {
    ...(retryable === undefined ? {} : { retryable }),
    ...(effect === undefined ? {} : { effect }),
    transient,
    details: {
      ...details,
      ...waitDetails(row, failure),
      ...(code === 'safety_rejected'
        ? safetyDetails(request, failure.moderationStage, failure.moderationCategories)
        : {}),
      ...(shown ? { upstream_code: failure.code } : {}),
    },
  });
}

/** For a used-up allowance the time of its renewal wins, otherwise the header. */
function waitDetails(
  { code, transient = false }: FailureRow,
  { retryAfterMs, resetsInMs }: BackendFailure,
): { readonly [key: string]: Detail } {
  const isSpent = code === 'rate_limited' && !transient;
  const waitMs = isSpent ? (resetsInMs ?? retryAfterMs) : (retryAfterMs ?? resetsInMs);
  const hasWait = code === 'rate_limited' || transient;
  return hasWait && waitMs !== undefined ? { retry_after_ms: waitMs } : {};
}
