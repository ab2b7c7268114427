import {
  METHODS,
  OTHER_METHOD,
  type ReportedMethod,
  UNMATCHED_ROUTE,
} from '../contract/resources/diagnostics.ts';
import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { ERRORS } from '../errors/codes.ts';
import { refusalReason } from '../errors/refusals.ts';
import type { ObservedReply } from './observer-port.ts';
import { callOf, type Middleware, type StackRequest } from './stack-request.ts';

/** Reports the reply to the observer when the reply is complete. */
export const observe: Middleware = {
  after: report,
  onError: report,
};

/** Returns the report of a request that was rejected before routing. */
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
