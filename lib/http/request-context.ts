import { REQUEST_ID_PATTERN } from '../contract/schema/fields.ts';
import type { Ids } from '../platform/ids.ts';
import type { Trace } from './http-event.ts';
import type { Middleware } from './stack-request.ts';

// W3C Trace Context, version 00; ids of zeros only are invalid.
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's `x-request-id` where it has the allowed form, else a new one (contract.md 0). */
export function requestIdOf(header: string | undefined, ids: Ids): string {
  return header !== undefined && REQUEST_ID_PATTERN.test(header) ? header : ids.newUuid();
}

/** Gives the request its id, its trace and a place for what later middlewares find out. */
export const requestContext: Middleware = {
  before({ event, context }) {
    const { ids, clock } = context.settings;
    const inbound = TRACEPARENT.exec(event.headers['traceparent'] ?? '')?.[1];
    const trace: Trace = { traceId: inbound ?? ids.newOpaqueId(), spanId: ids.newSpanId() };
    context.call = {
      requestId: requestIdOf(event.headers['x-request-id'], ids),
      startedMs: clock.monotonicMs(),
      trace,
      scope: '',
      path: undefined,
      query: undefined,
      headers: undefined,
      body: undefined,
      form: undefined,
    };
  },
};

export function traceparent({ traceId, spanId }: Trace): string {
  return `00-${traceId}-${spanId}-01`;
}
