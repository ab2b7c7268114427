import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpEvent, HttpSettings } from '../../lib/http/http-event.ts';
import type { Operation } from '../../lib/http/operation.ts';
import type { Services } from '../../lib/services.ts';
import { encodeReply, type FunctionReply } from './encode-reply.ts';

/** What API Gateway sends for one request of an HTTP API (payload version 2.0), as far as it is read here. */
export interface FunctionEvent extends Omit<HttpEvent, 'body'> {
  /** `METHOD /path/{name}` of the route that was matched, or `$default`. */
  readonly routeKey: string;
  /** Text, or base64 when `isBase64Encoded`. */
  readonly body?: string;
}

interface Invocation {
  getRemainingTimeInMillis(): number;
}

interface Deps {
  readonly routes: readonly Route[];
  readonly services: Services;
  readonly httpSettings: HttpSettings;
}

// What is left of an invocation to encode a reply.
const MARGIN_MS = 1000;

/**
 * The whole route table as one function behind API Gateway. Shortly before an invocation has to end its work is aborted,
 * and a stream ends where it is.
 */
export function createFunctionHandler({ routes, services, httpSettings }: Deps) {
  const table = new Map(
    routes.flatMap((route) => routeKeys(route).map((key) => [key, route] as const)),
  );

  function find({ routeKey, rawPath }: FunctionEvent): {
    readonly handler: Operation<Services>;
    readonly path?: string;
  } {
    const isKnown = services.allowedMethods(rawPath) !== '';
    return table.get(routeKey) ?? { handler: isKnown ? methodNotAllowed : notFound };
  }

  return async function handle(
    event: FunctionEvent,
    invocation: Invocation,
  ): Promise<FunctionReply> {
    const { handler, path } = find(event);
    const ending = new AbortController();
    const listeners: ((isComplete: boolean) => void)[] = [];
    const cancel = httpSettings.clock.after(invocation.getRemainingTimeInMillis() - MARGIN_MS, () =>
      ending.abort(new BridgeError('timeout', 'the time of the function is over')),
    );
    try {
      const reply = await handler(
        { ...event, pathParameters: event.pathParameters ?? {} },
        {
          services,
          settings: httpSettings,
          route: path,
          signal: () => ending.signal,
          onReplied: (listener) => listeners.push(listener),
        },
      );
      const isBodiless = event.requestContext.http.method === 'HEAD';
      return await encodeReply(reply, { isBodiless, signal: ending.signal, ids: httpSettings.ids });
    } finally {
      cancel();
      for (const listener of listeners) listener(!ending.signal.aborted);
    }
  };
}

/** Under which keys API Gateway knows a route: a parameter that takes slashes is written `{name+}` there. */
function routeKeys({ method, path, takesSlashes }: Route): readonly string[] {
  const at = takesSlashes ? path.replace(/\}$/, '+}') : path;
  return method === 'GET' ? [`GET ${at}`, `HEAD ${at}`] : [`${method} ${at}`];
}
