import { closedObject } from '../contract/schema/closed-object.ts';
import {
  fieldName,
  invalidRequest,
  type RequestIssue,
  toRequestIssues,
} from '../contract/schema/issues.ts';
import { parseWithLimits, type RequestLimits } from '../contract/schema/request-limits.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { headerText, toText } from './body/media-types.ts';
import type { HttpEvent } from './http-event.ts';
import {
  type ObjectSchema,
  type OperationSpec,
  permissionOf,
  type Schema,
} from './operation-spec.ts';
import { callOf, type Middleware } from './stack.ts';

const NoQuery = closedObject({});

/** Parses the query and the headers. Throws `malformed_request`, or `invalid_request` with all issues of both parts. */
export function parseHead(spec: OperationSpec): Middleware {
  // Operations that need no token accept unknown query fields, because probes of load balancers add their own parameters.
  const isOpen = permissionOf(spec) === undefined || spec.request.ignoresQuery === true;
  const querySchema = spec.request.query ?? (isOpen ? undefined : NoQuery);
  return {
    before(request) {
      const { event, context } = request;
      const call = callOf(request);
      const issues: RequestIssue[] = [];
      const { limits } = context.settings;
      const { headers } = spec.request;
      call.path = event.pathParameters ?? {};
      call.query =
        querySchema &&
        parsePart(querySchema, queryOf(event.rawQueryString, issues), limits, issues);
      call.headers =
        headers && parsePart(headers, headersOf(headers, event, issues), limits, issues);
      if (issues.length > 0) throw invalidRequest(issues);
    },
  };
}

/** Checks the body against its schema. Throws `invalid_request` with all issues. */
export function parseBody(schema: Schema): Middleware {
  return {
    before(request) {
      const issues: RequestIssue[] = [];
      const call = callOf(request);
      // A form has already been parsed.
      if (call.form !== undefined) return;
      call.body = parsePart(schema, call.body, request.context.settings.limits, issues);
      if (issues.length > 0) throw invalidRequest(issues);
    },
  };
}

/** Checks a part of a request against its schema and adds the violations to `issues`. */
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

/** Returns the headers listed in the schema, decoded as UTF-8. */
function headersOf(
  schema: ObjectSchema,
  { headers }: HttpEvent,
  issues: RequestIssue[],
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(schema.entries)) {
    const value = headers[name];
    const text = value === undefined ? undefined : headerText(value);
    if (text !== undefined) texts[name] = text;
    else if (value !== undefined) {
      issues.push({ field: fieldName(name), code: 'invalid_text', message: 'must be valid UTF-8' });
    }
  }
  return texts;
}

/** Converts a query to an object. Fields with an empty value are omitted. Throws `malformed_request`. */
function queryOf(raw: string, issues: RequestIssue[]): Record<string, string> {
  if (raw === '') return {};
  const seen = new Set<string>();
  const entries: [string, string][] = [];
  for (const [name, value] of new URLSearchParams(decodable(raw))) {
    if (seen.has(name)) {
      issues.push({ field: name.slice(0, 64), code: 'repeated', message: 'must be given once' });
    } else if (value !== '') {
      entries.push([name, value]);
    }
    seen.add(name);
  }
  return Object.fromEntries(entries);
}

/** Checks the query, because `URLSearchParams` accepts invalid escapes and replaces invalid UTF-8. Returns the query as text. */
function decodable(raw: string): string {
  if (!/[%\x80-\xff]/.test(raw)) return raw;
  // Node represents each byte as one character.
  const query = toText(Buffer.from(raw, 'latin1'), 'the query');
  if (isPercentEncoded(query)) return query;
  throw new BridgeError('malformed_request', 'the query is not percent-encoded UTF-8');
}

function isPercentEncoded(text: string): boolean {
  try {
    // The result is used, because bundlers remove calls with unused results.
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
