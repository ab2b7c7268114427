import { BridgeError, type Detail } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { safetyDetails } from '../safety-details.ts';

/** What a code of the backend means here. A code that is not listed is an unknown failure. */
interface CodeRow {
  readonly code: ErrorCode;
  readonly message: string;
  /** The call may be tried again at once. */
  readonly transient?: boolean;
  readonly retryable?: boolean;
}

const AUTHENTICATION: CodeRow = {
  code: 'provider_authentication',
  message: 'the backend does not accept the login',
};
const PERMISSION: CodeRow = {
  code: 'permission_denied',
  message: 'the account may not do this at the backend',
};
const SAFETY: CodeRow = { code: 'safety_rejected', message: 'the backend refused the content' };
const RATE: CodeRow = {
  code: 'rate_limited',
  message: 'the backend limits the rate of requests',
  transient: true,
};
const QUOTA: CodeRow = { code: 'rate_limited', message: 'the account has used up its allowance' };
const UNSUPPORTED: CodeRow = {
  code: 'unsupported_capability',
  message: 'the backend refuses a parameter',
};
const TRANSIENT: CodeRow = {
  code: 'upstream',
  message: 'the backend failed temporarily',
  transient: true,
  retryable: true,
};
const UNKNOWN: CodeRow = { code: 'upstream', message: 'the backend failed', retryable: false };

/** The allow-list of providers.md. */
const CODES: ReadonlyMap<string, CodeRow> = new Map([
  ['authentication_error', AUTHENTICATION],
  ['invalid_api_key', AUTHENTICATION],
  ['token_expired', AUTHENTICATION],
  ['permission_denied', PERMISSION],
  ['moderation_blocked', SAFETY],
  ['content_policy_violation', SAFETY],
  ['safety_violation', SAFETY],
  ['cyber_policy', SAFETY],
  ['rate_limit_exceeded', RATE],
  ['insufficient_quota', QUOTA],
  ['usage_limit_reached', QUOTA],
  ['unsupported_parameter', UNSUPPORTED],
  ['unsupported_value', UNSUPPORTED],
  ['server_error', TRANSIENT],
  ['server_is_overloaded', TRANSIENT],
  ['overloaded', TRANSIENT],
  ['service_unavailable', TRANSIENT],
]);

const SHOWABLE_CODE = /^[A-Za-z0-9_-]{1,64}$/;

/** The failure of one call in the backend's terms. Only what the tables list is used. */
export interface BackendFailure {
  readonly code: string | undefined;
  readonly moderationStage: string | undefined;
  readonly moderationCategories: readonly unknown[];
  /** By the header `retry-after`. */
  readonly retryAfterMs: number | undefined;
  /** Until the account has an allowance again. */
  readonly resetsInMs: number | undefined;
}

/** A failure reported inside a stream, or in the body of a 3xx or 4xx. */
export function fromCode(failure: BackendFailure, request: ProviderRequest): BridgeError {
  const row = CODES.get(failure.code ?? '');
  return row ? toError(row, failure, request) : unknownFailure(failure, request);
}

/** An incomplete response that gives a reason but no code. */
export function fromReason(
  reason: string,
  failure: BackendFailure,
  request: ProviderRequest,
): BridgeError {
  return reason === 'content_filter'
    ? toError(SAFETY, failure, request)
    : unknownFailure({ ...failure, code: reason }, request);
}

/** A refusal by status line (providers.md, "Failures"); the caller repeats the call after a first 401. */
export function fromStatus(
  status: number,
  failure: BackendFailure,
  request: ProviderRequest,
): BridgeError {
  if (status === 401) return toError(AUTHENTICATION, failure, request);
  if (status === 403) return toError(PERMISSION, failure, request);
  if (status === 429) {
    const isQuota = CODES.get(failure.code ?? '') === QUOTA;
    return toError(isQuota ? QUOTA : RATE, failure, request);
  }
  return status >= 500 ? toError(TRANSIENT, failure, request) : fromCode(failure, request);
}

/** A refusal inside a completed response, without a code. */
export function refusal(request: ProviderRequest): BridgeError {
  return new BridgeError(SAFETY.code, SAFETY.message, {
    details: safetyDetails(request, undefined, []),
  });
}

function unknownFailure(failure: BackendFailure, request: ProviderRequest): BridgeError {
  const { code = '' } = failure;
  const error = toError(UNKNOWN, failure, request);
  return SHOWABLE_CODE.test(code) ? error.with({ details: { upstream_code: code } }) : error;
}

function toError(row: CodeRow, failure: BackendFailure, request: ProviderRequest): BridgeError {
  const { code, message, transient = false, retryable } = row;
  return new BridgeError(code, message, {
    ...(retryable === undefined ? {} : { retryable }),
    transient,
    details: {
      ...waitDetails(row, failure),
      ...(row === SAFETY
        ? safetyDetails(request, failure.moderationStage, failure.moderationCategories)
        : {}),
    },
  });
}

/** For a used-up allowance the time of its renewal wins, otherwise the header. */
function waitDetails(
  row: CodeRow,
  { retryAfterMs, resetsInMs }: BackendFailure,
): { readonly [key: string]: Detail } {
  const waitMs = row === QUOTA ? (resetsInMs ?? retryAfterMs) : (retryAfterMs ?? resetsInMs);
  const hasWait = row.code === 'rate_limited' || row === TRANSIENT;
  return hasWait && waitMs !== undefined ? { retry_after_ms: waitMs } : {};
}
