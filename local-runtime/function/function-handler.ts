import { handler as methodNotAllowed } from '../../handlers/errors/method-not-allowed.ts';
import { handler as notFound } from '../../handlers/errors/not-found.ts';
import type { Route } from '../../handlers/routes.ts';
import { BridgeError, toBridgeError } from '../../lib/errors/bridge-error.ts';
import type { HttpEvent, HttpReply, HttpSettings } from '../../lib/http/http-event.ts';
import type { Operation } from '../../lib/http/operation.ts';
import { toErrorReply } from '../../lib/http/reply/encode-reply.ts';
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

const ON_EVERY_REPLY = new Set(['x-request-id', 'traceparent', 'x-content-type-options']);

/**
 * The whole route table as one function behind API Gateway. Shortly before an invocation has to end its work is aborted,
 * and a stream of events ends where it is.
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
    const isBodiless = event.requestContext.http.method === 'HEAD';
    const options = { isBodiless, signal: ending.signal };
    let isComplete = false;
    try {
      const reply = await handler(
        { ...event, pathParameters: event.pathParameters ?? {} },
        {
          services,
          settings: { ...httpSettings, publicBaseUrl: httpSettings.publicBaseUrl ?? origin(event) },
          route: path,
          signal: () => ending.signal,
          onReplied: (listener) => listeners.push(listener),
        },
      );
      try {
        const encoded = await encodeReply(reply, options);
        isComplete = !ending.signal.aborted;
        return encoded;
      } catch (thrown) {
        return await encodeReply(toFailure(thrown, reply, httpSettings), options);
      }
    } finally {
      cancel();
      for (const listener of listeners) listener(isComplete);
    }
  };
}

/** API Gateway serves an HTTP API by https alone. */
function origin({ headers }: FunctionEvent): string {
  return `https://${headers['host'] ?? 'localhost'}`;
}

/** What is returned in place of a reply that cannot be encoded. A repeat might be paid for again. */
function toFailure(thrown: unknown, { headers }: HttpReply, settings: HttpSettings): HttpReply {
  const requestId = headers['x-request-id'] ?? settings.ids.newUuid();
  settings.log?.failure(thrown, { requestId });
  const failure = toErrorReply(toBridgeError(thrown).with({ retryable: false }), requestId);
  const kept = Object.entries(headers).filter(([name]) => ON_EVERY_REPLY.has(name));
  return { ...failure, headers: { ...failure.headers, ...Object.fromEntries(kept) } };
}

/** Under which keys API Gateway knows a route: a parameter that takes slashes is written `{name+}` there. */
function routeKeys({ method, path, takesSlashes }: Route): readonly string[] {
  const at = takesSlashes ? path.replace(/\}$/, '+}') : path;
  return method === 'GET' ? [`GET ${at}`, `HEAD ${at}`] : [`${method} ${at}`];
}
