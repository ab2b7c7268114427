import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { handler as methodNotAllowed } from '../../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../../handlers/errors/not-found.ts';
import type { Route } from '../../../handlers/routes.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { Operation } from '../../../lib/http/operation.ts';
import type { Services } from '../../../lib/services.ts';
import type { Destination, RequestInFlight } from './requests-in-flight.ts';
import { hiddenPaths, pathFinder, type RoutePath } from './route-paths.ts';

type Env = { Bindings: HttpBindings };
/** Starts to handle the request. Never throws or rejects. */
type RunRequest = (request: RequestInFlight, destination: Destination) => void;

/** Returns the request listener for the whole route table. Every path and method leads to an operation. */
export function mountRoutes(
  routes: readonly Route[],
  run: RunRequest,
  refuse: (request: RequestInFlight, error: BridgeError) => void,
) {
  const app = new Hono<Env>();
  const to = (handler: Operation<Services>, route?: string) => {
    const hasParameters = route?.includes('{') ?? false;
    return (c: Context<Env>) => {
      const parameters = hasParameters ? c.req.param() : {};
      run(c.env, { handler, route, path: c.req.path, parameters });
      // Tells Hono that the reply is sent elsewhere, so that Hono can free its own objects for the request.
      return RESPONSE_ALREADY_SENT;
    };
  };
  // Registered for each method, because Hono would call two handlers if a route for all methods also matched the request.
  const toMethodNotAllowed = new Map(
    routes.map(({ path }) => [path, to(methodNotAllowed, path)] as const),
  );
  const toNotFound = to(notFound);
  const findPath = pathFinder(routes);
  for (const { method, handler, ...at } of routes) {
    // These paths belong to other routes, although the parameter of this route also matches these paths.
    for (const path of hiddenPaths(routes, { method, ...at })) {
      app.on(method, path, toMethodNotAllowed.get(path) ?? toNotFound);
    }
    app.on(method, toHonoPath(at), to(handler, at.path));
  }
  app.notFound((c) => {
    const known = findPath(c.req.path)?.path ?? '';
    return (toMethodNotAllowed.get(known) ?? toNotFound)(c);
  });
  // The request for which Hono's listener is running.
  let current: RequestInFlight | undefined;
  const listener = getRequestListener(app.fetch, {
    // Used if the Host header is missing. The browser guard checks such requests, and no reply contains this name.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // `sendReply` drains unread bodies itself, up to the limits of the contract.
    autoCleanupIncoming: false,
    // If the Host or the target is invalid, Hono calls this function before the listener returns, and sends no reply itself.
    errorHandler() {
      if (current) refuse(current, invalidTarget());
    },
  });
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    current = { incoming, outgoing };
    void listener(incoming, outgoing);
    current = undefined;
  };
}

function toHonoPath({ path, takesSlashes }: RoutePath): string {
  return path.replace(/\{(\w+)\}/g, takesSlashes ? ':$1{.*}' : ':$1');
}

/** Returns the error for a `Host` or request target that cannot be routed. */
function invalidTarget(): BridgeError {
  return new BridgeError('malformed_request', 'invalid Host header or request target');
}
