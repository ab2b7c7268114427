import { encodeJson, encodeJsonWithBytes } from './encode-json.ts';
import type { Edge, HttpReply } from './http-event.ts';
import type { OperationSpec } from './operation-spec.ts';
import type { Reply } from './reply.ts';
import { traceparent } from './request-context.ts';
import { callOf, type Middleware, type StackRequest } from './stack-request.ts';

/** Turns what the handler returned into an answer. */
export function toReply(reply: Reply<unknown>, spec: OperationSpec, edge: Edge): HttpReply {
  const statusCode = reply.status ?? spec.reply.status;
  if (reply.body) return { statusCode, headers: { ...reply.headers }, body: reply.body };
  if (reply.value === undefined) return { statusCode, headers: { ...reply.headers } };
  const json = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  if (!spec.reply.holdsBytes) {
    return { statusCode, headers: { ...json, ...reply.headers }, body: encodeJson(reply.value) };
  }
  const { body, length } = encodeJsonWithBytes(reply.value, edge.ids.newOpaqueId());
  const headers = { ...json, 'content-length': String(length), ...reply.headers };
  return { statusCode, headers, body };
}

/** The headers that every answer of every route carries (contract.md 0). */
export const answerHeaders: Middleware = {
  after: addHeaders,
  onError: addHeaders,
};

function addHeaders(request: StackRequest): void {
  const { requestId, trace } = callOf(request);
  if (!request.response) return;
  request.response = {
    ...request.response,
    headers: {
      'x-content-type-options': 'nosniff',
      ...request.response.headers,
      'x-request-id': requestId,
      traceparent: traceparent(trace),
    },
  };
}
