import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import { ERRORS } from '../../errors/codes.ts';
import { toErrorBody, toErrorHeaders } from '../../errors/error-body.ts';
import type { HttpReply } from '../http-event.ts';
import { callOf, type Middleware } from '../stack-request.ts';

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

/** Catches every exception of a request. No exception, and no text of an unexpected exception, leaves the stack. */
export const errorReply: Middleware = {
  onError(request) {
    const { requestId } = callOf(request);
    request.context.settings.log?.failure(request.error, { requestId });
    request.response = toErrorReply(toBridgeError(request.error), requestId);
  },
};
