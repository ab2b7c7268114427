import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import { tryDecodeURIComponent } from 'hono/utils/url';
import { handler as methodNotAllowed } from '../../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../../handlers/errors/not-found.ts';
import type { Route } from '../../../handlers/routes.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { requestPath } from './request-path.ts';
import type { Destination, RequestInFlight } from './requests-in-flight.ts';

/** Starts to handle the request. Never throws or rejects. */
type RunRequest = (request: RequestInFlight, destination: Destination) => void;
type Target = Pick<Destination, 'handler' | 'route'>;

/** Returns the request listener for the whole route table. Every path and method leads to an operation. */
export function mountRoutes(
  routes: readonly Route[],
  run: RunRequest,
  refuse: (request: RequestInFlight, error: BridgeError) => void,
) {
  const router = new TrieRouter<Target>();
  const findPath = pathFinder(routes);
  const notAllowed = (route: string): Target => ({ handler: methodNotAllowed, route });
  for (const { method, handler, ...at } of routes) {
    // These paths belong to other routes, although the parameter of this route also matches these paths.
    for (const path of hiddenPaths(routes, { method, ...at })) {
      router.add(method, path, notAllowed(path));
    }
    router.add(method, toHonoPath(at), { handler, route: at.path });
  }

  function unmatched(path: string): Target {
    const known = findPath(path);
    return known ? notAllowed(known.path) : { handler: notFound, route: undefined };
  }

  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const request = { incoming, outgoing };
    const path = requestPath(incoming);
    if (path === undefined) {
      refuse(request, new BridgeError('malformed_request', INVALID_TARGET));
      return;
    }
    const { method = 'GET' } = incoming;
    // The handlers of GET also reply to HEAD, and Node omits the body.
    const [[match]] = router.match(method === 'HEAD' ? 'GET' : method, path);
    const { handler, route } = match?.[0] ?? unmatched(path);
    // The cast is safe because this router returns the values of parameters, not their positions.
    const parameters = decoded(match?.[1] as Params | undefined);
    run(request, { handler, route, path, parameters });
  };
}

const INVALID_TARGET = 'invalid Host header or request target';

function decoded(parameters: Params = {}): Params {
  const values: Params = {};
  for (const [name, value] of Object.entries(parameters)) {
    values[name] = tryDecodeURIComponent(value);
  }
  return values;
}

/** Returns a function that returns the value of `Allow` for a path. The value is empty if no route has the path. */
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

/** Returns the paths of other routes that match the parameter of this route, but for which its method is not allowed. */
function hiddenPaths(routes: readonly Route[], route: Pick<Route, 'method'> & RoutePath) {
  const pattern = toPattern(route);
  return uniquePaths(routes)
    .map(({ path }) => path)
    .filter((path) => path !== route.path && !path.includes('{') && pattern.test(path))
    .filter((path) => !routes.some((it) => it.path === path && it.method === route.method));
}

/** Returns a function that finds the path of the route for the path of a request, for any method. */
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
