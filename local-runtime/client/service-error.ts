import * as v from 'valibot';
import type { RequestIssue } from '../../lib/contract/schema/issues.ts';

type Circumstances = ErrorOptions &
  Partial<Pick<ServiceError, 'status' | 'code' | 'issues' | 'isBroken'>>;

/** The failure of a request to a service. The message is for the operator. */
export class ServiceError extends Error {
  /** The exit code: 1 if the request failed, 4 if no service could be reached. */
  readonly exitCode: 1 | 4;
  /** Advice for the operator. The best advice is first. */
  readonly advice: readonly string[];
  /** The HTTP status of the error reply, or of a reply from a server that is not a bridge. */
  readonly status: number | undefined;
  /** True if an established connection broke before the reply was complete. */
  readonly isBroken: boolean;
  /** The value of `bridge_ext.code` in the error reply. */
  readonly code: string | undefined;
  /** The violations that the service reported for the request. */
  readonly issues: readonly RequestIssue[];

  constructor(
    message: string,
    exitCode: 1 | 4,
    advice: readonly string[] = [],
    { status, code, issues = [], cause, isBroken = false }: Circumstances = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.advice = advice;
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.isBroken = isBroken;
  }
}

/** The fields of an error reply that are used. A newer service may send additional fields. */
const ErrorBody = v.object({
  error: v.object({
    message: v.string(),
    bridge_ext: v.object({
      code: v.fallback(v.string(), 'internal'),
      suggestions: v.fallback(v.array(v.string()), []),
      details: v.object({
        issues: v.fallback(
          v.array(v.object({ field: v.string(), code: v.string(), message: v.string() })),
          [],
        ),
      }),
    }),
  }),
});

/** Returns the error for an unsuccessful reply. A reply to HEAD has no body. */
export function toServiceError(status: number, body: unknown, method: string): ServiceError {
  if (method === 'HEAD') {
    return new ServiceError(`the request failed (${status})`, 1, [], { status });
  }
  const parsed = v.safeParse(ErrorBody, body);
  if (!parsed.success) return notABridge(status);
  const { message, bridge_ext: extension } = parsed.output.error;
  const { issues } = extension.details;
  const lines = issues.map((issue) => `${issue.field} ${issue.message}`);
  const text = [`the request failed (${status}): ${message}`, ...lines].join('\n  ');
  const advice =
    status === 401
      ? ['Set IMAGE_BRIDGE_TOKEN to the token of the service.']
      : extension.suggestions;
  return new ServiceError(text, 1, advice, { status, code: extension.code, issues });
}

/** Returns the error for a reply from a server that is not a bridge. */
export function notABridge(status: number): ServiceError {
  return new ServiceError('the server at this address is not an Image Bridge', 4, [], { status });
}

/**
 * Adds an explanation to a 404 error from a route that exists only if `server.jobs.enabled` is on. Returns other errors
 * unchanged.
 */
export function toJobsError(error: unknown): unknown {
  const isMissing = error instanceof ServiceError && error.exitCode === 1 && error.status === 404;
  return isMissing
    ? new ServiceError('jobs and the dashboard are disabled: server.jobs.enabled is off', 1)
    : error;
}
