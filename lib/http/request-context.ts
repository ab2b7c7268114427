import type { Caller } from '../contract/request/caller.ts';
import type { RequestContext, Trace } from '../contract/request/request-context.ts';
import { REQUEST_ID_PATTERN } from '../contract/schema/fields.ts';
import type { Ids } from '../platform/ids.ts';
import type { HttpContext, HttpEvent } from './http-event.ts';
import { type OperationSpec, permissionOf } from './operation-spec.ts';
import type { CallState, Middleware } from './stack-request.ts';

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

/** Initializes the state of the request: its id, its trace, and the members that later middlewares set. */
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

/** Returns the context for services of a request that has passed all checks. */
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
