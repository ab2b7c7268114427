import {
  METHODS,
  OTHER_METHOD,
  type ReportedMethod,
  UNMATCHED_ROUTE,
} from '../contract/resources/diagnostics.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import { ERRORS } from '../errors/codes.ts';
import type { ObservedReply } from './observer-port.ts';
import { callOf, type Middleware, type StackRequest } from './stack-request.ts';

/** Tells the observer of the answer, once it is what will be sent. */
export const observe: Middleware = {
  after: tell,
  onError: tell,
};

/** What is told of a refusal that came before any route was looked for. */
export function unroutedReply({ code }: BridgeError, method = ''): ObservedReply {
  const { status } = ERRORS[code];
  return { route: UNMATCHED_ROUTE, method: toKnownMethod(method), status, durationMs: 0 };
}

function tell(request: StackRequest): void {
  const { context, event, response } = request;
  const { observer, clock } = context.settings;
  if (!observer || !response) return;
  observer.replied({
    route: context.route ?? UNMATCHED_ROUTE,
    method: toKnownMethod(event.requestContext.http.method),
    status: response.statusCode,
    durationMs: clock.monotonicMs() - callOf(request).startedMs,
  });
}

function toKnownMethod(method: string): ReportedMethod {
  return METHODS.find((known) => known === method) ?? OTHER_METHOD;
}
