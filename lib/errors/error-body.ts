import { BridgeError, type Detail } from './bridge-error.ts';
import { type BridgeCode, ERRORS, type ErrorCode } from './codes.ts';

/** The flat form of a failure in jobs, failure lists and plans (`docs/contract.md`, section 8). */
export interface FlatError {
  readonly code: BridgeCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly provider?: string;
  readonly upstream_request_id?: string;
  readonly details: { readonly [key: string]: Detail | undefined };
  readonly suggestions: string[];
}

/** The body of every error reply (`docs/contract.md`, section 8). */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly bridge_ext: Omit<FlatError, 'message'>;
  };
  readonly request_id: string;
}

export function toFlatError(error: BridgeError): FlatError {
  return {
    code: error.bridgeCode,
    message: error.message,
    retryable: error.retryable,
    ...(error.provider === undefined ? {} : { provider: error.provider }),
    ...(error.upstreamRequestId === undefined
      ? {}
      : { upstream_request_id: error.upstreamRequestId }),
    details: error.details,
    suggestions: [...ERRORS[error.code].suggestions],
  };
}

export function toErrorBody(error: BridgeError, requestId: string): ErrorBody {
  const { message, ...ext } = toFlatError(error);
  const row = ERRORS[error.code];
  return {
    error: { message, type: row.type, param: error.param, code: row.code, bridge_ext: ext },
    request_id: requestId,
  };
}

/** Returns the reply headers that control retries and authentication. */
export function toErrorHeaders(error: BridgeError): Record<string, string> {
  const headers: Record<string, string> = {
    ...error.headers,
    'x-should-retry': String(error.retryable),
  };
  if (error.code === 'authentication_required') headers['www-authenticate'] = 'Bearer';
  if (error.code === 'rate_limited' || error.code === 'overloaded') {
    const { retry_after_ms: given, reason } = error.details;
    // An exhausted quota is not restored within seconds.
    const defaultMs = reason === 'quota' ? 3_600_000 : 1000;
    const waitMs = typeof given === 'number' ? given : defaultMs;
    headers['retry-after'] = String(Math.max(1, Math.ceil(waitMs / 1000)));
    headers['retry-after-ms'] = String(Math.max(0, Math.ceil(waitMs)));
  }
  return headers;
}

/** An error in the form in which it is stored with a job. The status, the type and the suggestions are derived from the code. */
export interface StoredError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly provider?: string | undefined;
  readonly upstream_request_id?: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

export function toStoredError(error: BridgeError): StoredError {
  const { suggestions, ...flat } = toFlatError(error);
  return { ...flat, code: error.code };
}

export function fromStoredError(stored: StoredError): BridgeError {
  const { code, message, retryable, provider, upstream_request_id: upstreamRequestId } = stored;
  return new BridgeError(code, message, {
    retryable,
    // The cast is safe because the stored details are the details of a `BridgeError` as JSON.
    details: stored.details as BridgeError['details'],
    ...(provider === undefined ? {} : { provider }),
    ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
  });
}
