import type { BridgeError } from '../../errors/bridge-error.ts';
import type { CallFacts } from '../provider-port.ts';
import {
  type BackendFailure,
  FAILURES,
  type FailureRow,
  parseErrorBody,
  REQUEST_FAULTS,
  toBackendFailure,
  toError,
} from './failures.ts';

const { authentication, permission, safety, rate, quota, unsupported } = FAILURES;
const { unknownModel, refused, transient, other } = FAILURES;

/** The known error codes and types of the agent backends. Other codes become `upstream`. */
const CODES: ReadonlyMap<string, FailureRow> = new Map<string, FailureRow>([
  ['authentication_error', authentication],
  ['invalid_api_key', authentication],
  ['token_expired', authentication],
  ['permission_denied', permission],
  ['moderation_blocked', safety],
  ['content_policy_violation', safety],
  ['safety_violation', safety],
  ['cyber_policy', safety],
  ['rate_limit_exceeded', rate],
  ['insufficient_quota', quota],
  ['usage_limit_reached', quota],
  ['unsupported_parameter', unsupported],
  ['unsupported_value', unsupported],
  ['model_not_found', unknownModel],
  ['invalid_request_error', refused],
  ['image_generation_user_error', refused],
  ['server_error', transient],
  ['server_is_overloaded', transient],
  ['overloaded', transient],
  ['service_unavailable', transient],
]);

/** Converts a failure that is reported without an HTTP status, such as inside a stream. */
export function fromCode(failure: BackendFailure, request: CallFacts): BridgeError {
  return byCode(failure, request, other);
}

/** Converts a failure according to the row for its code, else the row for its type, else `otherwise`. */
function byCode(failure: BackendFailure, request: CallFacts, otherwise: FailureRow): BridgeError {
  const row = CODES.get(failure.code ?? '') ?? CODES.get(failure.type ?? '') ?? otherwise;
  const field = row === unknownModel ? 'routing.model' : undefined;
  return toError(row, { ...failure, field }, request);
}

/** Converts the failure of an incomplete response that has a reason but no error code. */
export function fromReason(
  reason: string,
  failure: BackendFailure,
  request: CallFacts,
): BridgeError {
  return reason === 'content_filter'
    ? toError(safety, failure, request)
    : toError(other, { ...failure, code: reason }, request);
}

/**
 * Converts a reply with an HTTP error status. `waitMs` is the wait before a retry that the response headers request.
 */
export function fromReply(
  status: number,
  body: unknown,
  request: CallFacts,
  waitMs?: number,
): BridgeError {
  return fromStatus(status, toBackendFailure([parseErrorBody(body)], waitMs), request);
}

/** Converts a failure that is reported with an HTTP error status. */
export function fromStatus(
  status: number,
  failure: BackendFailure,
  request: CallFacts,
): BridgeError {
  if (status === 401) return toError(authentication, failure, request);
  if (status === 403) return toError(permission, failure, request);
  if (status === 429) {
    const isQuota = CODES.get(failure.code ?? '') === quota;
    return toError(isQuota ? quota : rate, failure, request);
  }
  if (status >= 500) return toError(transient, failure, request);
  return byCode(failure, request, REQUEST_FAULTS.includes(status) ? refused : other);
}

/** Creates the error for a refusal inside a completed response. Such a refusal has no code. */
export function refusal(request: CallFacts): BridgeError {
  return toError(safety, {}, request);
}
