import { closedObject } from '../contract/schema/closed-object.ts';
import { invalidRequest, type RequestIssue, toRequestIssues } from '../contract/schema/issues.ts';
import { parseWithLimits, type RequestLimits } from '../contract/schema/request-limits.ts';
import type { OperationSpec, Schema } from './operation-spec.ts';
import { callOf, type Middleware } from './stack-request.ts';

const NoQuery = closedObject({});

/** Parses query and headers, which need no body. Throws `invalid_request` with all issues of both. */
export function parseHead(spec: OperationSpec): Middleware {
  // Queries are closed where a token is asked for; probes of load balancers add parameters of their own.
  const isOpen = spec.protection !== 'bearer' || spec.request.ignoresQuery === true;
  const querySchema = spec.request.query ?? (isOpen ? undefined : NoQuery);
  return {
    before(request) {
      const { event, context } = request;
      const call = callOf(request);
      const issues: RequestIssue[] = [];
      const { limits } = context.settings;
      call.path = event.pathParameters ?? {};
      call.query =
        querySchema &&
        parsePart(querySchema, queryOf(event.rawQueryString, issues), limits, issues);
      call.headers =
        spec.request.headers &&
        parsePart(spec.request.headers, { ...event.headers }, limits, issues);
      if (issues.length > 0) throw invalidRequest(issues);
    },
  };
}

/** Parses what the body held. Throws `invalid_request` with all its issues. */
export function parseBody(schema: Schema): Middleware {
  return {
    before(request) {
      const issues: RequestIssue[] = [];
      const call = callOf(request);
      // A form came instead, and has been parsed.
      if (call.form !== undefined) return;
      call.body = parsePart(schema, call.body, request.context.settings.limits, issues);
      if (issues.length > 0) throw invalidRequest(issues);
    },
  };
}

/** One part of a request by its schema; what is wrong with it joins `issues`. */
export function parsePart(
  schema: Schema,
  input: unknown,
  limits: RequestLimits,
  issues: RequestIssue[],
): unknown {
  const result = parseWithLimits(schema, input, limits);
  if (result.issues) issues.push(...toRequestIssues(result.issues));
  return result.value;
}

/** A query as an object: an empty value is an absent one, a repeated name is an issue (contract.md 0, 8). */
function queryOf(raw: string, issues: RequestIssue[]): Record<string, string> {
  if (raw === '') return {};
  const seen = new Set<string>();
  const entries: [string, string][] = [];
  for (const [name, value] of new URLSearchParams(raw)) {
    if (seen.has(name)) {
      issues.push({ field: name.slice(0, 64), code: 'repeated', message: 'must be given once' });
    } else if (value !== '') {
      entries.push([name, value]);
    }
    seen.add(name);
  }
  return Object.fromEntries(entries);
}
