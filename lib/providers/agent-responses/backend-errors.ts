import { REQUEST_ID_PATTERN } from '../../contract/fields.ts';
import { BridgeError, type BridgeErrorOptions, type Detail } from '../../errors/bridge-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { ProviderRequest } from '../provider-port.ts';
import { safetyDetails } from '../safety-details.ts';

/** What a code of the backend means to us; a code that is not listed tells nothing that may be acted upon. */
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
const SAFETY: CodeRow = { code: 'safety_rejected', message: 'the backend refused the content' };
const QUOTA: CodeRow = { code: 'rate_limited', message: 'the account has used up its allowance' };
const UNSUPPORTED: CodeRow = {
  code: 'unsupported_capability',
  message: 'the backend refuses a parameter',
};
const TRANSIENT: CodeRow = {
  code: 'upstream',
  message: 'the backend failed for a moment',
  transient: true,
  retryable: true,
};
const UNKNOWN: CodeRow = { code: 'upstream', message: 'the backend failed' };

/** The allow-list of providers.md. */
const CODES: Readonly<Record<string, CodeRow>> = {
  authentication_error: AUTHENTICATION,
  invalid_api_key: AUTHENTICATION,
  token_expired: AUTHENTICATION,
  permission_denied: {
    code: 'permission_denied',
    message: 'the account may not do this at the backend',
  },
  moderation_blocked: SAFETY,
  content_policy_violation: SAFETY,
  safety_violation: SAFETY,
  cyber_policy: SAFETY,
  rate_limit_exceeded: {
    code: 'rate_limited',
    message: 'the backend limits the rate of requests',
    transient: true,
  },
  insufficient_quota: QUOTA,
  usage_limit_reached: QUOTA,
  unsupported_parameter: UNSUPPORTED,
  unsupported_value: UNSUPPORTED,
  server_error: TRANSIENT,
  server_is_overloaded: TRANSIENT,
  overloaded: TRANSIENT,
  service_unavailable: TRANSIENT,
};

/** The failure of one call, in the backend's own terms. Nothing of it is believed but what the tables know. */
export interface BackendFailure {
  /** `error.code`, else `error.type`. */
  readonly code: string | undefined;
  readonly moderationStage: string | undefined;
  readonly moderationCategories: readonly string[];
  readonly retryAfterMs: number | undefined;
}

/** What is known of the call that failed. */
export interface FailedCall {
  readonly request: ProviderRequest;
  /** The answer's `x-request-id`. */
  readonly upstreamRequestId: string | undefined;
}

/** A failure told inside a stream, or in the body of a 3xx or 4xx. */
export function fromCode(failure: BackendFailure, call: FailedCall): BridgeError {
  const known = failure.code !== undefined && Object.hasOwn(CODES, failure.code);
  const row = (known ? CODES[failure.code ?? ''] : undefined) ?? UNKNOWN;
  const isShown = !known && /^[A-Za-z0-9_-]{1,64}$/.test(failure.code ?? '');
  return toError(row, failure, call, isShown ? { upstream_code: failure.code ?? '' } : {});
}

/** A refusal by status line (providers.md, "Failures"); 401 is the caller's to repeat first. */
export function fromStatus(status: number, failure: BackendFailure, call: FailedCall): BridgeError {
  if (status === 401) return toError(AUTHENTICATION, failure, call);
  if (status === 403) return fromCode({ ...failure, code: 'permission_denied' }, call);
  if (status === 429) {
    const isQuota = failure.code === 'insufficient_quota' || failure.code === 'usage_limit_reached';
    return fromCode({ ...failure, code: isQuota ? failure.code : 'rate_limit_exceeded' }, call);
  }
  return status >= 500 ? toError(TRANSIENT, failure, call) : fromCode(failure, call);
}

/** A refusal inside a completed answer, where no code says why. */
export function refusal(call: FailedCall): BridgeError {
  const nothing = { code: undefined, retryAfterMs: undefined };
  const moderation = { moderationStage: undefined, moderationCategories: [] };
  return toError(SAFETY, { ...nothing, ...moderation }, call);
}

function toError(
  { code, message, transient = false, retryable }: CodeRow,
  failure: BackendFailure,
  { request, upstreamRequestId }: FailedCall,
  more: { readonly [key: string]: Detail } = {},
): BridgeError {
  const isKnownId = upstreamRequestId !== undefined && REQUEST_ID_PATTERN.test(upstreamRequestId);
  const options: BridgeErrorOptions = {
    ...(isKnownId ? { upstreamRequestId } : {}),
    ...(retryable === undefined ? {} : { retryable }),
    transient,
    details: {
      ...more,
      ...(failure.retryAfterMs === undefined ? {} : { retry_after_ms: failure.retryAfterMs }),
      ...(code === 'safety_rejected'
        ? safetyDetails(request, failure.moderationStage, failure.moderationCategories)
        : {}),
    },
  };
  return new BridgeError(code, message, options);
}
