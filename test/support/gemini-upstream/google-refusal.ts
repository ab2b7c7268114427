import { Refusal } from '../upstream/refusal.ts';

/** Statuses of `google.rpc` by their HTTP status. */
const HTTP_STATUS = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
} as const;

export type GoogleStatus = keyof typeof HTTP_STATUS;

const TYPES = 'type.googleapis.com/google.rpc';

/** The body of an error (google.rpc.Status as JSON). */
export function errorBody(
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
) {
  return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
}

export function badRequest(field: string) {
  return { '@type': `${TYPES}.BadRequest`, fieldViolations: [{ field, description: 'is wrong' }] };
}

export function errorInfo(reason: string) {
  return { '@type': `${TYPES}.ErrorInfo`, reason, domain: 'googleapis.com' };
}

export function quotaFailure(quotaId: string) {
  return { '@type': `${TYPES}.QuotaFailure`, violations: [{ quotaId, quotaMetric: 'requests' }] };
}

export function retryInfo(retryDelay: string) {
  return { '@type': `${TYPES}.RetryInfo`, retryDelay };
}

/** Returns the error of a check. `field` is the path of the invalid member in the request. */
export function refused(status: GoogleStatus, message: string, field?: string): Refusal {
  return new Refusal({ status: HTTP_STATUS[status], code: status, message, param: field });
}

/** Returns the error of a rejected key. Its reason is in the details. */
export function refusedKey(): Refusal {
  return new Refusal({ status: 400, code: 'API_KEY_INVALID', message: 'API key not valid' });
}

/** Encodes the body of an error in the form of the backend. */
export function refusalBody({ status, code, message, param }: Refusal) {
  if (code === 'API_KEY_INVALID') {
    return errorBody(status, 'INVALID_ARGUMENT', message, [errorInfo(code)]);
  }
  return errorBody(status, code, message, param === undefined ? [] : [badRequest(param)]);
}
