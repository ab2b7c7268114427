import * as v from 'valibot';
import { ServiceError } from './service-error.ts';

/** What is shown of an error reply; a newer service may send more. */
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

/** The error of a reply that is no success. The reply to HEAD has no body. */
export function toServiceError(status: number, body: unknown, method: string): ServiceError {
  if (method === 'HEAD') {
    return new ServiceError(`the service refused (${status})`, 1, [], { status });
  }
  const parsed = v.safeParse(ErrorBody, body);
  if (!parsed.success) return notABridge(status);
  const { message, bridge_ext: extension } = parsed.output.error;
  const { issues } = extension.details;
  const lines = issues.map((issue) => `${issue.field} ${issue.message}`);
  const text = [`the service refused (${status}): ${message}`, ...lines].join('\n  ');
  const advice =
    status === 401 ? ['Put its token into IMAGE_BRIDGE_TOKEN.'] : extension.suggestions;
  return new ServiceError(text, 1, advice, { status, code: extension.code, issues });
}

/** `status` of the reply that shows it. */
export function notABridge(status: number): ServiceError {
  return new ServiceError('what listens at this address is no Image Bridge', 4, [], { status });
}

/** Of the routes that exist only while `server.jobs.enabled` is on. */
export function toJobsError(error: unknown): unknown {
  const isMissing = error instanceof ServiceError && error.exitCode === 1 && error.status === 404;
  return isMissing
    ? new ServiceError('the service has no jobs and no dashboard: server.jobs.enabled is off', 1)
    : error;
}
