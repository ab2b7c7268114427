import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono } from 'hono';
import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import type { Operation } from '../../lib/http/operation.ts';
import type { Services } from '../../lib/services.ts';
import type { Destination, RequestInFlight } from './requests-in-flight.ts';
import { routingUrl } from './routing-url.ts';

type Env = { Bindings: RequestInFlight };
type RunRequest = (request: RequestInFlight, destination: Destination) => Promise<void>;

// Hono wants a response of every handler. The reply has been written to the socket by then, and this one is not used: a real
// `Response` would load all that `fetch` needs.
const WRITTEN = {} as Response;

/**
 * Routes a request by the whole route table: every path and method ends at an operation. The returned function gives
 * false, and has done nothing, when the `Host` or the request target is not valid.
 */
export function mountRoutes(
  routes: readonly Route[],
  run: RunRequest,
): (incoming: IncomingMessage, outgoing: ServerResponse) => boolean {
  const app = new Hono<Env>();
  const to = (handler: Operation<Services>, route?: string) => async (c: Context<Env>) => {
    const destination = { handler, route, path: c.req.path, parameters: c.req.param() };
    await run(c.env, destination);
    return WRITTEN;
  };
  for (const { method, handler, ...at } of routes)
    app.on(method, toHonoPath(at), to(handler, at.path));
  // Not a route for all methods of a path: a request that two routes match is run through a chain of both.
  const toMethodNotAllowed = new Map(
    routes.map(({ path }) => [path, to(methodNotAllowed, path)] as const),
  );
  const toNotFound = to(notFound);
  const findPath = pathFinder(routes);
  app.notFound((c) => {
    const known = findPath(c.req.path)?.path ?? '';
    return (toMethodNotAllowed.get(known) ?? toNotFound)(c);
  });
  app.onError((_error, c) => {
    c.env.outgoing.destroy();
    return WRITTEN;
  });
  return (incoming, outgoing) => {
    const url = routingUrl(incoming);
    if (url === undefined) return false;
    const { method = 'GET' } = incoming;
    // Of a request Hono reads these two. Where it asks HEAD of a route for GET, it would make a response of its own.
    const request = { url, method: method === 'HEAD' ? 'GET' : method } as Request;
    void app.fetch(request, { incoming, outgoing });
    return true;
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

/** Finds the path of the table that a path matches, whatever the method. */
function pathFinder(routes: readonly Route[]): (path: string) => RoutePath | undefined {
  const table = uniquePaths(routes).map((at) => ({
    at,
    pattern: new RegExp(
      `^${at.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, at.takesSlashes ? '.+' : '[^/]+')}$`,
    ),
  }));
  return (path) => table.find(({ pattern }) => pattern.test(path))?.at;
}

type RoutePath = Pick<Route, 'path' | 'takesSlashes'>;

function uniquePaths(routes: readonly Route[]): readonly RoutePath[] {
  return [...new Map(routes.map((route) => [route.path, route])).values()];
}

function toHonoPath({ path, takesSlashes }: RoutePath): string {
  return path.replace(/\{(\w+)\}/g, takesSlashes ? ':$1{.+}' : ':$1');
}
