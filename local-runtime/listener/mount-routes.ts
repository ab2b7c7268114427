import type { IncomingMessage, ServerResponse } from 'node:http';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { tryDecodeURIComponent } from 'hono/utils/url';
import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { requestedPath } from './request-target.ts';
import type { Destination, RequestInFlight } from './requests-in-flight.ts';

type RunRequest = (request: RequestInFlight, destination: Destination) => Promise<void>;
type Refuse = (request: RequestInFlight, error: BridgeError) => void;

/** Node's request listener for the whole route table: every path and method ends at an operation. */
export function mountRoutes(routes: readonly Route[], run: RunRequest, refuse: Refuse) {
  const findPath = pathFinder(routes);

  function destinationOf(path: string, method = 'GET'): Destination {
    const found = findPath(path);
    if (!found) return { handler: notFound, route: undefined, path, parameters: {} };
    const { known, parameters } = found;
    const route = known.find((it) => it.method === (method === 'HEAD' ? 'GET' : method));
    return { handler: route?.handler ?? methodNotAllowed, route: known[0].path, path, parameters };
  }

  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const request = { incoming, outgoing };
    const path = requestedPath(incoming);
    if (path !== undefined) return run(request, destinationOf(path, incoming.method));
    const message = 'the Host or the request target is not valid';
    refuse(request, new BridgeError('malformed_request', message));
  };
}

/** The value of `Allow` for every path of the table. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string {
  const findPath = pathFinder(routes);
  return (path) =>
    (findPath(path)?.known ?? [])
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort()
      .join(', ');
}

/** The routes of one path, of which each has another method. */
type KnownPath = readonly [Route, ...Route[]];

/** Finds the path of the table that a path matches, whatever the method, and the values of its parameters. */
function pathFinder(routes: readonly Route[]) {
  const router = new SmartRouter<KnownPath>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const known of knownPaths(routes)) router.add(ANY_METHOD, toHonoPath(known[0]), known);
  return (path: string) => {
    const [[found], values] = router.match(ANY_METHOD, path);
    if (!found) return undefined;
    const [known, named] = found;
    const parameters: Record<string, string> = {};
    for (const [name, value] of Object.entries(named)) {
      // One router gives the value, the other its index among all that were captured.
      const encoded = typeof value === 'string' ? value : values?.[value];
      parameters[name] = tryDecodeURIComponent(encoded ?? '');
    }
    return { known, parameters };
  };
}

const ANY_METHOD = 'any';

/** The first that matches is taken, so those without parameters come first. */
function knownPaths(routes: readonly Route[]): readonly KnownPath[] {
  const paths = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    const known = paths.get(route.path);
    if (known) known.push(route);
    else paths.set(route.path, [route]);
  }
  const hasParameters = ([{ path }]: KnownPath) => Number(path.includes('{'));
  return [...paths.values()].sort((one, other) => hasParameters(one) - hasParameters(other));
}

function toHonoPath({ path, takesSlashes }: Route): string {
  return path.replace(/\{(\w+)\}/g, takesSlashes ? ':$1{.*}' : ':$1');
}
