import type { Caller } from '../contract/request/caller.ts';
import type { RequestContext, Trace } from '../contract/request/request-context.ts';
import {
  METHODS,
  OTHER_METHOD,
  type ReportedMethod,
  UNMATCHED_ROUTE,
} from '../contract/resources/diagnostics.ts';
import { REQUEST_ID_PATTERN } from '../contract/schema/fields.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { ERRORS } from '../errors/codes.ts';
import { refusalReason } from '../errors/refusals.ts';
import type { Ids } from '../platform/ids.ts';
import type { HttpContext, HttpEvent, HttpReply } from './http-event.ts';
import type { ObservedReply } from './observer-port.ts';
import { type OperationSpec, permissionOf } from './operation-spec.ts';

/** The state of one request, which the middlewares fill. */
export interface CallState {
  requestId: string;
  /** The start of the request on the monotonic clock. */
  startedMs: number;
  trace: Trace;
  /** The caller; undefined for a public operation. */
  caller: Caller | undefined;
  path: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  form: unknown;
}

/** The argument that middy passes to a middleware. */
export interface StackRequest {
  readonly event: HttpEvent;
  readonly context: HttpContext<unknown> & { call?: CallState | undefined; spec?: OperationSpec };
  response?: HttpReply;
  error?: unknown;
}

export interface Middleware {
  readonly before?: (request: StackRequest) => void | Promise<void>;
  readonly after?: (request: StackRequest) => void | Promise<void>;
  readonly onError?: (request: StackRequest) => void | Promise<void>;
}

/** Returns the state of a request, which `startCall`, the first middleware, has created. */
export function callOf({ context }: Pick<StackRequest, 'context'>): CallState {
  if (!context.call) throw new Error('startCall has not run');
  return context.call;
}

// W3C Trace Context, version 00. Ids that consist only of zeros are invalid.
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller of a public operation, which does not authenticate callers. */
const UNKNOWN: Caller = { id: '', name: '', scope: '', permissions: [] };

/** Returns the caller's `x-request-id` if it has the accepted form, else a new id. */
export function requestIdOf(header: string | undefined, ids: Ids): string {
  return header !== undefined && REQUEST_ID_PATTERN.test(header) ? header : ids.newUuid();
}

/** Returns a new span in the caller's trace if `traceparent` is valid, else in a new trace. */
export function traceOf(header: string | undefined, ids: Ids): Trace {
  const inbound = TRACEPARENT.exec(header ?? '')?.[1];
  return { traceId: inbound ?? ids.newOpaqueId(), spanId: ids.newSpanId() };
}

export const startCall: Middleware = {
  before({ event, context }) {
    const { ids, clock } = context.settings;
    context.call = {
      requestId: requestIdOf(event.headers['x-request-id'], ids),
      startedMs: clock.monotonicMs(),
      trace: traceOf(event.headers['traceparent'], ids),
      caller: undefined,
      path: undefined,
      query: undefined,
      headers: undefined,
      body: undefined,
      form: undefined,
    };
  },
};

/** Returns the context that handlers pass to services. */
export function toRequestContext(
  { spec, event }: { readonly spec: OperationSpec; readonly event: HttpEvent },
  { requestId, trace, caller = UNKNOWN, headers }: CallState,
  { settings, signal, onReplied }: HttpContext<unknown>,
): RequestContext {
  // The cast is safe because the schema of the operation has parsed these headers.
  const taken = (headers ?? {}) as Readonly<Record<string, string | undefined>>;
  const permission = permissionOf(spec);
  const stillMay = ({ scope, permissions }: Caller) =>
    scope === caller.scope && (permission === undefined || permissions.includes(permission));
  return {
    operationId: spec.id,
    requestId,
    trace,
    scope: caller.scope,
    caller,
    baseUrl: settings.publicBaseUrl ?? `http://${event.headers['host'] ?? 'localhost'}`,
    idempotencyKey: taken['idempotency-key'],
    retryCount: taken['x-stainless-retry-count'],
    prefer: taken['prefer'],
    signal,
    onReplied,
    onRevoked: (listener) =>
      settings.access.watch(event.headers['authorization'], stillMay, listener),
  };
}

export function traceparent({ traceId, spanId }: Trace): string {
  return `00-${traceId}-${spanId}-01`;
}

/** Reports the reply to the observer when the reply is complete. */
export const observe: Middleware = {
  after: report,
  onError: report,
};

/** Returns the report about a request that was rejected before routing. */
export function unroutedReply(error: BridgeError, method = ''): ObservedReply {
  const { status } = ERRORS[error.code];
  const refused = { route: UNMATCHED_ROUTE, status, durationMs: 0, callerId: undefined };
  return { ...refused, ...refusalOf(error), method: toKnownMethod(method) };
}

function report(request: StackRequest): void {
  const { context, event, response } = request;
  const { observer, clock } = context.settings;
  if (!observer || !response) return;
  const { caller, startedMs } = callOf(request);
  observer.replied({
    route: context.route ?? UNMATCHED_ROUTE,
    method: toKnownMethod(event.requestContext.http.method),
    status: response.statusCode,
    ...refusalOf(request.error),
    durationMs: clock.monotonicMs() - startedMs,
    callerId: caller?.id,
  });
}

function refusalOf(thrown: unknown): Pick<ObservedReply, 'refusal'> {
  const refusal = thrown ? refusalReason(toBridgeError(thrown)) : undefined;
  return refusal === undefined ? {} : { refusal };
}

function toKnownMethod(method: string): ReportedMethod {
  return METHODS.find((known) => known === method) ?? OTHER_METHOD;
}
