import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { ERRORS } from '../../errors/codes.ts';
import { toErrorBody, toErrorHeaders } from '../../errors/error-body.ts';
import type { HttpReply, HttpSettings } from '../http-event.ts';
import type { OperationSpec } from '../operation-spec.ts';
import { callOf, type Middleware, type StackRequest, traceparent } from '../stack.ts';
import { encodeJson, encodeJsonWithBytes } from './encode-json.ts';
import { EVENT_STREAM_HEADERS, openEventStream } from './event-stream.ts';
import type { Reply } from './reply.ts';

/** Encodes the reply of a handler. Rejects if a stream fails before its first event. */
export function toReply(
  reply: Reply<unknown>,
  spec: OperationSpec,
  { clock, ids, log }: HttpSettings,
  requestId: string,
): HttpReply | Promise<HttpReply> {
  const statusCode = reply.status ?? spec.reply.status;
  if (reply.events) {
    const headers = { ...EVENT_STREAM_HEADERS, ...reply.headers };
    const opened = openEventStream(reply.events, { clock, ids, requestId, log });
    return opened.then((body) => ({ statusCode, headers, body }));
  }
  if (reply.body) return { statusCode, headers: { ...reply.headers }, body: reply.body };
  if (reply.value === undefined) return { statusCode, headers: { ...reply.headers } };
  if (!spec.reply.holdsBytes) {
    const body = encodeJson(reply.value);
    return { statusCode, headers: toJsonHeaders(body.length, reply.headers), body };
  }
  const { body, length } = encodeJsonWithBytes(reply.value, ids.newOpaqueId());
  return { statusCode, headers: toJsonHeaders(length, reply.headers), body };
}

/** Returns the headers of a JSON reply. `Object.assign` is faster here than a spread. */
function toJsonHeaders(length: number, more: Reply<unknown>['headers']): Record<string, string> {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(length),
  };
  return Object.assign(headers, more);
}

/** Adds the headers of all replies. */
export const replyHeaders: Middleware = {
  after: addHeaders,
  onError: addHeaders,
};

function addHeaders(request: StackRequest): void {
  const { requestId, trace } = callOf(request);
  if (!request.response) return;
  // The headers are changed in place, because a copy would cost time.
  const headers: Record<string, string> = request.response.headers;
  headers['x-content-type-options'] ??= 'nosniff';
  headers['x-request-id'] = requestId;
  headers['traceparent'] = traceparent(trace);
}

/** Converts an error to its reply (`docs/contract.md`, section 8). */
export function toErrorReply(error: BridgeError, requestId: string): HttpReply {
  return {
    statusCode: ERRORS[error.code].status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...toErrorHeaders(error),
    },
    body: Buffer.from(JSON.stringify(toErrorBody(error, requestId))),
  };
}

/** Converts every exception of a request to an error reply, which contains no text of an unexpected exception. */
export const errorReply: Middleware = {
  onError(request) {
    const { requestId } = callOf(request);
    request.context.settings.log?.failure(request.error, { requestId });
    request.response = toErrorReply(toBridgeError(request.error), requestId);
  },
};
