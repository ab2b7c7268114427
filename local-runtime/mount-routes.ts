import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { handler as methodNotAllowed } from '../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../handlers/errors/not-found.ts';
import type { Route } from '../handlers/routes.ts';
import { BridgeError } from '../lib/errors/bridge-error.ts';
import type { HttpSettings } from '../lib/http/http-event.ts';
import { unroutedReply } from '../lib/http/observe.ts';
import type { Operation } from '../lib/http/operation.ts';
import type { Services } from '../lib/services.ts';
import { toRawReply } from './raw-reply.ts';
import type { Destination, RequestInFlight } from './requests-in-flight.ts';

type Env = { Bindings: HttpBindings };
type RunExchange = (exchange: RequestInFlight, destination: Destination) => Promise<void>;

/** Node's request listener for the whole route table: every path and method ends at an operation. */
export function mountRoutes(
  routes: readonly Route[],
  run: RunExchange,
  httpSettings: HttpSettings,
) {
  const app = new Hono<Env>();
  const to = (handler: Operation<Services>, route?: string) => async (c: Context<Env>) => {
    const destination = { handler, route, path: c.req.path, parameters: c.req.param() };
    await run(c.env, destination);
    return RESPONSE_ALREADY_SENT;
  };
  for (const { method, handler, ...at } of routes)
    app.on(method, toHonoPath(at), to(handler, at.path));
  for (const at of uniquePaths(routes)) app.all(toHonoPath(at), to(methodNotAllowed, at.path));
  app.notFound(to(notFound));
  return getRequestListener(app.fetch, {
    // Without a Host the browser guard decides; this name stands in no answer.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // `sendReply` drains unread bodies, by the contract's bounds.
    autoCleanupIncoming: false,
    errorHandler: () => refuseTarget(httpSettings),
  });
}

/** The value of `Allow` for every path of the table. */
export function allowedMethods(routes: readonly Route[]): (path: string) => string {
  const table = uniquePaths(routes).map(({ path, takesSlashes }) => ({
    pattern: new RegExp(
      `^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, takesSlashes ? '.+' : '[^/]+')}$`,
    ),
    allow: routes
      .filter((route) => route.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort()
      .join(', '),
  }));
  return (path) => table.find(({ pattern }) => pattern.test(path))?.allow ?? '';
}

type Place = Pick<Route, 'path' | 'takesSlashes'>;

function uniquePaths(routes: readonly Route[]): readonly Place[] {
  return [...new Map(routes.map((route) => [route.path, route])).values()];
}

function toHonoPath({ path, takesSlashes }: Place): string {
  return path.replace(/\{(\w+)\}/g, takesSlashes ? ':$1{.+}' : ':$1');
}

/** A Host or a request target that is no part of any address: nothing can be routed by it. */
function refuseTarget({ ids, observer }: HttpSettings): Response {
  const error = new BridgeError('malformed_request', 'the Host or the request target is not valid');
  observer?.replied(unroutedReply(error));
  const { statusCode, headers, body } = toRawReply(error, ids);
  return new Response(body instanceof Uint8Array ? body : null, { status: statusCode, headers });
}
