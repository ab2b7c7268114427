import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { Operation } from '../../lib/http/operation.ts';
import type { Services } from '../../lib/services.ts';
import type { Destination, RequestInFlight } from './requests-in-flight.ts';

type Env = { Bindings: HttpBindings };
/** Replies to the request, at any time. Neither throws nor rejects. */
type RunRequest = (request: RequestInFlight, destination: Destination) => void;

/** Node's request listener for the whole route table: every path and method ends at an operation. */
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
      // It will be sent. Nothing that Hono has made of the request is kept until then.
      return RESPONSE_ALREADY_SENT;
    };
  };
  // Not a route for all methods of a path: a request that two routes match is run through a chain of both.
  const toMethodNotAllowed = new Map(
    routes.map(({ path }) => [path, to(methodNotAllowed, path)] as const),
  );
  const toNotFound = to(notFound);
  const findPath = pathFinder(routes);
  for (const { method, handler, ...at } of routes) {
    // The path is another one's, though this one's parameter matches it.
    for (const path of hiddenPaths(routes, { method, ...at })) {
      app.on(method, path, toMethodNotAllowed.get(path) ?? toNotFound);
    }
    app.on(method, toHonoPath(at), to(handler, at.path));
  }
  app.notFound((c) => {
    const known = findPath(c.req.path)?.path ?? '';
    return (toMethodNotAllowed.get(known) ?? toNotFound)(c);
  });
  // The request for which Hono's listener is being called.
  let current: RequestInFlight | undefined;
  const listener = getRequestListener(app.fetch, {
    // Without a Host the browser guard decides; the name is in no reply.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // `sendReply` drains unread bodies, within the contract's bounds.
    autoCleanupIncoming: false,
    // Is called when no request can be made of the Host and the target, before the listener returns. Hono then sends
    // nothing itself.
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

/** The value of `Allow` for every path of the table. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string {
  const findPath = pathFinder(routes);
  const allow = new Map(
    routes.map(({ path }) => [
      path,
      routes
        .filter((route) => route.path === path)
        .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        .sort()
        .join(', '),
    ]),
  );
  return (path) => allow.get(findPath(path)?.path ?? '') ?? '';
}

/** Paths of the table that a route would take from the route that they belong to, because that lacks its method. */
function hiddenPaths(routes: readonly Route[], route: Pick<Route, 'method'> & RoutePath) {
  const pattern = toPattern(route);
  return uniquePaths(routes)
    .map(({ path }) => path)
    .filter((path) => path !== route.path && !path.includes('{') && pattern.test(path))
    .filter((path) => !routes.some((it) => it.path === path && it.method === route.method));
}

/** Finds the path of the table that a path matches, whatever the method. */
function pathFinder(routes: readonly Route[]): (path: string) => RoutePath | undefined {
  const table = uniquePaths(routes).map((at) => ({ at, pattern: toPattern(at) }));
  return (path) => table.find(({ pattern }) => pattern.test(path))?.at;
}

function toPattern({ path, takesSlashes }: RoutePath): RegExp {
  const parameter = takesSlashes ? '.*' : '[^/]+';
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, parameter)}$`);
}

type RoutePath = Pick<Route, 'path' | 'takesSlashes'>;

function uniquePaths(routes: readonly Route[]): readonly RoutePath[] {
  return [...new Map(routes.map((route) => [route.path, route])).values()];
}

function toHonoPath({ path, takesSlashes }: RoutePath): string {
  return path.replace(/\{(\w+)\}/g, takesSlashes ? ':$1{.*}' : ':$1');
}

/** Nothing can be routed by such a `Host` or request target. */
function invalidTarget(): BridgeError {
  return new BridgeError('malformed_request', 'the Host or the request target is not valid');
}
