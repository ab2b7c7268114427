import { STATUS_CODES } from 'node:http';
import type { JsonObject } from '../../../lib/contract/json-schema.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { ERRORS, type ErrorCode } from '../../../lib/errors/codes.ts';
import { toErrorBody } from '../../../lib/errors/error-body.ts';
import type { OperationSpec } from '../../../lib/http/operation-spec.ts';
import { ERROR_EXAMPLES } from './examples/error-examples.ts';
import { REQUEST_ID } from './examples/shared-values.ts';
import { headerRefs, type Responses } from './responses.ts';

/** The errors that every route can return before its operation runs. */
const ALWAYS: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'header_too_large',
  'overloaded',
  'internal',
];

/** Returns every error of an operation: the errors implied by its protection and schemas, and its own errors. */
function possibleErrors({ protection, request, errors }: OperationSpec): ErrorCode[] {
  const isGuarded = protection !== 'public';
  const hasBody = request.body !== undefined || request.form !== undefined;
  const implied = new Set<ErrorCode>([
    ...ALWAYS,
    ...(isGuarded ? (['authentication_required', 'permission_denied'] as const) : []),
    // A guarded operation without query parameters also rejects any query.
    ...(isGuarded || request.query || request.headers || hasBody
      ? (['invalid_request'] as const)
      : []),
    ...(hasBody ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    ...errors,
  ]);
  // Keeps the order of the table.
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => implied.has(code));
}

/**
 * Builds the error responses of an operation, one for each status. A status with a single error code refers to a shared
 * response. A status that is also a regular reply, such as 503 of readiness, allows both schemas.
 */
export function toErrorResponses(spec: OperationSpec, replies: Responses): Responses {
  return Object.fromEntries(
    byStatus(possibleErrors(spec)).map(([status, codes]) => {
      const reply = replies[status];
      const [only, ...others] = codes;
      if (reply) return [status, either(reply, errorResponse(status, codes))];
      return only && others.length === 0
        ? [status, { $ref: `#/components/responses/${only}` }]
        : [status, errorResponse(status, codes)];
    }),
  );
}

/** Builds the `components.responses` and `components.examples` to which `toErrorResponses` refers. */
export function errorComponents(specs: readonly OperationSpec[]): JsonObject {
  const groups = specs.flatMap((spec) => byStatus(possibleErrors(spec)));
  const shared = new Map(
    groups.flatMap(([status, [only, ...others]]): [ErrorCode, JsonObject][] =>
      only && others.length === 0 ? [[only, errorResponse(status, [only])]] : [],
    ),
  );
  const used = new Set(groups.flatMap(([, codes]) => codes));
  return {
    responses: inTableOrder(shared),
    examples: inTableOrder(new Map([...used].map((code) => [code, errorExample(code)]))),
  };
}

/** Groups codes by status, in ascending order. */
function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

interface MediaType {
  readonly schema: JsonObject;
  readonly examples?: JsonObject;
}

type ErrorPart = JsonObject & { readonly content: { readonly 'application/json': MediaType } };

function errorResponse(status: number, codes: readonly ErrorCode[]): ErrorPart {
  const names = [...new Set(codes.map((code) => ERRORS[code].code))];
  return {
    description: `${STATUS_CODES[status] ?? 'Client Closed Request'}: ${names.map((name) => `\`${name}\``).join(', ')}.`,
    headers: {
      ...headerRefs('x-request-id', 'traceparent', 'x-should-retry'),
      ...ownHeaders(status),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorReply' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  };
}

function either(reply: JsonObject, failure: ErrorPart): JsonObject {
  // A regular reply with the status of an error always has a JSON body.
  const { content } = reply as { content: { 'application/json': MediaType } };
  const [ours, error] = [content['application/json'], failure.content['application/json']];
  return {
    ...reply,
    content: {
      'application/json': {
        schema: { oneOf: [ours.schema, error.schema] },
        examples: { ...ours.examples, ...error.examples },
      },
    },
  };
}

/** Returns the headers that only some error statuses have. */
function ownHeaders(status: number): JsonObject {
  if (status === 429 || status === 503) return headerRefs('retry-after', 'retry-after-ms');
  const own = STATUS_HEADERS[status];
  return own ? { [own.name]: { description: own.description, schema: { type: 'string' } } } : {};
}

const STATUS_HEADERS: Readonly<Record<number, { name: string; description: string }>> = {
  401: { name: 'www-authenticate', description: 'The authentication scheme: Bearer.' },
  416: { name: 'content-range', description: 'The size of the file: bytes */N.' },
};

function errorExample(code: ErrorCode): JsonObject {
  const { message, ...options } = ERROR_EXAMPLES[code];
  return {
    summary: ERRORS[code].suggestions[0],
    value: toErrorBody(new BridgeError(code, message, options), REQUEST_ID),
  };
}

function inTableOrder(parts: ReadonlyMap<ErrorCode, JsonObject>): JsonObject {
  return Object.fromEntries(
    (Object.keys(ERRORS) as ErrorCode[]).flatMap((code) => {
      const part = parts.get(code);
      return part ? [[code, part]] : [];
    }),
  );
}
